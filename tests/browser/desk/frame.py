"""Sign-in, navigation, a session that ends, a closed laptop, changes while a view opens, links of mails"""

import contextlib
import re


def check(world):
    signs_in_by_keyboard(world)
    names_the_company(world)
    says_that_no_cookie_is_kept(world)
    has_a_bar_of_five(world)
    has_marks(world)
    takes_new_rights(world)
    says_that_it_waits(world)
    navigates(world)
    becomes_another_user(world)
    sleeps_in_the_middle_of_a_comment(world)
    signs_in_again(world)
    signs_in_once(world)
    opens_while_others_work(world)
    follows_links(world)
    signs_in_without_a_password(world)
    finds_the_provider_without_a_lookup(world)
    asks_before_it_becomes_another_user(world)
    signs_in_anew_in_another_tab(world)


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
        page.wait_for_function("() => document.activeElement.textContent === 'Home'")
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("dialog", name="Sign in").wait_for()


def names_the_company(world):
    """The sign-in of an organization's address has the name that a user of this browser saw."""
    name = world.api("mia").call("GET", "/api/auth/session")["organization"]["name"]
    with world.desk(address="#/sign-in/1") as desk:
        page = desk.page
        page.get_by_role("dialog", name="Sign in").get_by_text("Organization 1").wait_for()
        desk.signs_in("mia")
        desk.settled()
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("dialog", name="Sign in").wait_for()
        page.goto("about:blank")
        page.goto(f"{world.base}#/sign-in/1")
        page.get_by_role("dialog", name="Sign in").get_by_text(name).wait_for()


def says_that_no_cookie_is_kept(world):
    with world.desk() as desk:
        page = desk.page
        done = {"id": 4, "username": "mia", "fullName": "Mia Tanaka"}
        page.route("**/api/auth/login", lambda route: route.fulfill(json=done))
        page.get_by_label("User name").fill("mia")
        page.get_by_label("Password").fill("workdesk")
        page.keyboard.press("Enter")
        page.get_by_text("this browser kept no cookie").wait_for()


def has_a_bar_of_five(world):
    """On a phone: five targets at the bottom; the other views and the user behind the last of them."""
    with world.desk("mia", "#/tickets", width=390) as desk:
        page = desk.page
        targets = page.locator("#navigation li > *:visible")
        boxes = [one.bounding_box() for one in targets.all()]
        assert len(boxes) == 5, boxes
        assert all(one["height"] >= 44 and one["width"] >= 44 and one["y"] > 700 for one in boxes), boxes
        more = page.get_by_role("button", name="Menu")
        assert not page.get_by_role("link", name="Settings").is_visible()
        more.press("Enter")
        page.get_by_role("button", name="Sign out").wait_for()
        assert more.get_attribute("aria-expanded") == "true"
        desk.looks("navigation-open")
        page.get_by_role("link", name="Settings").focus()
        page.keyboard.press("Escape")
        assert more.evaluate("it => it === document.activeElement")
        assert not page.get_by_role("link", name="Settings").is_visible()
        more.click()
        page.get_by_role("link", name="Settings").click()
        page.get_by_role("heading", name="Profile").wait_for()
        assert not page.get_by_role("link", name="Search").is_visible()


SIZES = """() => [...new Set([...document.querySelectorAll("body *")]
    .filter(one => one.checkVisibility() && [...one.childNodes].some(({nodeType, nodeValue}) =>
        nodeType === Node.TEXT_NODE && nodeValue.trim()))
    .map(one => getComputedStyle(one).fontSize))]"""


def has_marks(world):
    """Faces have initials that are no text; each view has three sizes of type and one of headings."""
    with world.desk("mia", "#/tickets") as desk:
        page = desk.page
        face = page.locator("main .face").first
        face.wait_for()
        assert face.get_attribute("data-initials") == "SM" and face.inner_text() == "", face
        assert re.search(r"\bhue-\d\b", face.get_attribute("class"))
        for address in ("#/", "#/tickets", "#/tickets/1", "#/projects/1", "#/tasks/3", "#/search?q=invoice",
                "#/settings/users"):
            desk.open(address)
            sizes = set(page.evaluate(SIZES))
            assert sizes <= {"12px", "14px", "18px", "22px"}, (address, sizes)
        # Where the system sets the colours, the shapes of states keep their own.
        page.emulate_media(forced_colors="active")
        desk.open("#/tickets")
        adjust = page.locator("main .state").first.evaluate("it => getComputedStyle(it, '::before').forcedColorAdjust")
        assert adjust == "none", adjust


def takes_new_rights(world):
    """A user whose role changes: the open view shows what the user may do now."""
    number = next(one["id"] for one in world.api("ada").call("GET", "/api/users") if one["username"] == "mia")
    with world.desk("mia", "#/projects/1", refused={403, 404}) as desk:
        page = desk.page
        page.locator(".card[draggable=true]").first.wait_for()
        world.api("ada").call("PATCH", f"/api/users/{number}", {"role": "viewer"})
        try:
            desk.sees(page.get_by_text("Your rights have changed."))
            page.locator(".card").first.wait_for()
            assert page.locator(".card[draggable=true]").count() == 0
        finally:
            world.api("ada").call("PATCH", f"/api/users/{number}", {"role": "member"})
    world.forget("mia")


def says_that_it_waits(world):
    """A server that does not answer, though the browser is online: in words, until it answers."""
    with world.desk("max", "#/tickets", refused={"ERR_CONNECTION_RESET"}) as desk:
        page = desk.page
        words = page.get_by_text("No answer yet. What you type is kept. Trying again.")
        desk.fails("GET", "/api/service-requests", None, None, None, None)
        page.get_by_role("link", name="Requests").click()
        words.wait_for()
        page.get_by_role("link", name="Test invoices for Kestrel Air").wait_for()
        words.wait_for(state="hidden")


def navigates(world):
    with world.desk("mia", "#/nowhere", width=390) as desk:
        page = desk.page
        page.get_by_role("heading", name="There is no such page").wait_for()
        page.get_by_role("link", name="Go to Home").click()
        page.wait_for_function("() => document.activeElement.textContent === 'Home'")
        # The number of unread notifications may stand before it.
        assert page.title().endswith("Home – Workdesk"), page.title()
        assert page.locator("[aria-current=page]").inner_text().startswith("Home")


def becomes_another_user(world):
    """What waits for the sign-in is not sent as another user, who does not see the draft either."""
    task = world.api("mia").call("GET", "/api/tasks?limit=1")[0]["id"]
    with world.desk("mia", f"#/tasks/{task}", refused=(401,)) as desk:
        page = desk.page
        text = page.get_by_label("Comment", exact=True)
        text.fill("Words of Mia")
        desk.ends_before("/comments$")
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
        desk.until(lambda: text.input_value() == "", "an empty field")
    comments = world.api("mia").call("GET", f"/api/tasks/{task}/comments")
    assert [one["content"] for one in comments].count(words) == 1, comments


def signs_in_again(world):
    """Where a fresh sign-in is asked for, it may be put off; the same request is sent after it."""
    task = world.api("mia").call("GET", "/api/tasks?limit=1")[0]["id"]
    words = f"Signed in anew {world.mark}"
    with world.desk("mia", f"#/tasks/{task}", refused=(403,)) as desk:
        page = desk.page
        desk.fails("POST", "/comments$", 403, 403)
        page.get_by_label("Comment", exact=True).fill(words)
        page.get_by_role("button", name="Comment", exact=True).click()
        page.get_by_role("dialog", name="Sign in").get_by_text("A test failed this request.").wait_for()
        page.keyboard.press("Escape")
        page.get_by_role("alert").get_by_text("A test failed this request.").wait_for()
        assert page.get_by_label("Comment", exact=True).input_value() == words
        page.get_by_role("button", name="Comment", exact=True).click()
        desk.signs_in()
        page.locator(".thread").get_by_text(words).wait_for()


def signs_in_once(world):
    """A refusal that comes after the sign-in, of what was sent before it, asks for no other one."""
    with world.desk("mia", "#/projects", refused=(401,)) as desk:
        page, late = desk.page, []
        page.route("**/api/changes**", lambda route: late.append((route, route.fetch())), times=1)
        desk.ends_before("/api/changes")
        desk.until(lambda: desk.looks_up() or late, "the feed's request")
        page.get_by_role("link", name="Tickets").click()
        desk.signs_in()
        [(route, answer)] = late
        assert answer.status == 401
        with page.expect_response(lambda one: "/api/changes" in one.url and one.ok):
            route.fulfill(response=answer)
        assert page.get_by_role("dialog").count() == 0


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
    """An invited person makes an account, and sets a new password after a mail; each link is followed once."""
    address, name = f"lin.{world.mark}@example.com", f"lin{world.mark}"
    world.api("ada").call("POST", "/api/invitations", {"email": address, "role": "support", "fullName": "Lin Sato"})
    words = "words of nobody else"
    with world.desk(address=world.link("accept", address), refused={400, 403}) as desk:
        page = desk.page
        for label, text in (("User name", "mia"), ("Full name", "Lin Sato"), ("Password", "password1234")):
            page.get_by_label(label, exact=True).fill(text)
        page.keyboard.press("Enter")
        page.locator(".fault:not(:empty)").wait_for()
        desk.looks("accept")
        page.get_by_label("User name").fill(name)
        page.get_by_label("Password").fill("twelve words or less")
        page.keyboard.press("Enter")
        desk.settled()
        page.get_by_text("Lin Sato").first.wait_for()
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("button", name="Forgot it").click()
        page.get_by_label("User name or e-mail").fill(name)
        page.keyboard.press("Enter")
        page.get_by_text("A mail is under way").wait_for()
        link = world.link("reset", address)
        page.goto(world.base + link)
        page.get_by_label("New password", exact=True).fill(words)
        page.get_by_role("button", name="Set the password").click()
        page.get_by_text("Your password is set. Sign in with it.").wait_for()
        page.get_by_label("User name").fill(name)
        page.get_by_label("Password").fill(words)
        page.keyboard.press("Enter")
        desk.settled()
        page.goto(world.base + link)
        page.get_by_label("New password", exact=True).fill(words)
        page.keyboard.press("Enter")
        page.get_by_role("alert").wait_for()
        assert page.get_by_label("New password", exact=True).input_value() == words
        desk.looks("reset")
        page.get_by_role("button", name="Cancel").click()
        desk.settled()
    with world.desk(address="#sign-in=sign_in_not_allowed") as desk:
        desk.page.get_by_text("No user may sign in so. Ask an admin.").wait_for()
        desk.signs_in("mia")
        desk.page.get_by_role("heading", name="Home").wait_for()


def signs_in_without_a_password(world):
    """Where the organization has none: the page asks for no password, and leads back to where one was."""
    ways = {"provider": "/api/auth/oidc?organization=1", "passwords": False}
    with world.desk(address="#/tickets", width=390) as desk:
        page = desk.page
        page.route("**/api/auth/sign-in?**", lambda route: route.fulfill(json=ways))
        page.route("**/api/auth/oidc?**", lambda route: route.fulfill(body="the provider"))
        page.get_by_label("User name").fill("mia")
        page.keyboard.press("Tab")
        page.get_by_role("button", name="Sign in by your company's provider").wait_for()
        assert not page.get_by_label("Password").is_visible()
        desk.looks("sign-in-provider")
        page.get_by_role("button", name="Sign in by your company's provider").press("Enter")
        page.wait_for_url("**/api/auth/oidc?organization=1&return=%2F%23%2Ftickets")


PROVIDER = "Sign in by your company's provider"
LIMITED = {"code": "too_many_attempts", "status": 429, "detail": "Too many failed attempts. Try again in 9 minutes."}


def finds_the_provider_without_a_lookup(world):
    """The address of an organization leads to its provider, and the browser remembers it. A limit is told."""
    with world.desk(address="#/sign-in/7", refused={404, 429}) as desk:
        page, asked = desk.page, []
        page.on("request", lambda request: "/api/auth/sign-in?" in request.url and asked.append(request.url))
        page.get_by_role("button", name=PROVIDER).wait_for()
        assert asked == [] and page.url.endswith("#/"), (asked, page.url)
        # There is no organization 7, or it has no provider: the page says so, and stays.
        page.get_by_role("button", name=PROVIDER).click()
        page.get_by_role("alert").wait_for()
        page.route("**/api/auth/sign-in?**", lambda route: route.fulfill(status=429, json=LIMITED))
        page.reload()
        page.get_by_role("button", name=PROVIDER).wait_for()
        page.get_by_label("User name").fill("mia")
        page.keyboard.press("Tab")
        page.get_by_text("Try again in 9 minutes.").wait_for()
        page.route("**/api/auth/oidc?**", lambda route: route.fulfill(body="the provider"))
        page.get_by_role("button", name=PROVIDER).click()
        page.wait_for_url("**/api/auth/oidc?organization=7&return=%2F%23%2F")


def asks_before_it_becomes_another_user(world):
    """After a provider signed another user in: the page asks, and goes on by signing out and beginning again."""
    with world.desk("vic", "#sign-in=other_user", refused={401}) as desk:
        page = desk.page
        dialog = page.get_by_role("dialog", name="Another user")
        dialog.get_by_text("You are vic. Sign out and go on as the other user?").wait_for()
        desk.looks("sign-in-other")
        dialog.get_by_role("button", name="Cancel").click()
        page.get_by_text("Vic").first.wait_for()
        page.evaluate("localStorage.setItem('sign-in provider', '/api/auth/oidc?organization=1')")
        page.route("**/api/auth/oidc?**", lambda route: route.fulfill(body="the provider"))
        page.goto("about:blank")
        page.goto(f"{world.base}#sign-in=other_user")
        dialog.get_by_role("button", name="Sign out and go on").click()
        page.wait_for_url("**/api/auth/oidc?organization=1&return=%2F%23%2F")
        assert page.request.get(f"{world.base}api/auth/session").status == 401
    world.forget("vic")
    with world.desk(address="#sign-in=groups_missing") as desk:
        desk.page.get_by_text("left out your groups").wait_for()


def signs_in_anew_in_another_tab(world):
    """An act that needs a newer sign-in: the provider opens in a tab of its own, and nothing typed is lost."""
    ways = {"provider": "/api/auth/oidc?organization=1", "passwords": False}
    with world.desk("ada", "#/settings/organization", refused={403}) as desk:
        page = desk.page
        page.context.route("**/api/auth/sign-in?**", lambda route: route.fulfill(json=ways))
        # The provider of this test signs in at once, and leads back.
        back = {"location": "/#/signed-in"}
        page.context.route("**/api/auth/oidc?**", lambda route: route.fulfill(body="the provider")
            if route.request.resource_type == "fetch" else route.fulfill(status=302, headers=back))
        desk.fails("PATCH", "/api/organizations/1$", 403)
        page.get_by_role("button", name="Edit name").click()
        page.get_by_label("Name", exact=True).fill("Halden Services")
        page.get_by_role("button", name="Save").click()
        with page.context.expect_page() as opened:
            page.get_by_role("button", name=PROVIDER).click()
        with page.expect_response(lambda one: one.request.method == "PATCH" and one.ok):
            opened.value.wait_for_event("close")
        page.get_by_role("dialog", name="Sign in").wait_for(state="detached")
        page.get_by_role("button", name="Edit name").wait_for()
