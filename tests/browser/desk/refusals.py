"""Approvals that the policy, time or a cancellation refuses, each with its sentence on the page"""

import datetime

from alerts import SESSIONS, confirms, faults, press, proposed, sees

PASSWORD = "a passphrase of tests"


def check(world):
    world.sets_policy({"preset": "billing"})
    refused_by_the_policy(world)
    expired(world)
    cancelled_while_a_step_runs(world)


def previews(desk):
    """Opens the preview. Returns the button that approves."""
    press(desk, "Preview and approve")
    return desk.page.get_by_role("region", name="Approve").get_by_role("button").first


def is_refused(approve):
    approve.wait_for()
    assert approve.get_attribute("aria-disabled") == "true"


def refused_by_the_policy(world):
    """A cap, a denial, and an approver whose account somebody else made today."""
    ada = world.api("ada")
    alert, session = proposed(world, "sue", "invoice_not_finalized")
    with world.desk("max", f"#/alerts/{alert}") as desk:
        world.sets_policy({"caps": {"money": [{"currency": "USD", "minorUnits": 100}]}})
        is_refused(previews(desk))
        sees(desk, "its amount is above the cap of 1.00 USD a day")
        world.sets_policy({"caps": None, "rules": [{"approvers": 1, "deny": True, "when": {}}]})
        press(desk, "Preview again")
        sees(desk, "The policy lets no user approve this")
        sees(desk, "The organization's policy allows no user to execute")
        is_refused(desk.page.get_by_role("region", name="Approve").get_by_role("button"))
        world.sets_policy({"preset": "billing"})
    name = f"fresh-{world.mark}"
    user = {"username": name, "fullName": "Fen Fresh", "role": "manager", "password": PASSWORD}
    made = ada.call("POST", "/api/users", user)
    with world.desk(name, f"#/alerts/{alert}", password=PASSWORD) as desk:
        is_refused(previews(desk))
        sees(desk, "Another user made your account, set its password, or changed what it may do")
        assert not any("/execute" in url for _, url in desk.requests), desk.requests
    ada.call("PATCH", f"/api/users/{made['id']}", {"disabled": True})
    world.api("sue").call("POST", f"{SESSIONS}/{session['id']}/cancel")


def expired(world):
    """The real answer with its approval two hours ago: it no longer counts, and the page says so."""
    alert, session = proposed(world, "sue", "usage_events_missing")
    [action] = [one["id"] for one in session["proposedActions"] if one["isAutomated"]]
    approve = f"{SESSIONS}/{session['id']}/execute"
    world.api("max").call("POST", approve, {"actionIds": [action], "note": "Seen."}, 202, {"prefer": "respond-async"})
    path = f"{SESSIONS}/{session['id']}?detail=full"
    recorded = world.api("ada").call("GET", path)
    ago = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=2)
    for one in recorded["proposedActions"]:
        one["approval"] = None
        for approval in one["approvals"]:
            approval["at"] = ago.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    with world.desk("ada") as desk:
        desk.page.route(lambda url: url.endswith(path), lambda route: route.fulfill(json=recorded))
        desk.open(f"#/alerts/{alert}")
        sees(desk, "Expired approval")
        assert previews(desk).inner_text() == "Approve, 1 of 2"
        sees(desk, "Max Okafor's approval ended")
    world.api("sue").call("POST", f"{SESSIONS}/{session['id']}/cancel")


def cancelled_while_a_step_runs(world):
    """The step that was sent ends; nothing more is sent."""
    alert, session = proposed(world, "sue", "customer_out_of_sync")
    [action] = session["proposedActions"]
    slow = {"system": "billing", "mode": "delay", "delayMs": 5_000, "operation": "POST /customers/{id}/sync"}
    with world.desk("max", f"#/alerts/{alert}") as desk, faults(world, slow):
        approve = f"{SESSIONS}/{session['id']}/execute"
        body = {"actionIds": [action["id"]]}
        world.api("ada").call("POST", approve, body, 202, {"prefer": "respond-async"})
        sees(desk, "Under way")
        press(desk, "Cancel the session")
        confirms(desk, "Cancel the session")
        sees(desk, "Cancelling")
        desk.page.get_by_role("button", name="Cancel the session").wait_for(state="detached")
        sees(desk, "Cancelled")
