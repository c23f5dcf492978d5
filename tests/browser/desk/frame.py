"""Sign-in, navigation, a session that ends, a closed laptop, and changes while a view opens"""

import contextlib
import re


def check(world):
    signs_in_by_keyboard(world)
    navigates(world)
    becomes_another_user(world)
    sleeps_in_the_middle_of_a_comment(world)
    opens_while_others_work(world)
    follows_links(world)


def signs_in_by_keyboard(world):
    with world.desk() as desk:
        page = desk.page
        page.get_by_role("dialog", name="Sign in").wait_for()
        desk.looks("sign-in")
        page.keyboard.type("mia")
        page.keyboard.press("Tab")
        page.keyboard.type("wrong password")
        page.keyboard.press("Enter")
        page.get_by_role("alert").wait_for()
        assert page.get_by_label("User name").input_value() == "mia"
        page.get_by_label("Password").fill("workdesk")
        page.keyboard.press("Enter")
        page.get_by_text("Mia Tanaka").first.wait_for()
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("dialog", name="Sign in").wait_for()


def navigates(world):
    with world.desk("mia", "#/nowhere", width=390) as desk:
        page = desk.page
        page.get_by_role("heading", name="There is no such page").wait_for()
        page.get_by_role("link", name="Go to Home").click()
        page.wait_for_function("() => document.activeElement.textContent === 'Home'")
        assert page.title() == "Home – Workdesk", page.title()
        assert page.locator("[aria-current=page]").inner_text().startswith("Home")


def becomes_another_user(world):
    """What waits for the sign-in is not sent as another user, who does not see the draft either."""
    task = world.api("mia").call("GET", "/api/tasks?limit=1")[0]["id"]
    with world.desk("mia", f"#/tasks/{task}", refused=(401,)) as desk:
        page = desk.page
        text = page.get_by_label("Comment", exact=True)
        text.fill("Words of Mia")
        desk.ends()
        page.get_by_role("button", name="Comment", exact=True).click()
        with page.expect_navigation():
            desk.signs_in("sue")
        page.get_by_text("Sue Marchetti").first.wait_for()
        desk.settled()
        assert text.input_value() == ""
        comments = world.api("sue").call("GET", f"/api/tasks/{task}/comments")
        assert "Words of Mia" not in [one["content"] for one in comments], comments


def sleeps_in_the_middle_of_a_comment(world):
    """A closed laptop: the text stays over the end of the session, and a comment on its way is written once."""
    task = world.api("mia").call("GET", "/api/tasks?limit=1")[0]["id"]
    words, others = f"Before the train {world.mark}", f"On the train {world.mark}"
    with world.desk("mia", f"#/tasks/{task}", refused=(401, "ERR_CONNECTION_RESET", "ERR_FAILED")) as desk:
        page = desk.page
        text = page.get_by_label("Comment", exact=True)
        text.fill(words)
        with desk.asleep():
            world.api("sue").call("POST", f"/api/tasks/{task}/comments", {"content": others})
            desk.ends()
        desk.signs_in()
        page.get_by_text(others).wait_for()
        assert text.input_value() == words
        with contextlib.ExitStack() as asleep:
            desk.is_answered_too_late("POST", "/comments$", lambda: asleep.enter_context(desk.asleep()))
            with page.expect_event("requestfailed"):
                page.get_by_role("button", name="Comment", exact=True).click(no_wait_after=True)
        page.locator(".thread").get_by_text(words).wait_for()
        # The feed may have shown the comment before the repeated request was answered.
        page.wait_for_function("document.querySelector('.threaded > form textarea').value === ''")
    comments = world.api("mia").call("GET", f"/api/tasks/{task}/comments")
    assert [one["content"] for one in comments].count(words) == 1, comments


def opens_while_others_work(world):
    """A view misses no change between its first read and its end, nor does a list that is read anew."""
    mia, sue = world.api("mia"), world.api("sue")
    title, other, mine = (f"{word} {world.mark}" for word in ("Late", "Later", "For Max"))
    project = world.api("max").call("POST", "/api/projects", {"title": title})["id"]
    ticket = mia.call("POST", "/api/managed-services/tickets", {"title": title})["id"]
    task = mia.call("POST", "/api/tasks", {"title": title, "projectId": project})["id"]
    alert = sue.call("GET", "/api/concierge/alerts?status=open&limit=1")[0]["id"]

    def changes(kind, method, path, body):
        """A change by Sue. It returns type and id of the record, which the path or the answer has."""

        def change():
            answer = sue.call(method, path, body)
            return kind, int(re.search(r"\d*$", path)[0] or answer["id"])

        return change

    views = {
        f"#/tickets/{ticket}": ("managed-services/ticket/", other,
            changes("ticket", "PATCH", f"/api/managed-services/ticket/{ticket}", {"title": other})),
        f"#/projects/{project}": ("projects/.*/tasks", other,
            changes("task", "POST", "/api/tasks", {"title": other, "projectId": project})),
        f"#/tasks/{task}": ("/comments", other,
            changes("comment", "POST", f"/api/tasks/{task}/comments", {"content": other})),
        "#/requests": ("service-requests", "Show 1 new request",
            changes("service_request", "POST", "/api/managed-services/request", {"title": other})),
        "#/": (r"tasks\?", mine, changes("task", "POST", "/api/tasks",
            {"title": mine, "projectId": project, "assigneeId": 2, "dueDate": "2020-01-31T12:00:00Z"})),
        f"#/alerts/{alert}": ("concierge/alerts/", "Acknowledged",
            changes("alert", "PATCH", f"/api/concierge/alerts/{alert}", {"status": "acknowledged"})),
    }
    with world.desk("max", "#/settings") as desk:
        for address, (path, text, change) in views.items():
            with desk.reads_late(f"/api/.*{path}", change):
                desk.page.goto(world.base + address)
            desk.page.get_by_text(text).first.wait_for()
        desk.open("#/tickets")
        created = changes("ticket", "POST", "/api/managed-services/tickets", {"title": other, "priority": "urgent"})
        with desk.reads_late("/api/managed-services/tickets", created):
            desk.page.get_by_label("Priority").select_option("urgent")
        desk.page.get_by_role("button", name="Show 1 new ticket").wait_for()
    sue.call("PATCH", f"/api/concierge/alerts/{alert}", {"status": "open"})


def follows_links(world):
    """A dead link says so and leads on; a fault of the provider is said where one signs in."""
    with world.desk(address="#/reset?token=" + "x" * 43, refused=(403,)) as desk:
        page = desk.page
        page.get_by_label("New password", exact=True).fill("four words of mine")
        page.get_by_role("button", name="Set the password").click()
        page.get_by_role("alert").wait_for()
        assert page.get_by_label("New password", exact=True).input_value() == "four words of mine"
        desk.looks("reset")
        page.get_by_role("button", name="Cancel").click()
        page.get_by_role("dialog", name="Sign in").wait_for()
        page.get_by_role("button", name="Forgot it").click()
        page.get_by_label("User name or e-mail").fill("mia")
        page.keyboard.press("Enter")
        page.get_by_text("A mail is under way").wait_for()
    with world.desk(address="#/accept?token=" + "x" * 43, refused=(403,)) as desk:
        page = desk.page
        for label, text in (("User name", "noor"), ("Full name", "Noor Haddad"), ("Password", "four words of mine")):
            page.get_by_label(label, exact=True).fill(text)
        page.keyboard.press("Enter")
        page.get_by_role("alert").wait_for()
    with world.desk(address="#sign-in=sign_in_not_allowed") as desk:
        desk.page.get_by_text("No user may sign in so. Ask an admin.").wait_for()
        desk.signs_in("mia")
        desk.page.get_by_role("heading", name="Home").wait_for()
