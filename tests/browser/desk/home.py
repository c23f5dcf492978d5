"""Home: what waits, metrics and open work; notifications are read"""


import re


def shows_what_comes(world):
    """Each part is shown as it comes, and one that fails takes no other."""
    with world.desk("sue", "#/settings", refused={500}) as desk:
        page, held = desk.page, []
        page.route(re.compile(r"/api/tasks\?"), lambda route: held.append(route), times=1)
        desk.fails("GET", "/dashboard", 500)
        page.get_by_role("link", name="Home").click()
        page.get_by_role("alert").get_by_text("A test failed this request.").wait_for()
        page.get_by_role("heading", name="Decisions").wait_for()
        page.locator(".home .comes:visible").first.wait_for()
        desk.until(lambda: held, "the question for tasks")
        held.pop().continue_()
        page.locator(".home .comes").first.wait_for(state="detached")
        page.get_by_role("button", name="Try again").click()
        page.get_by_role("heading", name="Open work").wait_for()


def check(world):
    sue, max_ = world.api("sue"), world.api("max")
    project = max_.call("POST", "/api/projects", {"title": "Home of tests"})["id"]
    due = "2030-01-31T12:00:00Z"
    task = {"title": "Answer the auditors", "projectId": project, "assigneeId": 3, "dueDate": due}
    shows_what_comes(world)
    with world.desk("sue", width=390) as desk:
        page = desk.page
        page.get_by_role("heading", name="Open work").wait_for()
        desk.looks("home")
        created = max_.call("POST", "/api/tasks", task)
        row = page.get_by_role("list").get_by_role("link", name="Answer the auditors").first
        row.wait_for()
        # The notification, by the inbox, and the count of the navigation.
        read = page.get_by_role("button", name="Mark as read: Answer the auditors")
        read.wait_for()
        unread = sue.call("GET", "/api/notifications/count")["unread"]
        page.get_by_role("link", name=f"Home {unread} unread").wait_for()
        read.focus()
        page.keyboard.press("Enter")
        read.wait_for(state="detached")
        assert sue.call("GET", "/api/notifications/count")["unread"] == unread - 1
        row.click()
        page.get_by_role("heading", name="Answer the auditors").wait_for()
    max_.call("DELETE", f"/api/tasks/{created['id']}", expect=204)
    max_.call("PATCH", f"/api/projects/{project}", {"status": "archived"})
