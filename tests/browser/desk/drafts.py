"""A robot types into each form, leaves by each way, and compares the form with its record when it comes back"""

import re

import alerts

# Addresses, and the buttons that open a form there.
VIEWS = [
    ("#/projects", ["New project"]),
    ("#/projects/1", []),
    ("#/tasks/1", ["Edit title", re.compile("Edit description|Add a description"), re.compile("^Due: ")]),
    ("#/requests", ["Raise a request"]),
    ("#/requests/1", ["Edit title", re.compile("Edit description|Add a description"), re.compile("^Category: ")]),
    ("#/tickets", ["Raise a ticket"]),
    ("#/tickets/1", ["Edit title"]),
    ("#/settings/profile", ["Edit name", "Change e-mail"]),
    ("#/settings/tokens", ["Create a token"]),
    ("#/settings/organization", ["Edit name", re.compile("(Edit|Add a) web address")]),
    ("#/settings/users", ["Create a user"]),
    ("#/settings/users/4", ["Set a password"]),
    ("#/settings/invitations", ["Invite a person"]),
    ("#/settings/provider", []),
    ("#/settings/webhooks", ["Create a webhook"]),
    ("#/settings/connections", ["Create a connection"]),
    ("#/settings/connections/billing", [re.compile("Change the connection")]),
    ("#/settings/policy", ["Add a rule"]),
]
# What shows stored values, rights or money, or makes them, keeps nothing.
KEEPS_NONE = re.compile(r"#/settings/(tokens|users|invitations|provider|webhooks|connections|policy)")
# Buttons whose form opens in the page; other ones open a dialog.
IN_PLACE = ("Edit", "Reject")
TYPED = {"url": "https://typed.example", "email": "typed@example.com", "number": "77", "date": "2031-05-06"}

# Types into all controls of the last form; returns its values before.
TYPE = """(form, typed) => {
    const of = () => [...form.querySelectorAll("[name]:not([readonly])")];
    const before = of().map(({ name, value }) => [name, value]);
    for (const one of of()) {
        if (one.type === "password") continue;
        if (one instanceof HTMLSelectElement) one.selectedIndex = one.options.length - 1;
        else if (one.type === "checkbox") one.checked = !one.checked;
        else one.value = typed[one.type] ?? "typed by the robot";
        one.dispatchEvent(new Event("input", { bubbles: true }));
        one.dispatchEvent(new Event("change", { bubbles: true }));
    }
    return before;
}"""
VALUES = """form => [...form.querySelectorAll("[name]:not([readonly])")].map(({ name, value }) => [name, value])"""


def check(world):
    alert, _ = alerts.proposed(world, "sue", "usage_counted_twice")
    views = [*VIEWS, (f"#/alerts/{alert}", ["Reject…"])]
    found = 0
    with world.desk("ada", "", refused={400, 401, 404}) as desk:
        for address, openers in views:
            for opener in openers or [None]:
                for way in (by_navigation, by_reload, by_going_back, by_cancel):
                    found += comes_back(desk, address, opener, way)
        found += comes_back(desk, "#/tickets/1", None, by_signing_out)
        found += comes_back(desk, "#/settings/users/4", None, by_signing_out)
    assert found > 60, found
    belongs_to_its_version(world)
    rights_are_not_left_behind(world)
    rules_are_not_mixed(world)


def forms(desk, address, opener):
    """Opens a view, and a form in it. Returns the forms in sight."""
    page = desk.page
    page.goto(desk.world.base + address)
    desk.settled()
    if opener is not None:
        button = page.get_by_role("button", name=opener).or_(page.locator("summary").filter(has_text=opener)).first
        # A kept draft opens its form by itself.
        if button.is_visible():
            button.click()
        if isinstance(opener, str) and not opener.startswith(IN_PLACE):
            page.locator("dialog form").wait_for()
        else:
            page.locator("main form").first.wait_for()
    inside = page.locator("dialog form") if page.locator("dialog").count() else page.locator("main form")
    return inside


def comes_back(desk, address, opener, way):
    """Types, leaves and comes back. Returns the number of forms that were compared."""
    shown = forms(desk, address, opener)
    if shown.count() == 0:
        return 0
    names = shown.evaluate_all("forms => forms.map(form => form.querySelector('button.main').textContent)")
    before = {name: form.evaluate(TYPE, TYPED) for name, form in zip(names, shown.all(), strict=True)}
    way(desk)
    again = forms(desk, address, opener)
    # Handles: a form that is discarded may close.
    for form in again.element_handles():
        name = form.query_selector("button.main").inner_text()
        values, stored = form.evaluate(VALUES), before.get(name)
        if stored is None or values == stored:
            continue
        where = f"{address}, {name}, {way.__name__}: {values} is not {stored}"
        assert not KEEPS_NONE.match(address), where
        assert way is not by_cancel or name in ("Add", "Comment", "Send reply", "Add internal note"), where
        mark = form.query_selector(".unsaved")
        assert mark and mark.is_visible() and "Not saved." in mark.inner_text(), where
        mark.query_selector("button").click()
        if form.is_visible():
            assert form.evaluate(VALUES) == stored, where
    # Nothing of this way is left for the next one.
    desk.page.evaluate("localStorage.clear()")
    desk.page.goto("about:blank")
    return len(before)


def by_navigation(desk):
    page = desk.page
    if page.locator("dialog").count():
        page.keyboard.press("Escape")
    page.get_by_role("link", name="Search", exact=True).click()
    desk.settled()


def by_reload(desk):
    desk.page.reload()
    desk.settled()


def by_going_back(desk):
    page = desk.page
    page.evaluate("location.hash = '#/search'")
    page.get_by_role("heading", name="Search").wait_for()
    page.go_back()
    desk.settled()
    page.reload()


def by_cancel(desk):
    for button in desk.page.get_by_role("button", name="Cancel", exact=True).all()[::-1]:
        if button.is_visible():
            button.click()
    by_navigation(desk)


def by_signing_out(desk):
    page = desk.page
    page.get_by_role("button", name="Sign out").click()
    asked = page.get_by_role("dialog", name="Sign out?")
    page.get_by_role("dialog").wait_for()
    if asked.is_visible():
        asked.get_by_role("button", name="Sign out and delete").click()
    page.get_by_role("dialog", name="Sign in").wait_for()
    desk.world.forget(desk.user)
    desk.signs_in()
    desk.settled()


def belongs_to_its_version(world):
    """A draft of a title that others changed since is told as a conflict; nothing is overwritten."""
    api = world.api("max")
    task = api.call("POST", "/api/tasks", {"title": f"First {world.mark}", "projectId": 1})["id"]
    with world.desk("mia", f"#/tasks/{task}", refused={412}) as desk:
        page = desk.page
        page.get_by_role("button", name="Edit title").click()
        page.get_by_label("Title").fill("Of the draft")
        page.get_by_role("link", name="Search", exact=True).click()
        api.call("PATCH", f"/api/tasks/{task}", {"title": f"Second {world.mark}"})
        page.goto(f"{world.base}#/tasks/{task}")
        page.get_by_text("Not saved.").wait_for()
        assert page.get_by_label("Title").input_value() == "Of the draft"
        page.get_by_role("button", name="Save").click()
        page.get_by_role("alert").get_by_text(f"Second {world.mark}").wait_for()
        assert api.call("GET", f"/api/tasks/{task}")["title"] == f"Second {world.mark}"
        page.get_by_role("button", name="Take theirs").click()
        page.get_by_role("heading", name=f"Second {world.mark}").wait_for()


def rights_are_not_left_behind(world):
    """A role that was chosen and not saved is not saved with the next change."""
    user = {"username": f"vera{world.mark}", "fullName": "Vera Vik", "role": "viewer", "password": "words of vera vik"}
    number = world.api("ada").call("POST", "/api/users", user)["id"]
    with world.desk("ada", f"#/settings/users/{number}") as desk:
        page = desk.page
        page.get_by_label("Role").select_option("admin")
        page.get_by_role("link", name="Home").click()
        desk.settled()
        page.goto(f"{world.base}#/settings/users/{number}")
        desk.settled()
        assert page.get_by_label("Role").input_value() == "viewer"
        page.get_by_label("Full name").fill("Vera Viksen")
        with page.expect_response(lambda one: one.request.method == "PATCH"):
            page.get_by_role("button", name="Save user").click()
    assert world.api("ada").call("GET", f"/api/users/{number}")["role"] == "viewer"


def rules_are_not_mixed(world):
    """What was typed for one rule of the policy is not shown for another."""
    rule = lambda amount: {"when": {"amountAtLeast": {"currency": "EUR", "minorUnits": amount}}, "approvers": 1}
    world.sets_policy({"rules": [rule(10_000), rule(90_000)], "caps": {"actions": 40}})
    with world.desk("ada", "#/settings/policy") as desk:
        page = desk.page
        change = page.get_by_role("button", name=re.compile("^Change: "))
        dialog = page.get_by_role("dialog", name="Change the rule")
        change.first.click()
        dialog.get_by_label("Amount at least").fill("999999 USD")
        dialog.get_by_role("button", name="Cancel").click()
        change.last.click()
        assert dialog.get_by_label("Amount at least").input_value() in ("100.00 EUR", "900.00 EUR")
        dialog.get_by_role("button", name="Cancel").click()
        page.get_by_label("Actions", exact=True).fill("1000")
        page.get_by_role("link", name="Home").click()
        desk.settled()
        page.goto(f"{world.base}#/settings/policy")
        desk.settled()
        assert page.get_by_label("Actions", exact=True).input_value() == "40"
    world.sets_policy({"rules": [], "caps": None})
