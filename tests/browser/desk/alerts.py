"""Alerts: analysis, approval by two people, execution, and what goes wrong on the way"""

import contextlib
import json
import re
import urllib.request

SESSIONS = "/api/concierge/agent-sessions"
REASON = "The customer asked for a pause. Ask Mia first."
NOTE = "Checked with the customer at 9:40."


def check(world):
    ada = world.api("ada")
    world.sets_policy({"preset": "billing"})
    # The demo begins with something to approve.
    for session in ada.call("GET", f"{SESSIONS}?next=me"):
        ada.call("POST", f"{SESSIONS}/{session['id']}/cancel")
    two_people_resolve_an_alert(world)
    approves_by_keyboard_alone(world)
    may_not(world)
    fails_in_the_middle_of_an_approval(world)
    changed_since_the_preview(world)
    settles_and_hands_over(world)
    pauses(world)


def alert_of(world, kind):
    """The id of the demo alert of a type."""
    [found] = world.api("ada").call("GET", f"/api/concierge/alerts?status=open&signalType={kind}")
    return found["id"]


def proposed(world, user, kind):
    """Has a user analyse the alert of a type. Returns the alert's id and the session."""
    api, alert = world.api(user), alert_of(world, kind)
    session = api.call("POST", f"/api/concierge/alerts/{alert}/agent-session")["session"]["id"]
    api.call("POST", f"{SESSIONS}/{session}/propose")
    return alert, api.call("GET", f"{SESSIONS}/{session}")


def press(desk, name, exact=True):
    desk.page.get_by_role("button", name=name, exact=exact).click()


def confirms(desk, name):
    """What is grave asks first, in red."""
    button = desk.page.get_by_role("dialog", name=f"{name}?").get_by_role("button", name=name)
    assert "danger" in button.get_attribute("class")
    button.click()
    desk.page.get_by_role("dialog").wait_for(state="detached")


def sees(desk, text):
    """Waits for a text. Changes of others are asked for at once."""
    desk.looks_up()
    desk.page.get_by_text(text).first.wait_for()


@contextlib.contextmanager
def faults(world, *faults):
    """Lets the demo system fail so. `mode` and the others are those of infra/local/README.md."""
    url = f"{world.demo()}/faults"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for fault in faults:
        opener.open(urllib.request.Request(url, json.dumps(fault).encode())).read()
    try:
        yield
    finally:
        opener.open(urllib.request.Request(url, method="DELETE")).read()


def two_people_resolve_an_alert(world):
    with world.desk("max", "#/alerts") as max_, world.desk("ada", "#/alerts?status=me", width=390) as ada:
        sees(ada, "Nothing waits for you.")
        max_.looks("alerts")
        max_.page.get_by_role("combobox", name="Severity").select_option("error")
        max_.page.get_by_role("link", name="The payment of invoice TT-2026-10 failed").click()
        sees(max_, "Nobody has had this alert analysed.")
        press(max_, "Analyse")
        sees(max_, "Retry payment")
        the_bar_stays_in_sight(max_)
        # The first approver's own proposal: the policy wants somebody else, and the page says so.
        press(max_, "Preview and approve")
        sees(max_, "Needs one approver who neither opened the session")
        approve = max_.page.get_by_role("button", name="Approve and execute US$231.00")
        assert approve.get_attribute("aria-disabled") == "true"
        sees(max_, "The organization's policy requires")
        # The proposal appears in the other's list without a reload.
        ada.page.get_by_role("link", name="The payment of invoice TT-2026-10 failed").click()
        sees(ada, "Retry payment")
        bar = ada.page.locator(".case-bar")
        bar.get_by_text("You can approve this").wait_for()
        bar.get_by_text("US$231.00").wait_for()
        assert ada.page.get_by_text("A user who may").count() == 0
        press(ada, "Reject…")
        ada.page.get_by_label("Reason").fill(REASON)
        press(ada, "Reject the proposal")
        for desk in (ada, max_):
            sees(desk, "Rejected by Ada Lindqvist")
            sees(desk, REASON)
        press(max_, "Analyse again")
        sees(ada, "Awaiting confirmation")
        press(ada, "Preview and approve")
        # What an approver must see: money, call, conditions, the way back, who approves.
        preview = ada.page.get_by_role("region", name="Preview")
        for text in ("US$231.00", "/payments/pay_3002/retry", "conditions hold now", "Refund payment", "Needs one approver"):
            preview.get_by_text(text).first.wait_for()
        ada.looks("approval")
        ada.page.get_by_label("Note").fill(NOTE)
        press(ada, "Approve and execute US$231.00")
        for desk in (ada, max_):
            sees(desk, "Resolved by the agent, after a read")
            sees(desk, "Succeeded")
            sees(desk, "Found")
            desk.page.locator("summary", has_text="Journal").click()
            sees(desk, "complete and unchanged")
            sees(desk, f"approved 1 action: {NOTE}")
        ada.looks("executed")
        assert ada.open(f"#/alerts/{alert_id(ada)}") == 3, ada.requests


def the_bar_stays_in_sight(desk):
    """Sum, risk and the way to the decision, wherever the page is; on a phone above its navigation."""
    page = desk.page
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 600})
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        box = page.locator(".case-bar").bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 600, (width, box)
        page.locator(".case-bar").get_by_text("risk").wait_for()
        # Nothing lies over it: the click arrives.
        page.get_by_role("button", name="Preview and approve").click(trial=True)
    page.set_viewport_size({"width": 1280, "height": 800})


def alert_id(desk):
    return int(desk.page.url.split("#/alerts/")[1].split("?")[0])


def approves_by_keyboard_alone(world):
    alert, _ = proposed(world, "sue", "invoice_duplicated")
    with world.desk(address=f"#/alerts?status=open") as desk, world.desk("ada", f"#/alerts/{alert}") as other:
        page = desk.page
        page.get_by_role("dialog", name="Sign in").wait_for()
        page.keyboard.type("max")
        page.keyboard.press("Tab")
        page.keyboard.type("workdesk")
        page.keyboard.press("Enter")
        desk.settled()
        page.get_by_role("dialog").wait_for(state="detached")
        tabs_to(page, "Longhaul Imports was billed twice for October")
        page.keyboard.press("Enter")
        sees(desk, "Void invoice")
        tabs_to(page, "Preview and approve")
        page.keyboard.press("Enter")
        page.wait_for_selector("#preview:focus")
        tabs_to(page, "Note")
        page.keyboard.type(NOTE)
        tabs_to(page, "Approve, 1 of 2")
        page.keyboard.press("Enter")
        sees(desk, "(2 of 2)")
        page.wait_for_selector("#next:focus")
        # The other approver's page, open all the time.
        sees(other, "Approved by Max Okafor")
        sees(other, f"“{NOTE}”")
        sees(other, "1 of 2")


def tabs_to(page, name):
    """Presses Tab until the element of a name has the focus."""
    named = """() => {
        const { activeElement: one } = document;
        return one.labels?.[0]?.textContent || one.ariaLabel || one.textContent;
    }"""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate(named).strip() == name:
            return
    raise AssertionError(f"Tab does not lead to {name}")


def may_not(world):
    alert = alert_of(world, "invoice_duplicated")
    with world.desk("sue", f"#/alerts/{alert}") as desk:
        press(desk, "Preview and approve")
        approve = desk.page.get_by_role("region", name="Approve").get_by_role("button")
        approve.wait_for()
        assert approve.get_attribute("aria-disabled") == "true"
        reject = desk.page.get_by_role("button", name="Reject…")
        assert reject.get_attribute("aria-disabled") == "true"
        assert desk.page.get_by_text("Managers and admins may do this.").count() == 2
        approve.click(force=True)
        reject.click(force=True)
        assert not any("/execute" in url or "/reject" in url for _, url in desk.requests), desk.requests
    with world.desk("vic", "", refused={403}) as desk:
        desk.page.goto(f"{world.base}#/alerts")
        sees(desk, "Support and above may read this.")


def fails_in_the_middle_of_an_approval(world):
    alert = alert_of(world, "invoice_duplicated")
    refused = {401, 429, 503, "ERR_CONNECTION_RESET", "ERR_FAILED"}
    with world.desk("ada", f"#/alerts/{alert}", refused=refused) as desk:
        page = desk.page
        press(desk, "Preview and approve")
        page.get_by_label("Note").fill(NOTE)
        # A reload of the view keeps the note.
        page.reload()
        press(desk, "Preview and approve")
        assert page.get_by_label("Note").input_value() == NOTE
        # The laptop is closed for longer than the session lasts.
        with desk.asleep():
            desk.ends()
        page.get_by_role("dialog", name="Sign in").wait_for()
        desk.signs_in()
        assert page.get_by_label("Note").input_value() == NOTE
        # It is closed again while the approval is on its way.
        with contextlib.ExitStack() as asleep:
            desk.is_answered_too_late("POST", r"/execute$", lambda: asleep.enter_context(desk.asleep()))
            left = desk.fails("POST", r"/execute$", 429, 503, None)
            desk.ends_before(r"/execute$")
            press(desk, "Approve and execute US$7,015.50")
            page.get_by_role("dialog", name="Sign in").wait_for()
            with page.expect_event("requestfailed", lambda one: one.url.endswith("/execute")):
                desk.signs_in()
        sees(desk, "Resolved by the agent, after a read")
        assert not left, left
    journal = world.api("ada").call("GET", f"{SESSIONS}/{newest(world, alert)['id']}/journal")
    approvals = [one["detail"]["note"] for one in journal if one["what"] == "approved"]
    assert approvals == [NOTE, NOTE], approvals
    assert len([one for one in journal if one["what"] == "answered"]) == 1, journal


def newest(world, alert):
    return world.api("ada").call("GET", f"/api/concierge/alerts/{alert}/agent-sessions")[0]


def changed_since_the_preview(world):
    alert, session = proposed(world, "sue", "invoice_generation_failed")
    with world.desk("ada", f"#/alerts/{alert}", refused={409, 412, 500, "ERR_FAILED"}) as desk:
        page = desk.page
        page.get_by_role("checkbox", name="Make the missing invoice").uncheck()
        press(desk, "Preview and approve")
        page.get_by_label("Note").fill(NOTE)
        # A failure without a known reason: the note stays, and "Try again" sends it.
        desk.fails("POST", r"/execute$", 500)
        press(desk, "Approve and execute")
        sees(desk, "A test failed this request.")
        # The other proposes again. What was previewed is not approved, and the note stays.
        desk.page.route("**/api/changes*", lambda route: route.abort())
        world.api("sue").call("POST", f"{SESSIONS}/{session['id']}/propose")
        press(desk, "Try again")
        sees(desk, "The proposal changed since this preview.")
        assert page.get_by_label("Note").input_value() == NOTE
        page.unroute("**/api/changes*")
        press(desk, "Close")
        press(desk, "Preview and approve")
        # The note was written for another proposal.
        assert page.get_by_label("Note").input_value() == ""
        # The alert's status: somebody else was first.
        desk.page.route("**/api/changes*", lambda route: route.abort())
        world.api("sue").call("PATCH", f"/api/concierge/alerts/{alert}", {"status": "acknowledged"})
        press(desk, "Acknowledge")
        sees(desk, "The alert was changed meanwhile: it is acknowledged.")
        press(desk, "Cancel the session")
        confirms(desk, "Cancel the session")
        sees(desk, "Cancelled")


def settles_and_hands_over(world):
    alert, session = proposed(world, "sue", "webhooks_failing")
    [action] = [one["id"] for one in session["proposedActions"] if one["isAutomated"]]
    system = {"system": "notifications"}
    lost = system | {"mode": "drop", "times": 1, "operation": "POST /webhook-endpoints/{id}/resend"}
    # Before the first check, 15 seconds after the end.
    unread = system | {"mode": "fail", "status": 500, "times": 99, "operation": "GET /webhook-endpoints/{id}"}
    with world.desk("max", f"#/alerts/{alert}", refused={503}) as desk:
        page = desk.page
        with faults(world, lost):
            for user in ("max", "ada"):
                approve = f"{SESSIONS}/{session['id']}/execute"
                world.api(user).call("POST", approve, {"actionIds": [action]}, 202, {"prefer": "respond-async"})
            sees(desk, "Possibly done")
        with faults(world, unread):
            press(desk, "Settle…")
            page.get_by_label("Outcome").select_option("It took effect")
            note = page.get_by_label("Where and how it was seen, or the reason")
            press(desk, "Settle")
            sees(desk, "Fill this in.")
            note.fill(NOTE)
            left = desk.fails("POST", r"/settle$", 503)
            press(desk, "Settle")
            sees(desk, "Completed")
            assert not left
    alert, session = proposed(world, "sue", "dispute_opened")
    with world.desk("max", f"#/alerts/{alert}", refused={"ERR_CONNECTION_RESET"}) as desk:
        page = desk.page
        # The users come late.
        held = []
        page.route("**/api/users?*", lambda route: held.append(route), times=1)
        page.reload()
        page.get_by_role("button", name="Settle…").first.wait_for()
        assert page.get_by_role("button", name="Hand over…").count() == 0
        [users] = held
        users.continue_()
        page.get_by_role("button", name="Hand over…").first.click()
        page.get_by_label("To", exact=True).select_option(label="Sue Marchetti (sue)")
        page.get_by_label("Note").fill(NOTE)
        # The form stays while others work on the session.
        world.api("ada").call("PATCH", f"/api/concierge/alerts/{alert}", {"status": "acknowledged"})
        sees(desk, "Acknowledged")
        assert page.get_by_label("Note").input_value() == NOTE
        # It is done, but the answer is lost. The repeated request has the same key.
        desk.is_answered_too_late("POST", r"/hand-over$")
        press(desk, "Hand over")
        sees(desk, "Handed over to Sue Marchetti")
        page.get_by_role("link", name=re.compile(r"^request \d+$")).wait_for()
        desk.looks("manual")
    journal = world.api("ada").call("GET", f"{SESSIONS}/{session['id']}/journal")
    assert len([one for one in journal if one["what"] == "handed_over"]) == 1, journal


def pauses(world):
    """A pause begins and ends by keyboard, on the list and while an action waits."""
    proposed(world, "sue", "invoice_quantity_differs")
    with world.desk("ada", "#/alerts", width=390) as desk:
        page = desk.page

        def enters(name):
            page.get_by_role("button", name=name, exact=True).press("Enter")

        enters("Pause all actions")
        confirms(desk, "Pause all actions")
        sees(desk, "All actions are paused")
        page.get_by_role("link", name="Invoice KA-2026-11 bills more than was metered").press("Enter")
        enters("Preview and approve")
        sees(desk, "All of the organization's actions are paused.")
        enters("Approve and execute")
        sees(desk, "Queued")
        enters("Pause…")
        enters("Resume all actions")
        page.get_by_role("button", name="Pause all actions").wait_for()
        enters("Cancel the session")
        confirms(desk, "Cancel the session")
        sees(desk, "Analyse again")
