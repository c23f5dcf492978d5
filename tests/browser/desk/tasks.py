"""A task: edited in place, discussed, deleted; nothing typed is lost"""

import board


def check(world):
    project = board.a_project(world, "Task of tests")
    task = project["tasks"][0]
    edits(world, task)
    talks(world, task)
    loses_nothing(world, task)
    shows_both_versions(world, task)
    tells_of_others_while_one_writes(world, task)
    previews(world, task)
    leads_to_the_newest(world, project)
    deletes(world, project)
    world.api("max").call("PATCH", f"/api/projects/{project['id']}", {"status": "archived"})


def fact(page, label):
    return page.get_by_role("complementary", name="Fields").get_by_role("button", name=label)


def edits(world, task):
    with world.desk("mia", f"#/tasks/{task}") as desk:
        page = desk.page
        page.get_by_role("heading", name="Write the plan").wait_for()
        desk.looks("task")
        fact(page, "Status: Todo").focus()
        page.keyboard.press("Enter")
        page.get_by_label("Status").select_option("In review")
        fact(page, "Status: In review").wait_for()
        fact(page, "Assignee: Mia Tanaka").click()
        page.get_by_label("Assignee").select_option("None")
        fact(page, "Assignee: None").click()
        page.get_by_label("Assignee").select_option(index=1)
        fact(page, "Assignee").wait_for()
        fact(page, "Assignee: None").wait_for(state="detached")
        fact(page, "Due").click()
        page.get_by_label("Due").fill("2030-01-31")
        page.keyboard.press("Enter")
        fact(page, "Due: 31 Jan 2030").wait_for()
        fact(page, "Phase: Prepare").click()
        page.get_by_label("Phase").select_option("None")
        fact(page, "Phase: None").wait_for()
        fact(page, "Tags").click()
        page.get_by_label("billing").check()
        page.get_by_role("button", name="Close").click()
        fact(page, "Tags: billing").wait_for()
        page.get_by_role("button", name="Edit title").press("Enter")
        page.get_by_label("Title").fill("Write the whole plan")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Write the whole plan").wait_for()
        page.get_by_role("button", name="Add a description").click()
        page.get_by_label("Description").fill("<img src=x onerror=alert(1)>\n\nIn two parts.")
        page.keyboard.press("Control+Enter")
        page.get_by_text("<img src=x onerror=alert(1)>").wait_for()
        page.get_by_text("History").click()
        page.get_by_text("changed status from Todo to In review").wait_for()
        # Ids have their names, and texts both versions.
        page.get_by_text("changed assignee from “Mia Tanaka” to none").wait_for()
        page.get_by_text("changed phase from “Prepare” to none").wait_for()
        page.get_by_text("changed tags: added “billing”").wait_for()
        page.get_by_text("Show both texts").click()
        page.locator(".versions").get_by_text("(empty)").wait_for()
        page.locator(".versions").get_by_text("In two parts.").wait_for()
        desk.looks("task-edited")
        known = world.api("mia").call("GET", f"/api/tasks/{task}")
        assert (known["status"], known["title"]) == ("in_review", "Write the whole plan"), known
        assert known["dueDate"].startswith("2030-01-31") and known["phaseId"] is None, known
    with world.desk("vic", f"#/tasks/{task}") as desk:
        page = desk.page
        page.get_by_text("Managers and admins may do this.", exact=True).wait_for()
        page.get_by_text("Members and above may do this.").first.wait_for()
        assert page.get_by_role("complementary").get_by_role("button").count() == 0


def talks(world, task):
    """A comment with a mention, a reply from another browser, an edit, and a deletion."""
    with world.desk("mia", f"#/tasks/{task}") as desk, world.desk("sue", f"#/tasks/{task}", width=390) as other:
        page = desk.page
        text = page.get_by_label("Comment", exact=True)
        text.click()
        page.keyboard.type("Could @su")
        page.get_by_role("option").first.wait_for()
        page.keyboard.press("Enter")
        page.keyboard.type("read this?")
        page.keyboard.press("Control+Enter")
        page.get_by_text("Could @sue read this?").wait_for()
        assert text.input_value() == ""
        other.sees(other.page.get_by_text("Could @sue read this?"))
        other.page.get_by_role("button", name="Reply to Mia Tanaka").click()
        other.page.get_by_label("Reply to Mia Tanaka").fill("It is clear.")
        other.page.get_by_role("button", name="Reply", exact=True).click()
        desk.sees(page.get_by_text("It is clear."))
        fact(other.page, "Priority").click()
        other.page.get_by_label("Priority").select_option("High")
        desk.sees(fact(page, "Priority: High"))
        desk.looks("task-thread")
        page.get_by_role("button", name="Edit your comment").click()
        page.get_by_role("textbox", name="Comment").first.fill("Could @sue read it?")
        page.get_by_role("button", name="Save").click()
        other.sees(other.page.get_by_text("Could @sue read it?"))
        # A deleted comment can be taken back, too. The focus does not fall out of the page.
        page.get_by_role("button", name="Delete your comment").click()
        page.get_by_text("Could @sue read it?").wait_for(state="detached")
        assert page.evaluate("document.activeElement.tagName") != "BODY"
        page.get_by_role("button", name="Undo").click()
        page.get_by_text("Could @sue read it?").wait_for()
        page.get_by_role("button", name="Delete your comment").click()
        other.sees(other.page.get_by_text("This comment was deleted."))
        page.get_by_text("This comment was deleted.").wait_for()


def loses_nothing(world, task):
    """In the middle of a comment: refusals, lost connections, an ended session, a reload, a closed laptop."""
    refused = (401, 429, 503, 500, "ERR_CONNECTION_RESET", "ERR_INTERNET_DISCONNECTED")
    with world.desk("mia", f"#/tasks/{task}", refused=refused) as desk:
        page, path = desk.page, rf"/api/tasks/{task}/comments"
        text = page.get_by_label("Comment", exact=True)
        send = page.get_by_role("button", name="Comment", exact=True)
        # These pass without the user.
        for failure in (429, 503, None):
            text.fill(f"Beside {failure}")
            left = desk.fails("POST", path, failure)
            send.click()
            page.locator(".thread").get_by_text(f"Beside {failure}", exact=True).wait_for()
            assert not left and text.input_value() == "", failure
        # The comment is there once, though its first answer was lost.
        text.fill("Only once")
        desk.is_answered_too_late("POST", path)
        send.click()
        page.wait_for_function("() => document.querySelector('.threaded > form textarea').value === ''")
        rows = world.api("mia").call("GET", path)
        assert [row["content"] for row in rows].count("Only once") == 1, rows
        # A failure that stays: the text stays, too, over a reload.
        text.fill("A long thought")
        desk.fails("POST", path, 500)
        send.click()
        page.get_by_role("alert").get_by_text("A test failed this request.").wait_for()
        assert text.input_value() == "A long thought"
        page.get_by_role("button", name="Try again").click()
        page.locator(".thread").get_by_text("A long thought").wait_for()
        text.fill("Half a sentence")
        page.reload()
        desk.settled()
        assert text.input_value() == "Half a sentence"
        # The session ends: the sign-in opens over the page, and the comment is sent after it.
        desk.ends_before("/comments$")
        send.click()
        page.get_by_text("Your session has ended.").wait_for()
        assert text.input_value() == "Half a sentence"
        desk.looks("sign-in-again")
        desk.signs_in()
        page.locator(".thread").get_by_text("Half a sentence").wait_for()
        # Offline, and back: what happened meanwhile appears.
        desk.page.context.set_offline(True)
        text.fill("From a train")
        send.click()
        world.api("sue").call("POST", path, {"content": "While you were away"})
        page.context.set_offline(False)
        page.locator(".thread").get_by_text("From a train").wait_for()
        desk.sees(page.locator(".thread").get_by_text("While you were away"))
        # Frozen timers, as of a closed laptop.
        page.clock.install()
        text.fill("Before the lid")
        world.api("sue").call("POST", path, {"content": "After the lid"})
        page.clock.resume()
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        page.locator(".thread").get_by_text("After the lid").wait_for()
        assert text.input_value() == "Before the lid"


def shows_both_versions(world, task):
    with world.desk("mia", f"#/tasks/{task}", refused=(412,)) as desk:
        page = desk.page
        page.get_by_role("button", name="Edit description").click()
        text = page.get_by_label("Description")
        text.fill("Mine, in three parts.")
        world.api("sue").call("PATCH", f"/api/tasks/{task}", {"description": "Sue's, in one part."})
        page.get_by_role("button", name="Save").click()
        alert = page.get_by_role("alert")
        alert.get_by_text("Sue's, in one part.").wait_for()
        alert.get_by_text("Mine, in three parts.").wait_for()
        desk.looks("task-conflict")
        page.get_by_role("button", name="Save yours").click()
        alert.wait_for(state="detached")
        page.locator(".described").get_by_text("Mine, in three parts.").wait_for()
        known = world.api("mia").call("GET", f"/api/tasks/{task}")
        assert known["description"] == "Mine, in three parts.", known
        # A draft belongs to the version that was edited first, also after a reload.
        page.get_by_role("button", name="Edit description").click()
        text.fill("Mine, in four parts.")
        world.api("sue").call("PATCH", f"/api/tasks/{task}", {"description": "Sue's again."})
        page.reload()
        desk.settled()
        assert text.input_value() == "Mine, in four parts."
        page.get_by_role("button", name="Save").click()
        alert.get_by_text("Sue's again.").wait_for()
        page.get_by_role("button", name="Take theirs").click()
        page.locator(".described").get_by_text("Sue's again.").wait_for()
        # A field, changed just before the choice.
        fact(page, "Status").click()
        page.get_by_label("Status").wait_for()
        world.api("sue").call("PATCH", f"/api/tasks/{task}", {"status": "blocked"})
        page.get_by_label("Status").select_option("Done")
        alert.get_by_text("Blocked").wait_for()
        page.get_by_role("button", name="Save yours").click()
        fact(page, "Status: Done").wait_for()


def deletes(world, project):
    kept, gone = project["tasks"][1:]
    api = world.api("max")
    with world.desk("max", f"#/tasks/{kept}") as desk:
        page = desk.page
        page.get_by_role("button", name="Delete", exact=True).press("Enter")
        page.get_by_text("Deleted Ask the customers.").first.wait_for()
        page.get_by_text("2 tasks").wait_for()
        page.get_by_role("button", name="Undo").press("Enter")
        page.get_by_text("3 tasks").wait_for()
        page.get_by_role("link", name="Choose the pilot").click()
        page.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_text("Deleted Choose the pilot.").first.wait_for()
        assert api.call("GET", f"/api/tasks/{gone}")["id"] == gone
        # A notice under the pointer stays.
        page.locator(".notice").hover()
        assert not world.axe(page)
        with page.expect_response(lambda one: one.request.method == "DELETE") as answer:
            page.mouse.move(400, 400)
        assert answer.value.status == 204
        api.call("GET", f"/api/tasks/{gone}", expect=404)
        # A page that is left sends it, too.
        page.get_by_role("link", name="Ask the customers").click()
        page.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_role("button", name="Undo").wait_for()
        page.goto("about:blank")
        for _ in range(50):
            if api.send("GET", f"/api/tasks/{kept}").status == 404:
                break
            page.wait_for_timeout(100)
        api.call("GET", f"/api/tasks/{kept}", expect=404)


def tells_of_others_while_one_writes(world, task):
    """The feed tells a writer that another one changed the same text, before it is saved."""
    api = world.api("max")
    with world.desk("mia", f"#/tasks/{task}", refused=(412,)) as desk:
        page = desk.page
        page.get_by_role("button", name="Edit description").click()
        text = page.get_by_label("Description")
        text.fill("Mine, again.")
        api.call("PATCH", f"/api/tasks/{task}", {"priority": "low"})
        desk.sees(fact(page, "Priority: Low"))
        assert page.get_by_text("changed this just now").count() == 0
        api.call("PATCH", f"/api/tasks/{task}", {"description": "That of Max."})
        news = page.locator(".described .unsaved").filter(has_text="Max Okafor changed this just now.")
        desk.sees(news)
        assert text.input_value() == "Mine, again."
        news.get_by_role("button", name="Show").click()
        page.locator(".described .versions").get_by_text("That of Max.").wait_for()
        desk.looks("task-news")
        page.get_by_role("button", name="Take theirs").click()
        text.wait_for(state="detached")
        page.locator(".described").get_by_text("That of Max.").wait_for()
        # A list that is open, too.
        fact(page, "Status").click()
        api.call("PATCH", f"/api/tasks/{task}", {"status": "blocked"})
        desk.sees(page.get_by_label("Fields").get_by_text("Max Okafor changed this just now.", exact=False))
        page.get_by_role("button", name="Show").click()
        page.get_by_role("button", name="Take theirs").click()
        fact(page, "Status: Blocked").wait_for()


def previews(world, task):
    """What a text becomes stands beside it, if that is wanted. One space follows a completed name."""
    with world.desk("mia", f"#/tasks/{task}") as desk:
        page = desk.page
        text = page.get_by_label("Comment", exact=True)
        text.fill("It is **done**.")
        page.get_by_role("button", name="Preview").click()
        page.locator(".preview strong", has_text="done").wait_for()
        text.fill("- one\n- <b>two</b>")
        page.locator(".preview li", has_text="<b>two</b>").wait_for()
        desk.looks("task-preview")
        text.fill("")
        page.keyboard.type("@su")
        page.get_by_role("option").first.wait_for()
        page.keyboard.press("Enter")
        page.keyboard.type(" and you")
        assert text.input_value() == "@sue and you", text.input_value()
        page.get_by_role("button", name="Preview").click()
        page.locator(".preview > *").wait_for(state="detached")
        text.fill("")


def leads_to_the_newest(world, project):
    """A thread that is too long to see its end leads there."""
    task = project["tasks"][1]
    for number in range(12):
        world.api("sue").call("POST", f"/api/tasks/{task}/comments", {"content": f"Comment {number}\n\n" + "- line\n" * 9})
    with world.desk("mia", f"#/tasks/{task}") as desk:
        page = desk.page
        page.get_by_role("button", name="Newest").click()
        page.wait_for_function("() => document.activeElement.textContent.includes('Comment 11')")
        assert page.get_by_role("listitem").filter(has_text="Comment 11").first.evaluate(
            "one => { const { top, bottom } = one.getBoundingClientRect(); return bottom > 0 && top < innerHeight; }")
