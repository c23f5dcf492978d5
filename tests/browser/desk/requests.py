"""Requests: raised, discussed, changed, deleted"""

import re


def check(world):
    raises(world)
    discusses(world)
    changes(world)
    lists(world)


def request(world, title, **fields):
    return world.api("mia").call("POST", "/api/managed-services/request", {"title": title, **fields})["id"]


def raises(world):
    with world.desk("mia", "#/requests", width=390) as desk:
        page = desk.page
        page.get_by_role("button", name="Raise a request").click()
        dialog = page.get_by_role("dialog", name="Raise a request")
        dialog.get_by_label("Title").fill("A report of each month")
        dialog.get_by_label("Category").fill("reports")
        dialog.get_by_label("About").select_option(label="Billing migration")
        desk.looks("raise")
        dialog.get_by_role("button", name="Raise a request").click()
        page.get_by_role("heading", name="A report of each month").wait_for()
        page.get_by_text("reports", exact=True).wait_for()
        page.get_by_role("link", name="Project 1").or_(page.get_by_role("link", name="Billing migration")).wait_for()
        page.get_by_text("Support and above may change a request.").wait_for()


def discusses(world):
    """Comments and replies appear elsewhere; each may edit and delete one's own."""
    number = request(world, "Longer opening hours")
    address = f"#/requests/{number}"
    with world.desk("mia", address) as one, world.desk("sue", address) as other:
        one.page.get_by_label("Comment").fill("Until eight, @sue?")
        one.page.get_by_label("Comment").press("Control+Enter")
        row = other.page.get_by_role("listitem").filter(has_text="Until eight")
        other.sees(row)
        row.get_by_role("button", name="Reply to Mia Tanaka").click()
        other.page.keyboard.type("From March on.")
        other.page.keyboard.press("Control+Enter")
        one.sees(one.page.get_by_text("From March on."))
        one.page.get_by_role("button", name="Edit your comment").click()
        one.page.get_by_role("listitem").get_by_label("Comment").fill("Until nine?")
        one.page.get_by_role("button", name="Save").click()
        other.sees(other.page.get_by_text("Until nine?"))
        other.looks("request")
        one.page.get_by_role("button", name="Delete your comment").click()
        other.sees(other.page.get_by_text("This comment was deleted."))


def changes(world):
    """Status, category and description are edited in place; a conflict shows both descriptions."""
    number = request(world, "Another currency", description="Francs, too.")
    path = f"/api/service-requests/{number}"
    with world.desk("sue", f"#/requests/{number}", width=390, refused={412}) as desk:
        page = desk.page
        page.get_by_role("button", name="Status: Open").focus()
        page.keyboard.press("Enter")
        page.get_by_label("Status", exact=True).select_option("pending")
        page.get_by_role("button", name="Status: Pending").wait_for()
        page.get_by_role("button", name="Category: ").click()
        page.keyboard.type("billing")
        page.keyboard.press("Enter")
        page.get_by_text("billing", exact=True).wait_for()
        page.get_by_role("button", name="Edit description").click()
        page.get_by_label("Description").last.fill("Francs and crowns.")
        page.reload()
        desk.settled()
        assert page.get_by_label("Description").last.input_value() == "Francs and crowns."
        world.api("max").call("PATCH", path, {"description": "Francs, from May on."})
        page.get_by_role("button", name="Save").click()
        conflict = page.get_by_role("alert")
        conflict.get_by_text("Francs, from May on.").wait_for()
        conflict.get_by_role("button", name="Save yours").click()
        page.get_by_text("Francs and crowns.").wait_for()
        assert page.get_by_role("button", name="Delete").get_attribute("aria-disabled") == "true"
    with world.desk("max", f"#/requests/{number}") as manager, world.desk("mia", f"#/requests/{number}") as author:
        manager.page.get_by_role("button", name="Delete").click()
        manager.page.wait_for_url("**#/requests")
        manager.page.get_by_role("button", name="Undo").wait_for()
        # A page that is left sends it before the five seconds are over.
        manager.page.goto("about:blank")
        author.sees(author.page.get_by_text("This request was deleted."))


def lists(world):
    category = f"rare {world.mark}"
    number = request(world, "Filtered by category", category=category)
    with world.desk("sue", "#/requests") as desk:
        page = desk.page
        page.get_by_role("textbox", name="Category").fill(category)
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("category=rare"))
        row = page.locator(".columns > li")
        row.filter(has_text=f"#{number}").wait_for()
        page.locator(".columns > li:only-child").wait_for()
        world.api("sue").call("PATCH", f"/api/service-requests/{number}", {"priority": "urgent"})
        desk.sees(row.get_by_text("Urgent"))
    with world.desk("mia", "#/requests?creatorId=me") as desk:
        desk.looks("requests")
