//! The meaning of the agent: when an alert is resolved, who may act, and how often.

use local::target_systems::{Fault, FaultMode};
use serde_json::{Value, json};
use shared::model::{Id, span};
use tests::support::{Answer, Caller, Concierge, text_of};

const SECOND: i64 = span::SECOND;
const RETRY: &str = "POST /payments/{id}/retry";

async fn alert_of(world: &Concierge, session: &Value) -> Value {
    let alert = world.session(session).await["alertId"].clone();
    let path = format!("/api/concierge/alerts/{alert}");
    world.max.get(&path).await.expect(200)
}

async fn executes(caller: &Caller, session: &Value, action: &str) -> Answer {
    let path = format!("/api/concierge/agent-sessions/{session}/execute");
    caller.post(&path, json!({"actionIds": [action]})).await
}

async fn sets_policy(world: &Concierge, policy: Value) {
    let ada = world.api.sign_in("ada").await;
    let path = "/api/concierge/policy";
    let version = ada.get(path).await.expect(200)["version"].clone();
    let ada = ada.with_header("if-match", &format!("\"{version}\""));
    ada.put(path, policy).await.expect(200);
}

/// A payment that was refused for now: session and action, released until the pause is over.
async fn deferred(world: &Concierge) -> (Value, String) {
    let id = world.failed_payment().await;
    let retry = world.proposed(&id).await.remove(0);
    world.executes(&id, &[&retry]).await.expect(202);
    world.takes_messages().await;
    world.demo.inject(Fault {
        status: 429,
        retry_after: Some("60".to_owned()),
        operation: Some(RETRY.to_owned()),
        ..Fault::once("payments", FaultMode::Fail)
    });
    world.runs(&id, &retry).await;
    assert_eq!(world.outcome(&id).await, ("executing".into(), vec![]));
    (id, retry)
}

/// A dispute is not answered by pausing the collection of its invoice.
#[tokio::test]
async fn an_alert_stays_open_while_its_matter_stands() {
    let world = Concierge::start().await;
    let entities = [("dispute", "dp_4001"), ("invoice", "inv_2014")];
    let (id, _) = world.approved("dispute_opened", &entities, 0).await;
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    let session = world.session(&id).await;
    let result = &session["executionResults"][0];
    assert_eq!(result["verification"]["status"], "effective", "{result}");
    let ends = json!([
        "dispute.state is `won` or `under_review`",
        "invoice.paused is false"
    ]);
    assert_eq!(session["analysis"]["resolvedWhen"], ends);
    assert_eq!(alert_of(&world, &id).await["status"], "open");
    // A batch that was processed is all that there was to its alert.
    let (id, _) = world.approved_batch().await;
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(alert_of(&world, &id).await["status"], "resolved");
}

/// A monitor sees a fix later than the agent, and may see that it did not last.
#[tokio::test]
async fn a_report_opens_the_alert_five_minutes_after_the_agent() {
    let world = Concierge::start().await;
    let (id, _) = world.approved_batch().await;
    world.delivers(&world.worker()).await;
    let alert = alert_of(&world, &id).await;
    let sue = world.api.sign_in("sue").await;
    let path = format!("/api/concierge/alerts/{}", alert["id"]);
    let resolved = sue.get(&path).await.expect(200);
    assert_eq!(
        (&resolved["status"], &resolved["statusBy"]),
        (&json!("resolved"), &json!("agent"))
    );
    let again = json!({
        "source": resolved["source"], "externalId": resolved["externalId"],
        "signalType": "usage_batch_stuck", "severity": "error", "title": "Stuck",
        "targetSystem": "billing", "occurredAt": resolved["occurredAt"],
        "entities": resolved["entities"],
    });
    let reports = async || {
        let answer = sue
            .post("/api/concierge/alerts", again.clone())
            .await
            .expect(200);
        (answer["status"].clone(), answer["statusBy"].clone())
    };
    world.api.clock.advance(4 * span::MINUTE);
    assert_eq!(reports().await, (json!("resolved"), json!("agent")));
    world.api.clock.advance(span::MINUTE);
    assert_eq!(reports().await, (json!("open"), json!("report")));
    // The fix is told, the old session stays as it was, and the alert takes another one.
    let open = sue.get(&path).await.expect(200);
    let number = open["id"].as_i64().and_then(Id::new).unwrap();
    let stored = world
        .api
        .store
        .alerts()
        .get(world.api.home.id, number)
        .await
        .unwrap();
    let last = stored.record.recurrence.unwrap();
    assert_eq!(json!(last.agent_session_id), id);
    assert_eq!(world.session(&id).await["status"], "completed");
    let next = world.session(&id).await["next"].clone();
    assert!(!next.is_null(), "{next}");
    let other = sue
        .trigger(&format!("{path}/agent-session"))
        .await
        .expect(200);
    assert_ne!(other["session"]["id"], id);
    let ada = world.api.sign_in("ada").await;
    let entries = ada
        .walk(&format!("/api/journal?subject=alert:{}", open["id"]))
        .await;
    let changed = entries.iter().filter(|one| one["event"] == "alert_changed");
    let by = |one: &Value| (one["actor"]["type"].clone(), one["actor"]["userId"].clone());
    let who: Vec<_> = changed.map(by).collect();
    assert_eq!(who.len(), 2, "{entries:?}");
    assert!(who.contains(&(json!("service"), json!(null))));
    assert!(who.contains(&(json!("user"), json!(sue.id()))));
}

/// A failed read, a pause and a lost message delay the end of an alert, and do not prevent it.
#[tokio::test]
async fn an_alert_is_checked_until_its_matter_can_be_read() {
    let world = Concierge::start().await;
    let (id, _) = world.approved_batch().await;
    world.delivers_once(&world.worker()).await;
    let requests = world.takes_messages().await;
    assert_eq!(requests.len(), 1, "{requests:?}");
    let status = async || alert_of(&world, &id).await["status"].clone();
    let sweeps = async |minutes: i64| {
        world.api.clock.advance(minutes * span::MINUTE);
        world.sweeper().sweep().await.checks
    };
    // The message is lost, and the system is down for the next one.
    assert_eq!(sweeps(1).await, 1);
    world.demo.inject(Fault::once("billing", FaultMode::Fail));
    world.delivers(&world.worker()).await;
    assert_eq!(status().await, "open");
    let ada = world.api.sign_in("ada").await;
    ada.trigger("/api/concierge/pause").await.expect(200);
    assert_eq!(sweeps(1).await, 1);
    world.delivers(&world.worker()).await;
    assert_eq!(status().await, "open");
    ada.trigger("/api/concierge/resume").await.expect(200);
    assert_eq!(sweeps(1).await, 1);
    world.delivers(&world.worker()).await;
    assert_eq!(status().await, "resolved");
    assert_eq!(sweeps(60).await, 0);
    let entries = ada.walk("/api/journal").await;
    let changed = entries.iter().find(|one| one["event"] == "alert_changed");
    assert_eq!(changed.unwrap()["actor"]["type"], "service");
}

const OPEN: &str = "/api/concierge/agent-sessions?open=true";

/// The ids of a session's actions whose description begins so.
async fn named(world: &Concierge, session: &Value, begins: &str) -> String {
    let actions = world.session(session).await["proposedActions"].clone();
    let mut actions = actions.as_array().unwrap().iter();
    let is_it = |one: &&Value| one["description"].as_str().unwrap().starts_with(begins);
    actions.find(is_it).unwrap()["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// The pause of a collection answers no dispute: the manual action is left, and is found.
#[tokio::test]
async fn a_completed_session_keeps_its_manual_actions() {
    let world = Concierge::start().await;
    let entities = [("dispute", "dp_4001"), ("invoice", "inv_2014")];
    let (id, _) = world.approved("dispute_opened", &entities, 0).await;
    world.delivers(&world.worker()).await;
    let session = world.session(&id).await;
    assert_eq!(
        (&session["status"], &session["openActions"]),
        (&json!("completed"), &json!(2))
    );
    let next = &session["next"];
    assert_eq!(next["who"], "A user who may execute actions");
    let what = next["what"].as_str().unwrap();
    assert!(
        what.starts_with("settles \"Respond to dispute `dp_4001`"),
        "{what}"
    );
    let action = named(&world, &id, "Respond to dispute").await;
    let follow = named(&world, &id, "When dispute").await;
    // However long it takes: another day does not hide it.
    world.api.clock.advance(3 * span::DAY);
    world.sweeper().sweep().await;
    let max = world.api.sign_in("max").await;
    for list in [OPEN, "/api/concierge/agent-sessions?next=me"] {
        let rows = max.get(list).await.expect(200);
        assert_eq!(rows[0]["id"], id, "{list}");
        assert_eq!(rows[0]["openActions"], 2, "{list}");
    }
    assert_eq!(
        max.get("/api/concierge/agent-sessions?open=false")
            .await
            .ids(),
        [0; 0]
    );
    let path = format!("/api/concierge/agent-sessions/{id}/actions/{action}/settle");
    let settled = max.post(
        &path,
        json!({"outcome": "done", "note": "The bank has it."}),
    );
    assert_eq!(settled.await.expect(200)["openActions"], 1);
    // The pause outlives its reason unless somebody follows the dispute.
    let path = format!("/api/concierge/agent-sessions/{id}/actions/{follow}/settle");
    let settled = max.post(&path, json!({"outcome": "waived", "note": "Noted."}));
    assert_eq!(settled.await.expect(200)["openActions"], 0);
    assert_eq!(max.get(OPEN).await.ids(), [0; 0]);
    // The alert is left.
    let path = format!("/api/concierge/agent-sessions/{id}");
    let what = max.get(&path).await.expect(200)["next"]["what"].clone();
    assert!(
        what.as_str().unwrap().ends_with("or resolves the alert"),
        "{what}"
    );
}

/// An account that is billed again has no invoice yet.
#[tokio::test]
async fn the_other_actions_of_a_completed_session_can_be_executed() {
    let world = Concierge::start().await;
    let customer = [("customer", "cus_506")];
    let (id, resume) = world
        .approved("invoice_generation_failed", &customer, 0)
        .await;
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(alert_of(&world, &id).await["status"], "open");
    let generate = named(&world, &id, "Make the missing invoice").await;
    let row = world.max.get(OPEN).await.expect(200)[0].clone();
    assert_eq!(row["id"], id);
    let action = &row["proposedActions"][1];
    assert_eq!(
        (&action["id"], &action["mayApprove"]),
        (&json!(generate), &json!(true))
    );
    assert_eq!(
        action["money"],
        json!({"direction": "customer_owes_more", "amount": {"minorUnits": 318_000, "currency": "USD"}})
    );
    assert_eq!(row["expiresAt"], "2026-01-16T12:00:00.000Z");
    let mixed = world.executes(&id, &[&resume, &generate]).await;
    mixed.expect_problem(409, "other_actions_approved");
    world.executes(&id, &[&generate]).await.expect(202);
    world.delivers(&world.worker()).await;
    let (status, results) = world.outcome(&id).await;
    assert_eq!(
        (status.as_str(), results.len()),
        ("completed", 2),
        "{results:?}"
    );
    assert!(results.iter().all(|(success, _)| *success), "{results:?}");
    assert_eq!(world.demo.effects().len(), 2);
    assert_eq!(alert_of(&world, &id).await["status"], "resolved");
    // Each list returns its results, and runs nothing.
    for list in [&resume, &generate] {
        let stands = world.executes(&id, &[list]).await.expect(200);
        assert_eq!(stands["results"][0]["actionId"], json!(list));
    }
    assert_eq!(world.takes_messages().await, [] as [String; 0]);
    world.journal(&id).await;
}

/// All that holds for a first approval holds for one after the end.
#[tokio::test]
async fn an_approval_after_the_end_is_judged_like_the_first() {
    let customer = [("customer", "cus_506")];
    let completed = async || {
        let world = Concierge::start().await;
        let (id, _) = world
            .approved("invoice_generation_failed", &customer, 0)
            .await;
        world.delivers(&world.worker()).await;
        let generate = named(&world, &id, "Make the missing invoice").await;
        (world, id, generate)
    };
    // The policy of now.
    let (world, id, generate) = completed().await;
    sets_policy(&world, json!({"rules": [{"approvers": 2}]})).await;
    let pending = world.executes(&id, &[&generate]).await.expect(202)["session"].clone();
    assert_eq!(pending["status"], "completed");
    let what = pending["next"]["what"].as_str().unwrap();
    assert!(what.contains("(2 of 2)"), "{what}");
    // The first approver waits for another user.
    let ada = world.api.sign_in("ada").await;
    let ada = ada.with_header("prefer", "respond-async");
    let mine = "/api/concierge/agent-sessions?next=me";
    assert_eq!(world.max.get(mine).await.expect(200), json!([]));
    let what = ada.get(mine).await.expect(200)[0]["next"]["what"].clone();
    assert!(what.as_str().unwrap().starts_with("approves"), "{what}");
    executes(&ada, &id, &generate).await.expect(202);
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 2);
    // A resolved alert.
    let (world, id, generate) = completed().await;
    let alert = alert_of(&world, &id).await["id"].clone();
    let path = format!("/api/concierge/alerts/{alert}");
    world
        .max
        .patch(&path, json!({"status": "resolved"}))
        .await
        .expect(200);
    let refused = world.executes(&id, &[&generate]).await;
    refused.expect_problem(409, "alert_resolved");
    let left = world.session(&id).await;
    let next = left["next"]["what"].as_str().unwrap_or_default();
    assert!(!next.contains("approves"), "{next}");
    // Another session.
    world
        .max
        .patch(&path, json!({"status": "open"}))
        .await
        .expect(200);
    world
        .max
        .trigger(&format!("{path}/agent-session"))
        .await
        .expect(200);
    let refused = world.executes(&id, &[&generate]).await;
    refused.expect_problem(409, "session_superseded");
    // A day.
    let (world, id, generate) = completed().await;
    world.api.clock.advance(span::DAY);
    let max = world.api.sign_in("max").await;
    let refused = executes(&max, &id, &generate).await;
    refused.expect_problem(409, "session_expired");
    assert_eq!(
        max.get(&format!("/api/concierge/agent-sessions/{id}"))
            .await
            .expect(200)["expiresAt"],
        Value::Null
    );
}

/// A 429 proves that nothing was done.
#[tokio::test]
async fn a_policy_that_denies_holds_after_a_refusal_for_now() {
    let world = Concierge::start().await;
    let (id, _) = deferred(&world).await;
    let when = json!({"actionType": "retry_payment"});
    sets_policy(&world, json!({"rules": [{"when": when, "deny": true}]})).await;
    world.api.clock.advance(61 * SECOND);
    world.sweeper().sweep().await;
    world.delivers(&world.worker()).await;
    world.has_failed(&id, "policy_denied", 0).await;
}

#[tokio::test]
async fn an_approval_of_a_demoted_or_disabled_user_does_not_count() {
    for change in [json!({"role": "viewer"}), json!({"disabled": true})] {
        let world = Concierge::start().await;
        let ada = world.api.sign_in("ada").await;
        sets_policy(&world, json!({"rules": [{"approvers": 2}]})).await;
        let id = world.stuck_batch().await;
        let action = world.proposed(&id).await.remove(0);
        executes(&world.max, &id, &action).await.expect(202);
        let path = format!("/api/users/{}", world.max.id());
        ada.patch(&path, change.clone()).await.expect(200);
        let preview = format!("/api/concierge/agent-sessions/{id}/preview");
        let preview = ada.post(&preview, json!({"actionIds": [action]})).await;
        let policy = preview.expect(200)["actions"][0]["policy"].clone();
        assert_eq!(policy["approvalsGiven"], 0, "{change}");
        let ada = ada.with_header("prefer", "respond-async");
        let session = executes(&ada, &id, &action).await.expect(202)["session"].clone();
        assert_eq!(session["status"], "awaiting_confirmation", "{change}");
        let approvals = session["proposedActions"][0]["approvals"]
            .as_array()
            .unwrap();
        assert_eq!(approvals.len(), 1, "{change}");
        assert_eq!(world.takes_messages().await, [] as [String; 0]);
    }
}

/// The policy of the proposal stays in force after the policy was lifted.
#[tokio::test]
async fn the_rules_at_the_proposal_stay() {
    let world = Concierge::start().await;
    sets_policy(&world, json!({"rules": [{"notOpener": true}]})).await;
    let id = world.stuck_batch().await;
    let action = world.proposed(&id).await.remove(0);
    let refused = executes(&world.max, &id, &action).await;
    refused.expect_problem(403, "approver_not_allowed");
    sets_policy(&world, json!({"rules": []})).await;
    let refused = executes(&world.max, &id, &action).await;
    refused.expect_problem(403, "approver_not_allowed");
    // The journal tells who lifted it, and what it was.
    let ada = world.api.sign_in("ada").await;
    let entries = ada.walk("/api/journal").await;
    let sets = entries.iter().filter(|one| one["event"] == "policy_set");
    assert_eq!(sets.count(), 2, "{entries:?}");
}

/// The playbook limits the tries, however often users ask for them.
#[tokio::test]
async fn a_payment_is_tried_as_often_as_its_playbook_allows() {
    let world = Concierge::start().await;
    let id = world.failed_payment().await;
    let retry = world.proposed(&id).await.remove(0);
    world.demo.inject(Fault {
        status: 402,
        times: 9,
        operation: Some(RETRY.to_owned()),
        ..Fault::once("payments", FaultMode::Fail)
    });
    world.executes(&id, &[&retry]).await.expect(202);
    world.delivers(&world.worker()).await;
    world.has_failed(&id, "402", 0).await;
    for _ in 0..3 {
        world.api.clock.advance(SECOND);
        world.executes_again(&id, &[&retry]).await.expect(202);
        world.delivers(&world.worker()).await;
        world.has_failed(&id, "attempts_reached", 0).await;
    }
}

#[tokio::test]
async fn a_resolved_alert_is_not_acted_on() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let action = world.proposed(&id).await.remove(0);
    let alert = alert_of(&world, &id).await["id"].clone();
    let path = format!("/api/concierge/alerts/{alert}");
    let resolves = |status: &'static str| world.max.patch(&path, json!({"status": status}));
    resolves("resolved").await.expect(200);
    let answer = world.executes(&id, &[&action]).await;
    answer.expect_problem(409, "alert_resolved");
    resolves("open").await.expect(200);
    world.executes(&id, &[&action]).await.expect(202);
}

/// The key of a call in doubt is kept for half an hour, and the pause takes longer.
#[tokio::test]
async fn a_call_in_doubt_is_not_repeated_after_its_keys_life() {
    for (minutes, status) in [(20, "completed"), (31, "executing")] {
        let world = Concierge::start_unwary().await;
        let keys = json!({"in": "header", "name": "Idempotency-Key", "keptFor": "30m"});
        let keys = json!({"idempotency": keys});
        world.connects("payments", keys).await;
        let id = world.failed_payment().await;
        let retry = world.proposed(&id).await.remove(0);
        world.executes(&id, &[&retry]).await.expect(202);
        world.takes_messages().await;
        // The payment is made, and the answer is lost each time.
        world.demo.inject(Fault {
            times: 9,
            ..Fault::once("payments", FaultMode::Drop)
        });
        world.runs(&id, &retry).await;
        world.is_executing(&id, 1).await;
        world.demo.clear_faults();
        world.api.clock.advance(minutes * span::MINUTE);
        world.runs(&id, &retry).await;
        let (found, results) = world.outcome(&id).await;
        assert_eq!(found, status, "{minutes}: {results:?}");
        // The system would perform the call again; whether it was sent shows in its calls.
        assert_eq!(world.demo.effects().len(), 1, "{minutes}");
        let is_unknown = results[0].1.contains("Check there; it is not sent again.");
        assert_eq!(is_unknown, status == "executing", "{results:?}");
    }
}

/// A read that finds the effect ends the doubt. The call is not repeated.
#[tokio::test]
async fn a_call_in_doubt_is_read_before_it_is_repeated() {
    let world = Concierge::start().await;
    let id = world.failed_payment().await;
    let retry = world.proposed(&id).await.remove(0);
    world.executes(&id, &[&retry]).await.expect(202);
    world.takes_messages().await;
    world.demo.inject(Fault {
        times: 2,
        operation: Some(RETRY.to_owned()),
        ..Fault::once("payments", FaultMode::Drop)
    });
    world.runs(&id, &retry).await;
    // The second fault is left: the call was sent once.
    assert_eq!(world.demo.waiting_faults(), 1);
    assert_eq!(world.demo.effects().len(), 1);
    assert_eq!(world.outcome(&id).await.0, "completed");
}

/// The organization's journal names the newest entry of each session that ended.
#[tokio::test]
async fn a_session_that_was_removed_is_missed() {
    let world = Concierge::start().await;
    let (id, _) = world.approved_batch().await;
    world.delivers(&world.worker()).await;
    let other = world.failed_payment().await;
    world.cancels(&other).await.expect(200);
    for _ in 0..2 {
        assert_eq!(world.sweeper().sweep().await, sweeper::Swept::default());
    }
    let ada = world.api.sign_in("ada").await;
    let breaks = async || {
        let check = ada.get("/api/journal/check").await.expect(200);
        assert_eq!(check["verified"], json!(check["breaks"] == json!([])));
        check["breaks"].clone()
    };
    assert_eq!(breaks().await, json!([]));
    let entries = ada.walk("/api/journal").await;
    let mut entries = entries.iter();
    let end = entries.find(|one| one["event"] == "agent_sessions_ended");
    let end = end.unwrap();
    let subjects = [&id, &other].map(|id| format!("agent_session:{id}"));
    assert_eq!(end["subjects"], json!(subjects));
    // Whoever removes the session removes its journal too.
    let items = world.api.items().await;
    let own = format!("#AGENT_SESSION#{id}");
    for item in items {
        let partition = text_of(&item, "pk");
        if partition.contains(&format!("{own}#")) || partition.ends_with(&own) {
            world.api.loses(partition, text_of(&item, "sk")).await;
        }
    }
    let missed = json!([{
        "seq": end["seq"], "subject": format!("agent_session:{id}"), "why": "session_missing",
    }]);
    assert_eq!(breaks().await, missed);
}

/// By the preset, no user alone has done what cannot be undone.
#[tokio::test]
async fn what_cannot_be_undone_needs_two_others() {
    let world = Concierge::start().await;
    sets_policy(&world, json!({"preset": "billing"})).await;
    let ada = world.api.sign_in("ada").await;
    for (class, entity, place, kind) in [
        (
            "usage_events_missing",
            ("customer", "cus_501"),
            0,
            "resend_usage_events",
        ),
        (
            "usage_batch_stuck",
            ("usage_batch", "ub_1001"),
            0,
            "reprocess_usage_batch",
        ),
        (
            "payment_failed",
            ("payment", "pay_3001"),
            1,
            "notify_customer",
        ),
        (
            "payment_outcome_unknown",
            ("payment", "pay_3007"),
            0,
            "reconcile_payment",
        ),
        (
            "webhooks_failing",
            ("webhook_endpoint", "we_5001"),
            0,
            "resend_webhooks",
        ),
    ] {
        let alert = world.alert(class, &[entity, ("customer", "cus_501")]).await;
        let id = world.opened(&alert).await;
        let action = world.proposed(&id).await.remove(place);
        let shown = world.session(&id).await["proposedActions"][place].clone();
        assert_eq!(shown["actionType"], kind);
        assert_eq!(shown["isAutomated"], true, "{kind}");
        assert_eq!(shown["risk"], "critical", "{kind}");
        assert_eq!(shown["reversible"]["is"], "no", "{kind}");
        let refused = executes(&world.max, &id, &action).await;
        refused.expect_problem(403, "approver_not_allowed");
        executes(&ada, &id, &action).await.expect(202);
        let session = world.session(&id).await;
        assert_eq!(session["status"], "awaiting_confirmation", "{kind}");
        assert_eq!(session["proposedActions"][place]["approval"]["needed"], 2);
    }
    assert_eq!(world.demo.effects(), []);
}
