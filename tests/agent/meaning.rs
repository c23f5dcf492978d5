//! The meaning of the agent: when an alert is resolved, who may act, and how often.

use local::target_systems::{Fault, FaultMode};
use serde_json::{Value, json};
use shared::model::{Id, span};
use tests::support::{Answer, Caller, Concierge, shows, text_of};

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
    shows!(resolved, {"status": "resolved", "statusBy": "agent"});
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
    shows!(session, {"status": "completed", "openActions": 2});
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
    shows!(action, {"id": generate, "mayApprove": true});
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

#[tokio::test]
async fn an_approval_of_a_demoted_or_disabled_user_does_not_count() {
    for change in [json!({"role": "viewer"}), json!({"disabled": true})] {
        let (world, [ada]) = Concierge::signed_in(["ada"]).await;
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
