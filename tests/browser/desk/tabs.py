"""Two tabs, two users, two organizations: no request of a tab that shows another user is served"""

import re
import secrets
import urllib.parse

PASSWORD = "the words of a stranger"
TITLE = "Another user is signed in"


def check(world):
    writes_for_nobody_else(world)
    tells_its_tabs(world)
    signs_in_for_all_tabs(world)
    one_asks_for_all(world)


def stranger(world):
    """A user of another organization."""
    name = f"zoe{secrets.token_hex(3)}"
    world.operator().run("create-organization", f"Foreign {name}", name, "Zoe Foster", given=f"{PASSWORD}\n")
    return name


def becomes(desk, user, password):
    """Another tab of the browser, which tells nobody, signs in as another user."""
    origin = urllib.parse.urlsplit(desk.world.base)
    answer = desk.page.context.request.post(
        f"{desk.world.base}api/auth/login",
        data={"username": user, "password": password},
        headers={"origin": f"{origin.scheme}://{origin.netloc}"},
    )
    assert answer.ok, answer.text()


def served(desk):
    """Collects the requests of the page that are answered with anything but a refusal, from now on."""
    seen = []

    def heard(answer):
        named = answer.request.headers.get("workdesk-user")
        # Who is signed in is read without naming the user.
        asks = answer.url.endswith("/api/auth/session") and named is None
        if "/api/" in answer.url and not asks:
            seen.append((answer.request.method, answer.url, answer.status))

    desk.page.on("response", heard)
    return seen


def writes_for_nobody_else(world):
    """Each kind of page, after its user was replaced: by one of the organization, by one of another."""
    zoe = stranger(world)
    ada = world.api("ada")
    task = world.api("mia").call("POST", "/api/tasks", {"title": f"Whose? {world.mark}", "projectId": 1})["id"]
    ways = {
        "a comment": (f"#/tasks/{task}", comments),
        "a ticket": ("#/tickets", raises_a_ticket),
        "a field": (f"#/tasks/{task}", sets_the_priority),
        "a reload of the list": ("#/requests", filters),
        "a user's role": ("#/settings/users/4", sets_a_role),
    }
    before = ada.call("GET", f"/api/tasks/{task}"), len(ada.call("GET", "/api/managed-services/tickets"))
    role = ada.call("GET", "/api/users/4")["role"]
    for other, password in ((zoe, PASSWORD), ("mia", "workdesk")):
        for name, (address, act) in ways.items():
            user = "ada" if name == "a user's role" else "max"
            world.forget(user)
            with world.desk(user, address, refused={409}) as desk:
                act(desk, begin=True)
                # The feed of this page asks nothing meanwhile.
                desk.page.route("**/api/changes*", lambda route: route.abort())
                desk.refused.add("ERR_FAILED")
                becomes(desk, other, password)
                seen = served(desk)
                act(desk, begin=False)
                page = desk.page
                page.get_by_role("dialog", name=TITLE).wait_for()
                said = page.get_by_text("is signed in to this browser now.")
                said.wait_for()
                assert ("Zoe Foster" if other == zoe else "Mia Tanaka") in said.inner_text(), name
                assert seen, name
                assert {status for *_, status in seen} == {409}, (name, seen)
                if name == "a comment":
                    desk.looks("other-user")
            world.forget(user)
    after = ada.call("GET", f"/api/tasks/{task}"), len(ada.call("GET", "/api/managed-services/tickets"))
    assert before == after, (before, after)
    assert ada.call("GET", f"/api/tasks/{task}/comments") == []
    assert ada.call("GET", "/api/users/4")["role"] == role
    client = world.client(zoe, PASSWORD)
    assert client.call("GET", "/api/managed-services/tickets") == []


def comments(desk, begin):
    if begin:
        desk.page.get_by_label("Comment", exact=True).fill("Words of Max")
    else:
        desk.page.get_by_role("button", name="Comment", exact=True).click()


def raises_a_ticket(desk, begin):
    dialog = desk.page.get_by_role("dialog", name="Raise a ticket")
    if begin:
        desk.page.get_by_role("button", name="Raise a ticket").click()
        dialog.get_by_label("Title").fill("Words of Max")
    else:
        dialog.get_by_role("button", name="Raise a ticket").click()


def sets_the_priority(desk, begin):
    if begin:
        desk.page.get_by_role("button", name=re.compile("^Priority: ")).click()
    else:
        desk.page.get_by_label("Priority", exact=True).select_option("urgent")


def filters(desk, begin):
    if not begin:
        desk.page.get_by_label("Priority").select_option("urgent")


def sets_a_role(desk, begin):
    if begin:
        desk.page.get_by_label("Role").select_option("admin")
    else:
        desk.page.get_by_role("button", name="Save user").click()


def tells_its_tabs(world):
    """A tab that is seen again, and one that another tab tells. Drafts stay with their user."""
    task = world.api("mia").call("POST", "/api/tasks", {"title": f"Told {world.mark}", "projectId": 1})["id"]
    words = "A sentence that is not sent"
    with world.desk("max", f"#/tasks/{task}", refused={401, 409}) as desk:
        page, other = desk.page, desk.page.context.new_page()
        other.goto(f"{world.base}#/tickets")
        other.get_by_role("heading", name="Tickets").wait_for()
        page.get_by_label("Comment", exact=True).fill(words)
        # Signing out asks, since drafts of the user are in all tabs.
        other.get_by_role("button", name="Sign out").click()
        asked = other.get_by_role("dialog", name="Sign out?")
        asked.get_by_text("1 text that you typed").wait_for()
        asked.get_by_role("button", name="Cancel").click()
        becomes(desk, "mia", "workdesk")
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.get_by_role("dialog", name=TITLE).wait_for()
        page.get_by_role("button", name="Reload").click()
        page.get_by_text("Mia Tanaka").first.wait_for()
        desk.settled()
        assert page.get_by_label("Comment", exact=True).input_value() == ""
        # The other tab of the former user shows it, too.
        other.get_by_role("dialog", name=TITLE).wait_for()
        other.get_by_role("button", name="Reload").click()
        other.get_by_text("Mia Tanaka").first.wait_for()
        other.get_by_role("button", name="Sign out").click()
        page.get_by_role("dialog", name="Sign in").wait_for()
        desk.user = "max"
        with page.expect_navigation():
            page.get_by_label("User name").fill("max")
            page.get_by_label("Password").fill("workdesk")
            page.get_by_role("button", name="Sign in", exact=True).click()
        page.get_by_text("Max Okafor").first.wait_for()
        desk.settled()
        assert page.get_by_label("Comment", exact=True).input_value() == words
        page.get_by_text("Not saved.").wait_for()
        desk.looks("draft")
        page.get_by_role("button", name="Discard").click()
        assert page.get_by_label("Comment", exact=True).input_value() == ""
        # The first tab of a browser signs the others in.
        other.get_by_role("dialog", name="Sign in").wait_for(state="detached")
    world.forget("max")
    world.forget("mia")


def signs_in_for_all_tabs(world):
    """What waits for the sign-in in one tab goes on when the user signs in in another one."""
    task = world.api("mia").call("POST", "/api/tasks", {"title": f"Both {world.mark}", "projectId": 1})["id"]
    with world.desk("max", f"#/tasks/{task}", refused={401}) as desk:
        page = desk.page
        page.get_by_label("Comment", exact=True).fill("Sent after the sign-in")
        desk.ends_before("/comments$")
        page.get_by_role("button", name="Comment", exact=True).click()
        page.get_by_role("dialog", name="Sign in").wait_for()
        other = page.context.new_page()
        other.goto(world.base)
        other.get_by_label("User name").fill("max")
        other.get_by_label("Password").fill("workdesk")
        other.keyboard.press("Enter")
        page.get_by_role("dialog", name="Sign in").wait_for(state="detached")
        page.get_by_role("listitem").filter(has_text="Sent after the sign-in").wait_for()
    world.forget("max")


def one_asks_for_all(world):
    """One of two visible tabs asks for changes and for what is unread. Both show it. The other one goes on alone."""
    api = world.api("mia")
    task = api.call("POST", "/api/tasks", {"title": f"Shared {world.mark}", "projectId": 1})["id"]
    said = lambda text: api.call("POST", f"/api/tasks/{task}/comments", {"content": f"{text}, @sue {world.mark}"})
    with world.desk("sue", f"#/tasks/{task}") as desk:
        first, second = desk.page, desk.page.context.new_page()
        asked = {page: [] for page in (first, second)}
        for page in asked:
            page.on("request", lambda one, own=asked[page]: own.append(urllib.parse.urlsplit(one.url).path))
        second.goto(f"{world.base}#/tasks/{task}")
        second.get_by_role("heading", name=f"Shared {world.mark}").wait_for()
        count = lambda page: page.locator("[data-place=Home] .count").inner_text()
        second.wait_for_timeout(4_000)
        for own in asked.values():
            own.clear()
        said("Both see it")
        for page in (second, first):
            page.get_by_text("Both see it").wait_for()
        desk.until(lambda: count(first) == count(second) != "", "what is unread in both")
        changes, unread = "/api/changes", "/api/notifications"
        assert changes in asked[first] and changes not in asked[second], asked
        assert unread in asked[first] and unread not in asked[second], asked
        # What is read in one tab is read in both.
        desk.until(lambda: count(first) == count(second), "the same count")
        # The other tab acts, and has the first one ask at once.
        said("At once")
        desk.until(lambda: second.get_by_text("At once").is_visible()
                   or second.evaluate("dispatchEvent(new Event('focus'))") is None, "what the second tab asks for")
        assert changes not in asked[second], asked
        # The hidden tab keeps silent. What it missed is there once it is seen.
        hide = """hidden => {
            Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }"""
        first.evaluate(hide, True)
        asked[first].clear()
        said("While one is hidden")
        second.get_by_text("While one is hidden").wait_for()
        assert changes in asked[second] and changes not in asked[first], asked
        assert first.get_by_text("While one is hidden").count() == 0
        first.evaluate(hide, False)
        first.get_by_text("While one is hidden").wait_for()
        # The tab that leads closes.
        second.close()
        said("The last one goes on")
        desk.sees(first.get_by_text("The last one goes on"))
