//! The meaning of the agent: when an alert is resolved, who may act, and how often.

use local::target_systems::{FaultMode, InjectedFault};
use serde_json::{Value, json};
use shared::model::base::{Id, span};
use tests::support::{Answer, Caller, Concierge, begins, posts, refused, says, shows, text_of};

async fn alert_of(world: &Concierge, session: &Value) -> Value {
    let alert = world.session(session).await["alertId"].clone();
    let path = format!("/api/concierge/alerts/{alert}");
    world.max.reads(&path).await
}

async fn executes(caller: &Caller, session: &Value, action: &str) -> Answer {
    let path = format!("/api/concierge/agent-sessions/{session}/execute?detail=full");
    caller
        .post(&path, json!({"actionIds": [action]}))
        .await
}

async fn sets_policy(world: &Concierge, policy: Value) {
    let ada = world.api.sign_in("ada").await;
    let path = "/api/concierge/policy";
    let version = ada.reads(path).await["version"].clone();
    let ada = ada.with_header("if-match", &format!("\"{version}\""));
    ada.puts(path, policy).await;
}

/// A monitor sees a fix later than the agent, and may see that it did not last.
#[tokio::test]
async fn a_report_opens_the_alert_five_minutes_after_the_agent() {
    let (world, id, _) = Concierge::start()
        .await
        .with_approved_batch()
        .await;
    world.delivers(&world.worker()).await;
    let alert = alert_of(&world, &id).await;
    let sue = world.api.sign_in("sue").await;
    let path = format!("/api/concierge/alerts/{}", alert["id"]);
    let resolved = sue.reads(&path).await;
    shows!(resolved, {"status": "resolved", "statusBy": "agent"});
    let again = json!({
        "source": resolved["source"], "externalId": resolved["externalId"],
        "signalType": "usage_batch_stuck", "severity": "error", "title": "Stuck",
        "targetSystem": "billing", "occurredAt": resolved["occurredAt"],
        "entities": resolved["entities"],
    });
    let reports = async || {
        let answer = sue
            .posts("/api/concierge/alerts", again.clone())
            .await;
        (answer["status"].clone(), answer["statusBy"].clone())
    };
    world
        .api
        .clock
        .advance(4 * span::MINUTE);
    assert_eq!(reports().await, (json!("resolved"), json!("agent")));
    world.api.clock.advance(span::MINUTE);
    assert_eq!(reports().await, (json!("open"), json!("report")));
    // The fix is told, the old session stays as it was, and the alert takes another one.
    let open = sue.reads(&path).await;
    let number = open["id"]
        .as_i64()
        .and_then(Id::new)
        .unwrap();
    let alerts = world.api.store.alerts();
    let stored = alerts
        .get(world.api.home.id, number)
        .await
        .unwrap();
    let last = stored.record.recurrence.unwrap();
    assert_eq!(json!(last.agent_session_id), id);
    assert_eq!(world.session(&id).await["status"], "completed");
    let next = world.session(&id).await["next"].clone();
    assert!(!next.is_null(), "{next}");
    let other = sue
        .triggers(&format!("{path}/agent-session"))
        .await;
    assert_ne!(other["session"]["id"], id);
}

/// A failed read, a pause and a lost message delay the end of an alert, and do not prevent it.
#[tokio::test]
async fn an_alert_is_checked_until_its_matter_can_be_read() {
    let (world, id, _) = Concierge::start()
        .await
        .with_approved_batch()
        .await;
    world
        .delivers_once(&world.worker())
        .await;
    let requests = world.takes_messages().await;
    assert_eq!(requests.len(), 1, "{requests:?}");
    let status = async || alert_of(&world, &id).await["status"].clone();
    let sweeps = async |minutes: i64| {
        world
            .api
            .clock
            .advance(minutes * span::MINUTE);
        world.sweeper().sweep().await.checks
    };
    // The message is lost, and the system is down for the next one.
    assert_eq!(sweeps(1).await, 1);
    world
        .demo
        .inject(InjectedFault::once("billing", FaultMode::Fail));
    world.delivers(&world.worker()).await;
    assert_eq!(status().await, "open");
    let ada = world.api.sign_in("ada").await;
    ada.triggers("/api/concierge/pause")
        .await;
    assert_eq!(sweeps(1).await, 1);
    world.delivers(&world.worker()).await;
    assert_eq!(status().await, "open");
    ada.triggers("/api/concierge/resume")
        .await;
    assert_eq!(sweeps(1).await, 1);
    world.delivers(&world.worker()).await;
    assert_eq!(status().await, "resolved");
    assert_eq!(sweeps(60).await, 0);
    let entries = ada.walk("/api/journal").await;
    let changed = entries
        .iter()
        .find(|entry| entry["event"] == "alert_changed");
    assert_eq!(changed.unwrap()["actor"]["type"], "service");
}

const OPEN: &str = "/api/concierge/agent-sessions?open=true";

/// The ids of a session's actions whose description begins so.
async fn named(world: &Concierge, session: &Value, begins: &str) -> String {
    let actions = world.session(session).await["proposedActions"].clone();
    let mut actions = actions.as_array().unwrap().iter();
    let action = actions.find(|action| {
        let description = action["description"].as_str().unwrap();
        description.starts_with(begins)
    });
    let id = action.unwrap()["id"].as_str();
    id.unwrap().to_owned()
}

/// The pause of a collection answers no dispute: the manual action is left, and is found.
#[tokio::test]
async fn a_completed_session_keeps_its_manual_actions() {
    let world = Concierge::start().await;
    let entities = [("dispute", "dp_4001"), ("invoice", "inv_2014")];
    let (id, _) = world
        .approved("dispute_opened", &entities, 0)
        .await;
    world.delivers(&world.worker()).await;
    let session = world.session(&id).await;
    shows!(session, {"status": "completed", "openActions": 2});
    let next = &session["next"];
    assert_eq!(next["who"], "A user who may execute actions");
    begins(&next["what"], "settles \"Respond to dispute `dp_4001`");
    let action = named(&world, &id, "Respond to dispute").await;
    let follow = named(&world, &id, "When dispute").await;
    // However long it takes: another day does not hide it.
    world.api.clock.advance(3 * span::DAY);
    world.sweeper().sweep().await;
    let max = world.api.sign_in("max").await;
    for list in [OPEN, "/api/concierge/agent-sessions?next=me"] {
        let rows = max.reads(list).await;
        assert_eq!(rows[0]["id"], id, "{list}");
        assert_eq!(rows[0]["openActions"], 2, "{list}");
    }
    let others = "/api/concierge/agent-sessions?open=false";
    assert_eq!(max.get(others).await.ids(), [0; 0]);
    // The pause outlives its reason unless somebody follows the dispute.
    for (action, outcome, open) in [(action, "done", 1), (follow, "waived", 0)] {
        let path = format!("/api/concierge/agent-sessions/{id}/actions/{action}/settle");
        assert_eq!(
            posts!(max, &path, {"outcome": outcome, "note": "Noted."})["openActions"],
            open
        );
    }
    assert_eq!(max.get(OPEN).await.ids(), [0; 0]);
    // The alert is left, since its check finds the dispute open.
    world.sweeper().sweep().await;
    world.delivers(&world.worker()).await;
    let path = format!("/api/concierge/agent-sessions/{id}");
    let next = max.reads(&path).await["next"].clone();
    says(&next["what"], "or resolves the alert");
}

/// An account that is billed again has no invoice yet.
#[tokio::test]
async fn the_other_actions_of_a_completed_session_can_be_executed() {
    let world = Concierge::start().await;
    let customer = [("customer", "cus_506")];
    let class = "invoice_generation_failed";
    let (id, resume) = world
        .approved(class, &customer, 0)
        .await;
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(alert_of(&world, &id).await["status"], "open");
    let generate = named(&world, &id, "Make the missing invoice").await;
    let row = world.max.reads(OPEN).await[0].clone();
    assert_eq!(row["id"], id);
    let amount = json!({"minorUnits": 318_000, "currency": "USD"});
    let money = json!({"direction": "customer_owes_more", "amount": amount});
    shows!(row["proposedActions"][1], {"id": generate, "mayApprove": true, "money": money});
    assert_eq!(row["expiresAt"], "2026-01-16T12:00:00.000Z");
    refused!(world.executes(&id, &[&resume, &generate]).await => 409, "other_actions_approved");
    world
        .executes(&id, &[&generate])
        .await
        .expect(202);
    world.delivers(&world.worker()).await;
    world.is_completed(&id, 2).await;
    let successes = [0, 1].map(|_| (true, String::new()));
    assert_eq!(world.outcome(&id).await.1, successes);
    assert_eq!(alert_of(&world, &id).await["status"], "resolved");
    // Each list returns its results, and runs nothing.
    for list in [&resume, &generate] {
        let stands = world
            .executes(&id, &[list])
            .await
            .expect(200);
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
        executes(&world.max, &id, &action)
            .await
            .expect(202);
        let path = format!("/api/users/{}", world.max.id());
        ada.patches(&path, change.clone()).await;
        let preview = posts!(ada, "/api/concierge/agent-sessions/{id}/preview", {
            "actionIds": [action],
        });
        shows!(preview["actions"][0], {"/policy/approvalsGiven": 0});
        let ada = ada.with_header("prefer", "respond-async");
        let session = executes(&ada, &id, &action)
            .await
            .expect(202)["session"]
            .clone();
        assert_eq!(session["status"], "awaiting_confirmation", "{change}");
        let approvals = &session["proposedActions"][0]["approvals"];
        assert_eq!(approvals.as_array().unwrap().len(), 1, "{change}");
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
    let resolves = |status: &'static str| {
        world
            .max
            .patch(&path, json!({"status": status}))
    };
    resolves("resolved").await.expect(200);
    refused!(world.executes(&id, &[&action]).await => 409, "alert_resolved");
    resolves("open").await.expect(200);
    world
        .executes(&id, &[&action])
        .await
        .expect(202);
}

/// The organization's journal names the newest entry of each session that ended.
#[tokio::test]
async fn a_session_that_was_removed_is_missed() {
    let (world, id, _) = Concierge::start()
        .await
        .with_approved_batch()
        .await;
    world.delivers(&world.worker()).await;
    let other = world.failed_payment().await;
    world.cancels(&other).await.expect(200);
    for _ in 0..2 {
        assert_eq!(world.sweeper().sweep().await, sweeper::Swept::default());
    }
    let ada = world.api.sign_in("ada").await;
    let breaks = async || {
        let check = ada.reads("/api/journal/check").await;
        assert_eq!(check["verified"], json!(check["breaks"] == json!([])));
        check["breaks"].clone()
    };
    assert_eq!(breaks().await, json!([]));
    let entries = ada.walk("/api/journal").await;
    let mut entries = entries.iter();
    let end = entries.find(|entry| entry["event"] == "agent_sessions_ended");
    let end = end.unwrap();
    let subjects = [&id, &other].map(|id| format!("agent_session:{id}"));
    assert_eq!(end["subjects"], json!(subjects));
    // Whoever removes the session removes its journal too.
    let items = world.api.items().await;
    let own = format!("#AGENT_SESSION#{id}");
    for item in items {
        let partition = text_of(&item, "pk");
        if partition.contains(&format!("{own}#")) || partition.ends_with(&own) {
            world
                .api
                .loses(partition, text_of(&item, "sk"))
                .await;
        }
    }
    let missed = json!([{
        "seq": end["seq"], "subject": format!("agent_session:{id}"), "why": "session_missing",
    }]);
    assert_eq!(breaks().await, missed);
}
