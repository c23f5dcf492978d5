"""Tickets: raised, answered, noted, resolved, opened again, closed"""


def check(world):
    raises(world)
    is_answered_and_opened_again(world)
    comes_with_another_one(world)
    notes_are_for_support(world)
    nothing_typed_is_lost(world)
    titles_keep_both_versions(world)
    reads_earlier_messages(world)
    lists(world)
    says_whose_turn_it_is(world)
    takes_back_ones_own(world)


def ticket(world, title, **fields):
    return world.api("mia").call("POST", "/api/managed-services/tickets", {"title": title, **fields})["id"]


def choose(page, field, label):
    """Opens a field of the record, and chooses."""
    page.get_by_role("button", name=f"{field}: ").click()
    page.get_by_label(field, exact=True).select_option(label=label)


def shows(desk, status):
    desk.sees(desk.page.get_by_label("Fields").get_by_text(status, exact=True))


def raises(world):
    """By keyboard alone, on a phone; a closed dialog loses nothing."""
    with world.desk("mia", "#/tickets", width=390) as desk:
        page = desk.page
        page.get_by_role("button", name="Raise a ticket").focus()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Raise a ticket")
        page.keyboard.type("No invoice for November")
        page.keyboard.press("Tab")
        page.keyboard.type("It should have come yesterday.")
        page.keyboard.press("Escape")
        dialog.wait_for(state="detached")
        page.keyboard.press("Enter")
        dialog.wait_for()
        assert dialog.get_by_label("Description").input_value() == "It should have come yesterday."
        dialog.get_by_label("Priority").select_option("urgent")
        dialog.get_by_label("Title").press("Enter")
        page.get_by_role("heading", name="No invoice for November").wait_for()
        page.get_by_role("log").get_by_text("It should have come yesterday.").wait_for()
        page.get_by_text("Support and above may change a ticket.").wait_for()
        page.go_back()
        page.get_by_role("button", name="Raise a ticket").click()
        assert dialog.get_by_label("Title").input_value() == "", "what was sent is no draft"
    with world.desk("vic", "#/tickets") as desk:
        assert desk.page.get_by_role("button", name="Raise a ticket").get_attribute("aria-disabled") == "true"
        desk.page.get_by_text("Members and above may do this.").wait_for()


def is_answered_and_opened_again(world):
    """Support answers; the customer sees it without a reload, and opens the ticket again."""
    number = ticket(world, "The address is wrong", description="We have moved.")
    address = f"#/tickets/{number}"
    # A change that meets a newer version of other fields is sent again.
    with world.desk("mia", address) as customer, world.desk("sue", address, refused={412}) as support:
        page = support.page
        page.get_by_label("Message", exact=True).fill("Corrected from the next invoice on.")
        page.get_by_role("button", name="Send reply").click()
        choose(page, "Assignee", "Sue Marchetti")
        choose(page, "Status", "Resolved")
        shows(support, "Resolved")
        answer = customer.page.get_by_role("listitem").filter(has_text="Corrected from the next invoice on.")
        customer.sees(answer.get_by_text("Support", exact=True))
        shows(customer, "Resolved")
        customer.page.get_by_label("Message", exact=True).focus()
        customer.page.keyboard.type("The November one is wrong, too.")
        customer.page.keyboard.press("Control+Enter")
        shows(customer, "Open")
        support.sees(page.get_by_text("The November one is wrong, too."))
        shows(support, "Open")
        support.looks("ticket")
        choose(page, "Status", "Closed")
        customer.sees(customer.page.get_by_text("The ticket is closed and takes no more replies."))
        page.get_by_text("History").click()
        page.get_by_text("status from Resolved to Open").wait_for()


def comes_with_another_one(world):
    """A message that was read with another one, before the feed told of it, is shown when the feed does."""
    number = ticket(world, "The price is wrong")
    reply = f"/api/managed-services/ticket/{number}/reply"
    with world.desk("sue", f"#/tickets/{number}") as desk:

        def another(route):
            world.api("mia").call("POST", reply, {"content": "And in May."})
            route.continue_()

        desk.page.route(f"**/api/managed-services/ticket/{number}?**", another, times=1)
        world.api("mia").call("POST", reply, {"content": "It is wrong in April."})
        desk.sees(desk.page.get_by_text("It is wrong in April."))
        desk.sees(desk.page.get_by_text("And in May."))


def notes_are_for_support(world):
    number = ticket(world, "Is the price list final?", description="We sign tomorrow.")
    address = f"#/tickets/{number}"
    with world.desk("vic", address) as reader, world.desk("sue", address, width=390) as support:
        page = support.page
        page.get_by_label("Send as").select_option("note")
        page.get_by_label("Message", exact=True).fill("Ask sales before you answer.")
        page.reload()
        support.settled()
        assert page.get_by_label("Send as").input_value() == "note", "a kept note does not become a reply"
        page.get_by_role("button", name="Add internal note").click()
        note = page.get_by_role("listitem").filter(has_text="Ask sales before you answer.")
        note.get_by_text("Internal note").wait_for()
        assert page.get_by_label("Send as").input_value() == "reply"
        page.get_by_label("Message", exact=True).fill("It is.")
        page.get_by_role("button", name="Send reply").click()
        reader.sees(reader.page.get_by_text("It is."))
        assert reader.page.get_by_text("Ask sales").count() == 0
        reader.page.get_by_text("Members and above may do this.").wait_for()
        support.looks("ticket-note")


def nothing_typed_is_lost(world):
    """A reply outlives busy servers, a lost connection and answer, an ended session and a refusal. It is sent once."""
    number = ticket(world, "The export is slow")
    texts = ["Thirty minutes today.", "Forty by now.", "An hour.", "Still at work."]
    path = "/reply$"
    with world.desk("mia", f"#/tickets/{number}", refused={401, 429, 500, 503, "ERR_CONNECTION_RESET"}) as desk:
        page = desk.page
        message, send = page.get_by_label("Message", exact=True), page.get_by_role("button", name="Send reply")

        def said(text):
            page.get_by_role("listitem").filter(has_text=text).wait_for()

        message.fill(texts[0])
        desk.fails("POST", path, 503, 429, None)
        send.click()
        said(texts[0])
        message.fill(texts[1])
        desk.is_answered_too_late("POST", path)
        send.click()
        said(texts[1])
        message.fill(texts[2])
        desk.ends_before("/reply$")
        send.click()
        page.get_by_role("dialog", name="Sign in").wait_for()
        assert message.input_value() == texts[2]
        desk.signs_in()
        said(texts[2])
        message.fill(texts[3])
        desk.fails("POST", path, 500)
        send.click()
        page.get_by_role("alert").get_by_text("A test failed this request.").wait_for()
        page.reload()
        desk.settled()
        assert message.input_value() == texts[3]
        send.click()
        said(texts[3])
        assert message.input_value() == ""
        stored = world.api("sue").call("GET", f"/api/managed-services/ticket/{number}")["messages"]
        assert [one["content"] for one in stored] == texts, stored


def titles_keep_both_versions(world):
    """A change of the same field by someone else shows both; a change of another field is none."""
    number = ticket(world, "Invoice missing")
    path = f"/api/managed-services/ticket/{number}"
    with world.desk("sue", f"#/tickets/{number}", refused={412}) as desk:
        page = desk.page
        page.route("**/api/changes**", lambda route: route.abort())
        desk.refused = {412, "ERR_FAILED"}
        page.get_by_role("button", name="Edit title").click()
        page.get_by_label("Title").fill("Invoice of October is missing")
        world.api("max").call("PATCH", path, {"priority": "high"})
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Invoice of October is missing").wait_for()
        page.get_by_role("button", name="Edit title").click()
        page.get_by_label("Title").fill("Mine")
        world.api("max").call("PATCH", path, {"title": "Theirs", "status": "pending"})
        page.keyboard.press("Enter")
        conflict = page.get_by_role("alert")
        conflict.get_by_text("Theirs", exact=True).nth(1).wait_for()
        desk.looks("ticket-conflict")
        conflict.get_by_role("button", name="Save yours").click()
        page.get_by_role("heading", name="Mine").wait_for()
        world.api("max").call("PATCH", path, {"status": "resolved"})
        choose(page, "Status", "In progress")
        page.get_by_role("alert").get_by_text("Resolved").wait_for()
        page.get_by_role("button", name="Take theirs").click()
        shows(desk, "Resolved")


def reads_earlier_messages(world):
    """The newest messages first; what others add moves nothing above."""
    number = ticket(world, "A long talk", description="Message 0")
    reply = f"/api/managed-services/ticket/{number}/reply"
    for at in range(1, 6):
        world.api("mia").call("POST", reply, {"content": f"Message {at}"})
    with world.desk("sue") as desk:
        desk.reads_few(4)
        desk.open(f"#/tickets/{number}")
        page = desk.page
        rows = page.get_by_role("log").get_by_role("listitem")
        world.api("mia").call("POST", reply, {"content": "Message 6"})
        desk.sees(rows.get_by_text("Message 6"))
        assert rows.count() == 5
        page.get_by_role("button", name="Show earlier").click()
        rows.get_by_text("Message 0", exact=True).wait_for()
        assert rows.count() == 7
        page.get_by_role("button", name="Show earlier").wait_for(state="detached")


def lists(world):
    """Filters in the address, pages by cursor, rows that change and stay where they are."""
    first = ticket(world, "Many 0", priority="low")
    for number in range(1, 5):
        ticket(world, f"Many {number}", priority="low")
    with world.desk("sue") as desk:
        desk.reads_few(4)
        desk.open("#/tickets?priority=low&sort=-createdAt&creatorId=4&status=open")
        page = desk.page
        rows = page.locator(".columns > li")
        assert rows.count() == 4
        page.get_by_role("button", name="More").press("Enter")
        rows.nth(4).wait_for()
        page.locator(f"a[href='#/tickets/{first}']").focus()
        page.keyboard.press("ArrowUp")
        assert page.evaluate("document.activeElement.textContent").endswith("Many 1")
        world.api("sue").call("PATCH", f"/api/managed-services/ticket/{first}", {"status": "in_progress"})
        desk.sees(rows.filter(has_text=f"#{first}").get_by_text("In progress"))
        ticket(world, "Many 5", priority="low")
        other = f"Quite another one {world.mark}"
        ticket(world, other, priority="urgent")
        desk.sees(page.get_by_role("button", name="Show 1 new ticket"))
        page.get_by_label("Priority").select_option("urgent")
        page.wait_for_url("**priority=urgent**")
        rows.filter(has_text=other).wait_for()
        page.get_by_label("Assignee").select_option("me")
        page.get_by_text("Nothing matches.").wait_for()
        page.reload()
        page.get_by_text("Nothing matches.").wait_for()
        page.get_by_label("Assignee").select_option("")
        page.get_by_role("link", name=other).click()
        page.get_by_role("heading", name=other).wait_for()
    with world.desk("sue", "#/tickets?priority=high,urgent") as desk:
        desk.looks("tickets")
    with world.desk("mia", "#/tickets?status=nothing", refused={400}) as desk:
        desk.page.get_by_role("alert").get_by_text("is not a status").wait_for()
        desk.page.get_by_label("Status").select_option("")
        desk.page.locator(".columns > li").first.wait_for()


def says_whose_turn_it_is(world):
    """Turn, unread mark, "Assign to me"; the customer writes no internal note."""
    number = ticket(world, f"Turns {world.mark}")
    with world.desk("mia", f"#/tickets/{number}") as customer, world.desk("sue", f"#/tickets/{number}") as support:
        page = support.page
        assert customer.page.get_by_label("Send as").count() == 0
        page.get_by_label("Send as").wait_for()
        page.get_by_text("Support’s turn").wait_for()
        page.get_by_role("button", name="Assign to me").click()
        shows(support, "Sue Marchetti")
        page.get_by_role("button", name="Assign to me").wait_for(state="detached")
        page.get_by_label("Message", exact=True).fill("Which one?")
        page.get_by_role("button", name="Send reply").click()
        page.get_by_text("Customer’s turn").wait_for()
        customer.sees(customer.page.get_by_text("Customer’s turn"))
        # The same in the list. What the customer writes is unread until support opens it.
        page.get_by_role("link", name="Tickets", exact=True).click()
        row = page.locator(".columns > li").filter(has_text=f"Turns {world.mark}")
        row.get_by_text("Customer’s turn, 1 message").wait_for()
        customer.page.get_by_label("Message", exact=True).fill("The second.")
        customer.page.get_by_role("button", name="Send reply").click()
        support.sees(row.get_by_text("Support’s turn, 2 messages"))
        support.sees(row.get_by_text("Unread", exact=True))
        support.looks("tickets-unread")
        # What was open for a moment is read.
        with page.expect_response(lambda one: one.url.endswith("/api/notifications/read")):
            row.get_by_role("link").click()
            page.get_by_text("The second.").wait_for()
        page.go_back()
        row.get_by_text("Support’s turn").wait_for()
        row.get_by_text("Unread", exact=True).wait_for(state="detached")


def takes_back_ones_own(world):
    """The author edits and deletes the last message. One that a reply follows stays, and so does what was typed."""
    number = ticket(world, "The wrong button", description="The first one.")
    address, reply = f"#/tickets/{number}", f"/api/managed-services/ticket/{number}/reply"
    with world.desk("mia", address, refused={409}) as author, world.desk("sue", address) as support:
        page = author.page
        edits = page.get_by_role("button", name="Edit your message")
        assert support.page.get_by_role("button", name="Edit your message").count() == 0
        page.get_by_label("Message", exact=True).fill("The second.")
        page.keyboard.press("Control+Enter")
        row = page.get_by_role("listitem").filter(has_text="The second.")
        row.wait_for()
        author.until(lambda: edits.count() == 1, "one message to edit")
        edits.click()
        page.get_by_label("Your message").fill("The third.")
        page.keyboard.press("Control+Enter")
        changed = page.get_by_role("listitem").filter(has_text="The third.")
        changed.get_by_text("edited").wait_for()
        author.looks("ticket-edited")
        support.sees(support.page.get_by_role("listitem").filter(has_text="The third.").get_by_text("edited"))
        # An internal note is no reply.
        world.api("sue").call("POST", reply, {"content": "Look into it.", "internal": True})
        page.get_by_role("button", name="Delete your message").click()
        dialog = page.get_by_role("dialog", name="Delete your message?")
        dialog.get_by_text("Mails that went out keep its text.").wait_for()
        dialog.get_by_role("button", name="Delete").click()
        page.get_by_text("This message was deleted.").wait_for()
        support.sees(support.page.get_by_text("This message was deleted."))
        author.until(lambda: edits.count() == 0, "what is before a deleted reply to be final")
        # The reply comes while the author types.
        page.get_by_label("Message", exact=True).fill("The fourth.")
        page.keyboard.press("Control+Enter")
        edits.click()
        page.get_by_label("Your message").fill("The fifth.")
        world.api("sue").call("POST", reply, {"content": "Thank you."})
        page.keyboard.press("Control+Enter")
        said = page.get_by_role("alert")
        said.get_by_text("A reply follows the message.").wait_for()
        said.get_by_text("What you typed is kept here.").wait_for()
        assert said.get_by_role("button").count() == 0, "trying again does not help"
        author.sees(page.get_by_text("Thank you."))
        assert page.get_by_label("Your message").input_value() == "The fifth."
        page.reload()
        author.settled()
        assert page.get_by_label("Your message").input_value() == "The fifth."
        author.looks("ticket-final")
