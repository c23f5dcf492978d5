"""A billing team works with the agent as in the agent's document, from the policy to the journal."""

import time

# Seconds for the delivery of a message, a call and its verification.
PATIENCE = 60
POLICY = {
    "preset": "billing",
    "caps": {"actions": 50, "money": [{"minorUnits": 1_000_000, "currency": "USD"}]},
}
DISPUTE = {
    "source": "billing-monitor",
    "externalId": "dispute-dp_4001",
    "severity": "critical",
    "signalType": "dispute_opened",
    "title": "A bank disputes a payment",
    "targetSystem": "payments",
    "entities": [{"type": "dispute", "id": "dp_4001"}],
}
ALERT = {
    "source": "billing-monitor",
    "externalId": "duplicate-inv_2008",
    "severity": "critical",
    "signalType": "invoice_duplicated",
    "title": "Longhaul Imports was billed twice for October",
    "targetSystem": "billing",
    "entities": [{"type": "invoice", "id": "inv_2008"}],
    "lifecycle": [{"at": "2026-11-20T08:00:00Z", "state": "open"}],
}


def work(admin, colleague, targets, payments):
    """Tells two stories of a team. `admin` is signed in to an organization with connections; `colleague`
    creates a user with a role and returns the user's client. `payments` is a client of that system."""
    admin.call("PUT", "/api/concierge/policy", POLICY)
    support, manager = colleague("support"), colleague("manager")
    void(admin, support, manager, targets)
    answer_dispute(support, manager, payments)


def answer_dispute(support, manager, payments):
    """The agent pauses the collection of the disputed invoice, and `next` says what is left. A person
    answers the bank. Once the dispute is won, the agent resumes the collection."""
    print("  a dispute: collection paused, answered, won, resumed, resolved", flush=True)
    alert = support.call("POST", "/api/concierge/alerts", DISPUTE)["id"]
    opened = support.call("POST", f"/api/concierge/alerts/{alert}/agent-session")["session"]
    path = f"/api/concierge/agent-sessions/{opened['id']}"
    actions = support.call("POST", f"{path}/propose")["session"]["proposedActions"]
    [pause, respond, follow] = sorted(actions, key=lambda action: not action["isAutomated"])
    approved = {"actionIds": [pause["id"]], "digests": {pause["id"]: pause["digest"]}}
    manager.call("POST", f"{path}/execute", approved, expect=(200, 202))
    session = until_verified(manager, path)
    assert (session["status"], session["openActions"]) == ("completed", 2), session
    [mine] = [
        row
        for row in manager.call("GET", "/api/concierge/agent-sessions?next=me")
        if row["id"] == opened["id"]
    ]
    for shown in (session, mine):
        assert shown["next"]["what"].startswith('settles "Respond to dispute `dp_4001`'), shown
    assert manager.call("GET", f"/api/concierge/alerts/{alert}")["status"] == "open"
    payments.call("POST", "/disputes/dp_4001/response", {"text": "It was delivered."})
    outcome = {"outcome": "done", "note": "The proof of delivery is sent to the bank."}
    settled = manager.call("POST", f"{path}/actions/{respond['id']}/settle", outcome)
    assert settled["openActions"] == 1, settled
    payments.call("POST", "/disputes/dp_4001/decision", {"state": "won"})
    outcome = {"outcome": "done", "note": "The bank has decided."}
    manager.call("POST", f"{path}/actions/{follow['id']}/settle", outcome)
    assert manager.call("GET", f"/api/concierge/alerts/{alert}")["status"] == "open"
    opened = support.call("POST", f"/api/concierge/alerts/{alert}/agent-session")["session"]
    path = f"/api/concierge/agent-sessions/{opened['id']}"
    [resume] = support.call("POST", f"{path}/propose")["session"]["proposedActions"]
    assert resume["actionType"] == "resume_collection", resume
    approved = {"actionIds": [resume["id"]], "digests": {resume["id"]: resume["digest"]}}
    manager.call("POST", f"{path}/execute", approved, expect=(200, 202))
    until_resolved(manager, alert)
    session = manager.call("GET", path)
    assert session["next"] is None, session
    rows = manager.call("GET", "/api/concierge/agent-sessions?open=true")
    assert opened["id"] not in [row["id"] for row in rows], rows
    assert manager.call("GET", f"{path}/journal/check")["verified"]


def void(admin, support, manager, targets):
    """Voids a duplicated invoice. That cannot be undone, so two users approve it who neither opened the
    session nor had it proposed."""
    print("  a billing team: alert, inbox, evidence and preview", flush=True)
    alert = support.call("POST", "/api/concierge/alerts", ALERT)["id"]
    opened = support.call("POST", f"/api/concierge/alerts/{alert}/agent-session")["session"]
    path = f"/api/concierge/agent-sessions/{opened['id']}"
    session = support.call("POST", f"{path}/propose")["session"]
    assert any(finding["holds"] for finding in session["analysis"]["evidence"]), session
    automated = [action for action in session["proposedActions"] if action["isAutomated"]]
    [voiding] = automated
    assert (voiding["actionType"], voiding["risk"]) == ("void_invoice", "critical"), voiding
    inbox = manager.call("GET", "/api/concierge/agent-sessions?status=awaiting_confirmation")
    assert opened["id"] in [row["id"] for row in inbox], inbox

    ids = {"actionIds": [voiding["id"]]}
    for caller, may_approve in ((manager, True), (support, False)):
        [shown] = caller.call("POST", f"{path}/preview", ids)["actions"]
        assert shown["policy"]["mayApprove"] is may_approve, shown
        assert shown["policy"]["approversNeeded"] == 2, shown
        assert all(condition["holds"] for condition in shown["preconditions"]), shown
        assert shown["money"] == voiding["money"], shown

    print("  two approvers, the effect, its verification and the journal")
    before = len(targets.call("GET", "/effects"))
    approved = {**ids, "digests": {voiding["id"]: voiding["digest"]}}
    support.call("POST", f"{path}/execute", approved, expect=403)
    first = manager.call("POST", f"{path}/execute", approved, expect=202)["session"]
    assert first["status"] == "awaiting_confirmation", first
    admin.call("POST", f"{path}/execute", approved, expect=(200, 202))
    seen = until_verified(admin, path)
    assert seen["status"] == "completed", seen
    [effect] = targets.call("GET", "/effects")[before:]
    assert effect["entity"] == "inv_2008", effect
    until_resolved(admin, alert)
    journal = [entry["what"] for entry in admin.call("GET", f"{path}/journal")]
    for what in ("proposed", "approved", "claimed", "ended", "verified", "alert_resolved"):
        assert what in journal, (what, journal)
    assert journal.count("approved") == 2, journal
    assert admin.call("GET", f"{path}/journal/check")["verified"]


def until_resolved(caller, alert):
    """Waits until a worker has read that the alert's matter is settled."""
    deadline = time.monotonic() + PATIENCE
    while caller.call("GET", f"/api/concierge/alerts/{alert}")["status"] != "resolved":
        assert time.monotonic() < deadline, f"alert {alert} is not resolved after {PATIENCE} s"
        time.sleep(0.25)


def until_verified(caller, path):
    """Returns the session once the effect of its action is verified."""
    deadline = time.monotonic() + PATIENCE
    while True:
        session = caller.call("GET", path)
        results = [result["checks"] for result in session["executionResults"]]
        if results and all(checks and checks[-1]["status"] == "done" for checks in results):
            return session
        assert time.monotonic() < deadline, f"not verified after {PATIENCE} s: {session}"
        time.sleep(0.25)
