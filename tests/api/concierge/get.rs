//! `GET /api/concierge/agent-sessions/{id}`

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tests::support::{Concierge, refused, shows};

#[tokio::test]
async fn a_session_shows_every_field_from_the_start() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let sue = world.api.sign_in("sue").await;
    let path = format!("/api/concierge/agent-sessions/{id}?detail=full");
    let answer = sue.get(&path).await;
    let expected = json!({
        "version": 1, "id": id, "alertId": 1, "status": "started", "error": null, "analysis": null,
        "rejection": null, "reads": [], "proposedActions": [], "executionResults": [],
        "openActions": 0,
        "next": {
            "who": "A user who may propose actions", "what": "has actions proposed",
            "until": null,
        },
        "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
    });
    assert_eq!(answer.expect(200), expected);
}

#[tokio::test]
async fn a_session_shows_what_became_of_its_actions() {
    let (world, id, action) = Concierge::start_unwary()
        .await
        .with_approved_batch()
        .await;
    assert_eq!(world.delivers(&world.worker()).await, 0);
    let session = world.session(&id).await;
    shows!(session, {"status": "completed", "error": null});
    let results = session["executionResults"]
        .as_array()
        .unwrap();
    let [result] = results.as_slice() else {
        panic!("{results:?}");
    };
    shows!(result["response"], {"status": 200, "/body/state": "processed"});
    let mut rest = result.clone();
    let response = rest["response"].take();
    assert_eq!(rest["steps"][0]["response"].take(), response);
    let expected = json!({
        "actionId": action, "success": true, "response": null, "error": null,
        "steps": [{
            "step": 1, "status": "done", "at": "2026-01-15T12:00:00.000Z", "response": null,
        }],
        "checks": [], "verdict": null,
        "executedAt": "2026-01-15T12:00:00.000Z", "duration": 0,
    });
    assert_eq!(rest, expected);
}

/// Collects the names of the members of a value, as paths without places in lists.
fn members(value: &Value, path: &str, paths: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let path = format!("{path}/{name}");
                members(value, &path, paths);
                paths.insert(path);
            }
        }
        Value::Array(list) => list
            .iter()
            .for_each(|element| members(element, path, paths)),
        _ => {}
    }
}

/// Members that an answer has on demand: those of the session, its analysis, actions, steps and
/// results.
const ON_DEMAND: &str = "
    /reads
    /analysis/pattern /analysis/playbook /analysis/notApplicable /analysis/passedOver
    /proposedActions/after /proposedActions/unless
    /proposedActions/playbook /proposedActions/connection /proposedActions/verify
    /proposedActions/reads /proposedActions/approval /proposedActions/approvals
    /proposedActions/steps/request /proposedActions/steps/success /proposedActions/steps/reconcile
    /executionResults/steps";

#[tokio::test]
async fn a_session_shows_what_an_approver_decides_by_and_the_rest_on_demand() {
    let world = Concierge::start().await;
    let (id, _) = world.approved_batch().await;
    assert_eq!(world.delivers(&world.worker()).await, 0);
    let path = format!("/api/concierge/agent-sessions/{id}");
    let [mut short, mut full] = [BTreeSet::new(), BTreeSet::new()];
    members(&world.max.reads(&path).await, "", &mut short);
    members(&world.session(&id).await, "", &mut full);
    let is_on_demand = |path: &String| {
        let mut prefixes = ON_DEMAND.split_whitespace();
        prefixes.any(|prefix| path == prefix || path.starts_with(&format!("{prefix}/")))
    };
    let more: BTreeSet<&String> = full.difference(&short).collect();
    assert!(
        more.iter()
            .all(|path| is_on_demand(path)),
        "{more:#?}"
    );
    assert!(!short.iter().any(is_on_demand), "{short:#?}");
    for prefix in ON_DEMAND.split_whitespace() {
        assert!(full.contains(prefix), "{prefix}");
    }
    for member in [
        "records",
        "customer",
        "require",
        "debt",
        "excludes",
        "mayApprove",
        "approvalsNeeded",
    ] {
        assert!(
            short.contains(&format!("/proposedActions/{member}")),
            "{member}"
        );
    }
    let unknown = world
        .max
        .get(&format!("{path}?detail=most"))
        .await;
    refused!(unknown => [("?detail", "value")]);
}
