"""Settings: one's own, and those of the organization"""

import json
import time

from playwright.sync_api import expect
from world import WAIT_MILLISECONDS, end_to_end

FIRST, NEW = "the words of an admin", "four words of my own"


def check(world):
    profile_and_password(world)
    sessions(world)
    tokens(world)
    notifications(world)
    keeps_the_focus(world)
    says_who_may(world)
    users(world)
    invitations(world)
    provider(world)
    webhooks(world)
    connections(world)
    policy(world)
    journal(world)


def confirms(page, title, label):
    page.get_by_role("dialog", name=title).get_by_role("button", name=label).click()
    page.get_by_role("dialog").wait_for(state="detached")


def profile_and_password(world):
    """A user of this test's own, since the password changes."""
    user = {"username": "pat", "fullName": "Pat Lind", "role": "member", "password": FIRST}
    api = world.api("ada")
    api.call("POST", "/api/users", user, expect=(200, 409))
    number = next(one["id"] for one in api.call("GET", "/api/users") if one["username"] == "pat")
    api.call("PUT", f"/api/users/{number}/password", {"password": user["password"]}, expect=204)
    with world.desk() as desk:
        page = desk.page
        page.get_by_label("User name").fill("pat")
        page.get_by_label("Password").fill(user["password"])
        page.keyboard.press("Enter")
        page.get_by_text("Pat Lind").wait_for()
        desk.refused = {400, 401}
        desk.open("#/settings")
        page.get_by_text("Admins may change it.").wait_for()
        page.get_by_label("Current password").fill("not this one")
        page.get_by_label("New password", exact=True).fill(NEW)
        page.get_by_label("New password again").fill("another one")
        page.keyboard.press("Enter")
        page.get_by_text("The two are not the same.").wait_for()
        page.get_by_label("New password again").fill(NEW)
        page.keyboard.press("Enter")
        page.get_by_text("is not your current password").wait_for()
        page.get_by_label("Current password").fill(user["password"])
        page.get_by_role("button", name="Change password").click()
        page.get_by_text("The password is changed.").wait_for()
        desk.looks("settings-profile")
    with world.desk("ada", "#/settings/profile") as desk:
        page = desk.page
        page.get_by_role("button", name="Edit name").click()
        page.get_by_label("Name", exact=True).fill("Ada L. Lindqvist")
        page.keyboard.press("Enter")
        page.get_by_text("Ada L. Lindqvist").first.wait_for()
        page.get_by_role("button", name="Edit name").click()
        page.get_by_label("Name", exact=True).fill("Ada Lindqvist")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Edit name").wait_for()


def sessions(world):
    with world.desk("vic", "#/settings/sessions", refused={401}) as other:
        world.forget("vic")
        ends_others(world, other)
    world.forget("vic")


def ends_others(world, other):
    with world.desk("vic", "#/settings/sessions") as desk:
        page = desk.page
        page.get_by_text("This session").wait_for()
        assert page.locator(".list > li").count() >= 2
        desk.looks("settings-sessions")
        rows = page.locator(".list > li")
        count = rows.count()
        page.get_by_role("button", name="End", exact=True).last.click()
        desk.until(lambda: rows.count() == count - 1, "the end of a session")
        page.get_by_role("button", name="End all other sessions").click()
        confirms(page, "End all other sessions?", "End all other sessions")
        assert page.locator(".list > li").count() == 1
        other.looks_up()
        other.page.get_by_role("dialog", name="Sign in").wait_for()


def tokens(world):
    with world.desk("mia", "#/settings/tokens", width=390) as desk:
        page = desk.page
        page.get_by_role("button", name="Create a token").focus()
        page.keyboard.press("Enter")
        page.keyboard.type("nightly export")
        # It begins with what only reads. None is no token of all rights.
        dialog = page.get_by_role("dialog")
        reading = dialog.get_by_role("checkbox", checked=True)
        assert reading.count() == 2, reading.count()
        for name in ("See projects and tasks", "See requests, tickets and metrics"):
            dialog.get_by_label(name).uncheck()
        dialog.get_by_role("button", name="Create a token").click()
        dialog.get_by_text("Choose at least one.").wait_for()
        dialog.get_by_label("See projects and tasks").check()
        dialog.get_by_role("button", name="Create a token").click()
        shown = page.get_by_role("textbox", name="Token “nightly export”")
        assert shown.input_value().startswith("wd_")
        desk.looks("settings-tokens")
        page.get_by_role("button", name="Close: Token “nightly export”").click()
        page.get_by_role("button", name="Revoke nightly export").click()
        confirms(page, "Revoke “nightly export”?", "Revoke")
        page.get_by_role("button", name="Revoke nightly export").wait_for(state="detached")
        page.reload()
        page.get_by_text("No token.").wait_for()


def notifications(world):
    with world.desk("mia", "#/settings/notifications") as desk:
        page = desk.page
        box = page.get_by_label("My task is due within 24 hours: mail")
        box.focus()
        page.keyboard.press("Space")
        page.get_by_role("button", name="Save").click()
        page.get_by_text("Saved").wait_for()
        page.reload()
        desk.settled()
        assert box.is_checked()
        assert page.get_by_label("My task is due within 24 hours: inbox").is_checked()
        desk.looks("settings-notifications")
        box.uncheck()
        page.get_by_role("button", name="Save").click()
        page.get_by_text("Saved").wait_for()


def keeps_the_focus(world):
    """After a save, the focus is on the button; after a row went, on the next one; then on the heading."""
    with world.desk("ida", "#/settings/users", refused={400}) as desk:
        page = desk.page
        focused = lambda text: page.wait_for_function(
            "text => (document.activeElement.ariaLabel || document.activeElement.textContent) === text", arg=text)
        page.get_by_role("link", name="Vic Almeida").press("Enter")
        page.get_by_role("button", name="Save user").press("Enter")
        page.locator(".end").get_by_text("Saved.").wait_for()
        focused("Save user")
        desk.open("#/settings/tokens")
        for name in ("first", "second"):
            page.get_by_role("button", name="Create a token").press("Enter")
            page.get_by_label("Name").fill(name)
            page.keyboard.press("Enter")
            page.get_by_role("button", name=f"Close: Token “{name}”").press("Enter")
            focused(f"Revoke {name}")
        for name, then in (("second", "Revoke first"), ("first", "Tokens")):
            page.get_by_role("button", name=f"Revoke {name}").press("Enter")
            confirms(page, f"Revoke “{name}”?", "Revoke")
            focused(then)
        # A fault of a group of boxes stands at the group, in words of people.
        desk.open("#/settings/webhooks")
        page.get_by_role("button", name="Create a webhook").press("Enter")
        page.get_by_label("URL").fill("https://example.com/hook")
        page.keyboard.press("Enter")
        page.get_by_role("group", name="Events").get_by_text("Choose at least one.").wait_for()
        assert page.get_by_role("alert").count() == 0


def says_who_may(world):
    with world.desk("mia", "#/settings/webhooks") as desk:
        page = desk.page
        page.get_by_text("Admins may read this.").wait_for()
        page.get_by_role("link", name="Policy").click()
        page.get_by_text("Support and above may read this.").wait_for()
        page.get_by_role("link", name="Users").click()
        assert page.get_by_role("button", name="Create a user").get_attribute("aria-disabled") == "true"
        page.get_by_role("link", name="Sue Marchetti").click()
        page.get_by_text("Admins may do this.").wait_for()
    with world.desk("sue", "#/settings/connections/billing") as desk:
        assert desk.page.get_by_role("button", name="Pause").get_attribute("aria-disabled") == "true"
        desk.page.get_by_text("Managers and admins may do this.").wait_for()


def users(world):
    name = f"new{len(world.api('ada').call('GET', '/api/users'))}"
    with world.desk("ada", "#/settings/users", refused={400, 412}) as desk:
        page = desk.page
        page.get_by_role("button", name="Create a user").press("Enter")
        dialog = page.get_by_role("dialog", name="Create a user")
        # By keyboard alone.
        for text in (name, "Noa Berg", "Support", f"{name}@example.com", "short"):
            page.keyboard.type(text)
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        dialog.get_by_text("must have 12 to 128 characters").wait_for()
        dialog.get_by_label("First password").fill(NEW)
        page.keyboard.press("Enter")
        page.get_by_role("link", name=f"Noa Berg @{name}").click()
        page.get_by_role("heading", name="Noa Berg").wait_for()
        page.get_by_label("Role").select_option("support")
        number = int(page.url.rsplit("/", 1)[1])
        world.api("ada").call("PATCH", f"/api/users/{number}", {"fullName": "Noa Bergman"})
        page.get_by_role("button", name="Save user").click()
        page.get_by_role("alert").get_by_text("Noa Bergman").wait_for()
        desk.looks("settings-user")
        page.get_by_role("button", name="Save yours").click()
        page.get_by_role("alert").wait_for(state="detached")
        page.get_by_role("button", name="Disable").click()
        confirms(page, "Disable Noa Berg?", "Disable")
        page.get_by_text("Disabled").wait_for()
        stored = world.api("ada").call("GET", f"/api/users/{number}")
        assert (stored["role"], stored["fullName"], stored["disabled"]) == ("support", "Noa Berg", True), stored
        desk.open("#/settings/users")
        desk.looks("settings-users")


def invitations(world):
    """By mouse, on a phone."""
    address = f"noa.{world.mark}@example.com"
    with world.desk("ada", "#/settings/invitations", width=390) as desk:
        page = desk.page
        page.get_by_role("button", name="Invite a person").click()
        dialog = page.get_by_role("dialog", name="Invite a person")
        dialog.get_by_label("E-mail").fill(address)
        dialog.get_by_label("Role").select_option("support")
        dialog.get_by_role("button", name="Invite a person").click()
        row = page.get_by_role("listitem").filter(has_text=address)
        row.get_by_text("Open").wait_for()
        assert "#/accept?token=" in world.letter(address)
        desk.looks("settings-invitations")
        with page.expect_response("**/send") as sent:
            row.get_by_role("button", name=f"Send again: {address}").click()
        assert sent.value.ok
        row.get_by_role("button", name=f"Delete: {address}").click()
        confirms(page, f"Delete the invitation of {address}?", "Delete")
        row.wait_for(state="detached")
    address = f"mia.{world.mark}@example.com"
    with world.desk("mia", "#/settings/profile") as desk:
        page = desk.page
        page.get_by_role("button", name="Change e-mail").press("Enter")
        page.keyboard.type(address)
        page.keyboard.press("Tab")
        page.keyboard.type("workdesk")
        page.keyboard.press("Enter")
        page.get_by_text(f"A link was sent to {address}.").wait_for()
        page.goto(world.base + world.link("confirm", address))
        page.get_by_role("button", name="Confirm").press("Enter")
        page.get_by_text("Your address is confirmed.").first.wait_for()
        page.get_by_role("link", name="Settings").click()
        page.get_by_role("definition").filter(has_text=address).get_by_text("verified", exact=True).wait_for()


def provider(world):
    settings = world.desk("ada", "#/settings/provider", refused={400, 404, 409})
    with end_to_end.described_provider() as issuer, settings as desk:
        page = desk.page
        page.get_by_label("Issuer").fill(issuer)
        page.get_by_label("Client id").fill("workdesk")
        page.get_by_label("Client secret").fill("a secret of the example")
        page.get_by_label("Roles by group").fill("Workdesk admins = admin\nBilling = owner")
        page.get_by_role("button", name="Save").click()
        page.locator(".fault:not(:empty)").wait_for()
        page.get_by_label("Roles by group").fill("Workdesk admins = admin")
        page.get_by_role("button", name="Save").click()
        page.get_by_text("Users sign in by this provider.").wait_for()
        assert page.get_by_label("Roles by group").input_value() == "Workdesk admins = admin"
        # No browser can fill a password of this site into a field that is not there.
        assert page.locator("main input[type=password]").count() == 0
        desk.looks("settings-provider")
        page.get_by_role("button", name="Replace the secret: Client secret").click()
        assert page.get_by_label("Client secret").get_attribute("autocomplete") == "new-password"
        # The way to the provider stands in the sign-in, once it is known who signs in.
        with world.desk() as other:
            other.page.get_by_label("User name").fill("mia")
            other.page.keyboard.press("Tab")
            leads = other.page.get_by_role("button", name="Sign in by your company's provider")
            leads.wait_for()
            other.page.route("**/api/auth/oidc**", lambda route: route.fulfill(body="the provider"))
            leads.click()
            other.page.wait_for_url("**/api/auth/oidc?organization=1&return=*")
        page.get_by_label("Passwords").select_option("off")
        page.get_by_role("button", name="Save").click()
        page.get_by_role("alert").get_by_text("Sign in by the provider first").wait_for()
        page.get_by_role("button", name="Remove").click()
        confirms(page, "Remove the provider?", "Remove")
        page.get_by_text("Users sign in by a password.").wait_for()


def webhooks(world):
    api = world.api("ada")
    url = f"{world.demo()}/heard"
    with world.desk("ada", "#/settings/webhooks") as desk:
        page = desk.page
        page.get_by_role("button", name="Create a webhook").click()
        dialog = page.get_by_role("dialog", name="Create a webhook")
        dialog.get_by_label("URL").fill(url)
        dialog.get_by_label("Tag (all)").check()
        dialog.get_by_role("button", name="Create a webhook").click()
        assert page.get_by_role("textbox", name=f"Secret of {url}").input_value().startswith("whsec_")
        desk.looks("settings-webhooks")
        page.get_by_role("link", name=url).first.click()
        page.get_by_role("button", name="Send a test").click()
        page.get_by_text("Status 204").wait_for()
        api.call("POST", "/api/tags", {"name": f"heard {time.time_ns()}"})
        number = page.url.rsplit("/", 1)[1]
        while not api.call("GET", f"/api/webhooks/{number}/deliveries"):
            time.sleep(0.1)
        page.reload()
        page.get_by_role("button", name="Send again: tag.created").first.click()
        page.get_by_text("Sent again.").wait_for()
        page.get_by_role("button", name="Rotate secret").click()
        confirms(page, "Rotate the secret?", "Rotate secret")
        assert page.get_by_role("textbox", name=f"New secret of {url}").input_value().startswith("whsec_")
        desk.looks("settings-webhook")
        page.get_by_role("button", name="Disable").click()
        page.get_by_role("button", name="Enable").wait_for()
        page.get_by_role("button", name="Delete").click()
        confirms(page, "Delete this webhook?", "Delete")
        page.wait_for_url("**#/settings/webhooks")


def connections(world):
    with world.desk("ada", "#/settings/connections", refused={400}) as desk:
        page = desk.page
        page.get_by_role("button", name="Pause all actions").press("Enter")
        confirms(page, "Pause all actions?", "Pause all actions")
        page.get_by_text("All actions are paused", exact=True).wait_for()
        page.get_by_role("button", name="Resume all actions").press("Enter")
        page.get_by_role("button", name="Pause all actions").wait_for()
        desk.looks("settings-connections")
        page.get_by_role("link", name="billing").click()
        page.get_by_role("button", name="Test").click()
        page.get_by_text("status 200").wait_for()
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("button", name="Resume").click()
        page.get_by_role("button", name="Pause").wait_for()
        page.get_by_text("Change the connection").click()
        assert page.locator("main input[type=password]").count() == 0
        desk.looks("settings-connection")
        page.get_by_text("More", exact=True).click()
        more = page.get_by_label("Further settings")
        settings = more.input_value()
        more.fill("{")
        page.get_by_role("button", name="Save connection").click()
        page.get_by_role("alert").get_by_text("The further settings are no JSON").wait_for()
        more.fill(settings)
        calls = page.get_by_label("Allowed calls")
        calls.fill(calls.input_value() + "\nGET /heard")
        page.get_by_role("button", name="Save connection").click()
        page.locator(".facts").get_by_text("GET /heard").wait_for()


def policy(world):
    api = world.api("ada")
    world.sets_policy({"rules": [], "caps": None})
    with world.desk("ada", "#/settings/policy", width=390, refused={400, 412}) as desk:
        page = desk.page
        page.get_by_role("button", name="Add a rule").click()
        dialog = page.get_by_role("dialog", name="Add a rule")
        dialog.get_by_label("Money").select_option(label="Move money")
        dialog.get_by_label("Amount at least").fill("much")
        dialog.get_by_label("Needs").select_option(label="Two approvals")
        dialog.get_by_label("Manager").check()
        dialog.get_by_role("button", name="Add a rule").click()
        dialog.get_by_text("“much” is no amount.").wait_for()
        dialog.get_by_label("Amount at least").fill("500 usd")
        api.call("PUT", "/api/concierge/policy", {"caps": {"actions": 200}})
        dialog.get_by_role("button", name="Add a rule").click()
        dialog.get_by_role("alert").get_by_text("Actions: 200").wait_for()
        dialog.get_by_role("button", name="Save yours").click()
        dialog.wait_for(state="detached")
        page.get_by_text("Actions that move money, of US$500.00 or more").wait_for()
        page.get_by_text("two approvals, from manager").wait_for()
        page.get_by_label("Money", exact=True).fill("5000 USD, 4500.50 EUR")
        page.get_by_role("button", name="Save caps").click()
        caps = "5000.00 USD, 4500.50 EUR"
        expect(page.get_by_label("Money", exact=True)).to_have_value(caps, timeout=WAIT_MILLISECONDS)
        desk.looks("settings-policy")
        page.get_by_role("button", name="Remove: Actions that move money").click()
        confirms(page, "Remove this rule?", "Remove")
        # The other admin confirms what is looser.
        page.get_by_text("A looser policy waits").wait_for()
        page.get_by_text("Actions that move money, of US$500.00 or more").wait_for()
        desk.looks("settings-policy-waits")
        with world.desk("ida", "#/settings/policy") as other:
            other.page.get_by_role("button", name="Confirm").click()
            confirms(other.page, "Confirm the looser policy?", "Confirm")
            other.page.get_by_text("No rule").wait_for()
        page.reload()
        page.get_by_text("No rule").wait_for()
        page.get_by_label("Minutes since the sign-in").fill("60")
        with page.expect_response(lambda one: one.request.method == "PUT"):
            page.get_by_role("button", name="Save minutes").click()
        stored = api.call("GET", "/api/concierge/policy")
        assert stored["signedInWithin"] == 60, stored
        assert stored["rules"] == [] and stored["caps"]["actions"] == 200, stored
        world.sets_policy({"caps": None, "signedInWithin": None})


def journal(world):
    """The audit log: filtered, checked, and saved as a file."""
    world.api("ada").call("PATCH", "/api/users/4", {"fullName": "Mia Tanaka"})
    with world.desk("ada", "#/settings/journal") as desk:
        page = desk.page
        entries = page.get_by_role("list", name="Entries")
        entries.get_by_role("listitem").first.wait_for()
        desk.looks("settings-journal")
        page.get_by_label("About").select_option(label="Mia Tanaka")
        page.wait_for_function("() => location.hash.includes('subject=user%3A4')")
        page.get_by_label("To").fill("2020-01-01")
        page.get_by_label("To").dispatch_event("change")
        page.get_by_text("No entry matches.").wait_for()
        desk.open("#/settings/journal")
        page.get_by_role("button", name="Check the journal").click()
        page.get_by_text("complete and unchanged").wait_for()
        with page.expect_download() as saved:
            page.get_by_role("button", name="Export").click()
        lines = open(saved.value.path()).read().splitlines()
        assert lines and all(json.loads(line)["hash"] for line in lines)
        page.get_by_text(f"Saved {len(lines)} entr").wait_for()
    with world.desk("mia", "#/settings/journal") as desk:
        desk.page.get_by_text("Admins may read this.").wait_for()
