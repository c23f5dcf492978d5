//! `GET /api/concierge/agent-sessions/{id}`

use std::collections::BTreeSet;

use serde_json::Value;
use tests::support::{Concierge, refused, shows, snapshot};

#[tokio::test]
async fn a_session_shows_every_field_from_the_start() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let sue = world.api.sign_in("sue").await;
    let path = format!("/api/concierge/agent-sessions/{id}?detail=full");
    let answer = sue.get(&path).await;
    snapshot!(answer.expect(200), @r#"
    {
      "alertId": 1,
      "analysis": null,
      "createdAt": "2026-01-15T12:00:00.000Z",
      "error": null,
      "executionResults": [],
      "id": 1,
      "next": {
        "until": null,
        "what": "has actions proposed",
        "who": "A user who may propose actions"
      },
      "openActions": 0,
      "proposedActions": [],
      "reads": [],
      "rejection": null,
      "status": "started",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
}

#[tokio::test]
async fn a_session_shows_what_became_of_its_actions() {
    let (world, id, _) = Concierge::start_unwary()
        .await
        .with_approved_batch()
        .await;
    assert_eq!(world.delivers(&world.worker()).await, 0);
    let session = world.session(&id).await;
    shows!(session, {"status": "completed", "error": null});
    snapshot!(session["executionResults"], @r#"
    [
      {
        "actionId": "s1-p1-a1",
        "checks": [],
        "duration": 0,
        "error": null,
        "executedAt": "2026-01-15T12:00:00.000Z",
        "response": {
          "body": {
            "customerId": "cus_501",
            "events": 48210,
            "id": "ub_1001",
            "lastError": null,
            "state": "processed"
          },
          "status": 200
        },
        "steps": [
          {
            "at": "2026-01-15T12:00:00.000Z",
            "response": {
              "body": {
                "customerId": "cus_501",
                "events": 48210,
                "id": "ub_1001",
                "lastError": null,
                "state": "processed"
              },
              "status": 200
            },
            "status": "done",
            "step": 1
          }
        ],
        "success": true,
        "verdict": null
      }
    ]
    "#);
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
