//! Holds every operation against the rules that all of them share.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use shared::model::Permission;

use tests::support::{Api, METHODS, Request, World, document, example, operations};

/// Operations that need no session.
const PUBLIC: [(&str, &str); 10] = [
    ("POST", "/api/auth/login"),
    ("POST", "/api/auth/accept"),
    ("POST", "/api/auth/forgot"),
    ("POST", "/api/auth/reset"),
    ("POST", "/api/auth/email/confirm"),
    ("GET", "/api/auth/sign-in"),
    ("GET", "/api/auth/oidc"),
    ("GET", "/api/auth/oidc/callback"),
    ("POST", "/api/notifications/unsubscribe"),
    ("GET", "/api/openapi.json"),
];

#[tokio::test]
async fn every_operation_needs_a_session() {
    let api = Api::start().await;
    let nobody = api.anonymous();
    for operation in operations() {
        let (method, path) = (operation.method, &operation.path);
        if PUBLIC.contains(&(method, path)) {
            continue;
        }
        // Neither a body that is no JSON nor an impossible id comes before the session.
        for id in ["1", "abc"] {
            let sent = (method != "GET").then(|| "{".to_owned());
            let answer = nobody
                .send(method, &format!("{}?x=1", example(path, id)), sent)
                .await;
            answer.expect_problem(401, "unauthenticated");
        }
    }
    assert_eq!(api.counter.take().total, 0);
}

#[tokio::test]
async fn every_path_answers_other_methods_with_405() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    let all = operations().iter();
    let described: BTreeSet<_> = all.map(|one| (one.method, one.path.as_str())).collect();
    let paths: BTreeSet<_> = described.iter().map(|(_, path)| *path).collect();
    for path in paths {
        for method in METHODS {
            if !described.contains(&(method, path)) {
                let answer = ada.send(method, &example(path, "1"), None).await;
                // `/api/tasks/reorder` has the shape of `/api/tasks/{id}` for the other methods.
                assert!(
                    [405, 404].contains(&answer.status),
                    "{method} {path}: {}",
                    answer.text
                );
            }
        }
    }
}

/// Paths that are no UTF-8, as the client sent them or as a gateway may have decoded them.
#[tokio::test]
async fn a_path_that_does_not_decode_is_404() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    for operation in operations() {
        if !operation.path.contains('{') {
            continue;
        }
        for id in ["%FF", "1%FF", "%C3%28"] {
            let body = operation
                .described
                .get("requestBody")
                .map(|_| "{".to_owned());
            let path = example(&operation.path, id);
            let answer = ada.send(operation.method, &path, body).await;
            // Two lists tell nobody whether a record exists.
            let denied = operation.described["responses"].get("404").is_none();
            // As any other id that is no number: a malformed body answers first.
            let status = match (operation.described.get("requestBody"), denied) {
                (Some(_), _) => 400,
                (None, true) => 403,
                (None, false) => 404,
            };
            answer.expect(status);
        }
    }
    for path in ["/%FF", "/api/%FF", "/api/tasks%FF", "/api/tasks/1/%FF"] {
        let answer = ada.get(path).await;
        answer.expect_problem(404, "not_found");
    }
}

#[tokio::test]
async fn a_path_without_a_route_is_404_whatever_the_method() {
    let api = Api::start().await;
    for method in METHODS {
        let answer = api.anonymous().send(method, "/api/nothing", None).await;
        let problem = answer.expect_problem(404, "not_found");
        assert_eq!(problem["instance"], "/api/nothing");
    }
    assert_eq!(api.counter.take().total, 0);
}

/// The gateway answers these from its CORS configuration. Where it asks the function of a route that
/// takes every method first, the answer has to be a success.
#[tokio::test]
async fn a_preflight_succeeds_and_allows_nothing_by_itself() {
    let api = Api::start().await;
    let page = api.anonymous();
    let page = page.with_header("origin", "https://app.workdesk.example");
    let page = page.with_header("access-control-request-method", "PATCH");
    for path in [
        "/api/tasks/1",
        "/api/auth/login",
        "/api/docs",
        "/api/nothing",
    ] {
        let answer = page.send("OPTIONS", path, None).await;
        assert_eq!(answer.status, 204, "{path}: {}", answer.text);
        assert_eq!(answer.header("access-control-allow-origin"), None, "{path}");
    }
    let plain = api.anonymous().send("OPTIONS", "/api/tasks/1", None).await;
    plain.expect_problem(405, "method_not_allowed");
}

#[tokio::test]
async fn every_operation_needs_the_permission_that_the_document_names() {
    let api = Api::start().await;
    let mut refused = 0;
    for name in ["vic", "mia", "sue", "max", "ada"] {
        let caller = api.sign_in(name).await;
        let role = api.user(name).await.role.known().unwrap();
        let held: Vec<&str> = role.permissions().iter().map(|one| one.name()).collect();
        for operation in operations() {
            let (method, path) = (operation.method, &operation.path);
            // Creators have a test of their own.
            let Some(permission) = operation.needs().first().copied() else {
                continue;
            };
            if permission.contains(' ') {
                continue;
            }
            assert!(is_permission(permission), "{method} {path}: {permission}");
            // Neither a body that is no JSON nor an unknown parameter comes before the permission.
            let sent = (method != "GET").then(|| "{".to_owned());
            let target = format!("{}?x=1", example(path, "1"));
            let answer = caller.send(method, &target, sent).await;
            if held.contains(&permission) {
                assert_eq!(
                    answer.status, 400,
                    "{name}: {method} {path}: {}",
                    answer.text
                );
            } else {
                answer.expect_problem(403, "permission_denied");
                refused += 1;
            }
        }
    }
    assert!(refused > 30, "{refused}");
}

fn is_permission(name: &str) -> bool {
    serde_json::from_value::<Permission>(json!(name)).is_ok()
}

#[tokio::test]
async fn the_agent_needs_a_plan_that_includes_it() {
    let api = Api::start_with(tests::support::Settings {
        without_agent: true,
        ..Default::default()
    })
    .await;
    let ada = api.sign_in("ada").await;
    for operation in operations() {
        let (method, path) = (operation.method, &operation.path);
        // The caller keeps the session.
        if path.starts_with("/api/auth/")
            || (method, path.as_str()) == ("DELETE", "/api/users/{id}/sessions")
        {
            continue;
        }
        let answer = ada
            .send(method, &example(path, "1"), Some("{}".into()))
            .await;
        let body: Value = serde_json::from_str(&answer.text).unwrap_or_default();
        let refused = body["code"] == "plan_feature_unavailable";
        let needed = operation.needs().contains(&"plan agentAI");
        assert_eq!(refused, needed, "{method} {path}");
        if refused {
            answer.expect(403);
        }
    }
}

#[tokio::test]
async fn a_record_of_another_organization_answers_as_an_absent_one() {
    let world = World::start().await;
    let api = world.api();
    let zoe = api.sign_in("zoe").await;
    let before = api.records().await;
    let mut requests = world.requests();
    // What is named by who creates it: another organization has one of its own by that name.
    let makes = "PUT /api/concierge/connections/{name}";
    requests.retain(|request| request.template.contains('{') && request.operation() != makes);
    assert!(requests.len() > 20, "{}", requests.len());
    for request in &requests {
        let (operation, there) = (request.operation(), request.path.as_str());
        let absent = ["999", "0", "-1", "abc", "9007199254740993", "01", "1e0"];
        let absent = absent.map(|id| example(&request.template, id));
        let mut answers = Vec::new();
        for path in absent.iter().map(String::as_str).chain([there]) {
            let asked = Request {
                path: path.to_owned(),
                ..request.clone()
            };
            let answer = asked.by(&zoe).await;
            let problem: Value = serde_json::from_str(&answer.text).unwrap();
            answers.push((
                answer.status,
                problem["code"].clone(),
                problem["detail"].clone(),
            ));
        }
        if request.body.is_some() {
            let malformed = Request {
                path: absent[0].clone(),
                body: Some(json!([])),
                ..request.clone()
            };
            let answer = malformed.by(&zoe).await;
            answer.expect_faults(&[("", "type")]);
        }
        let (status, _, _) = answers[0];
        assert!([403, 404].contains(&status), "{operation}: {answers:?}");
        assert!(
            answers.iter().all(|one| *one == answers[0]),
            "{operation}: {answers:?}"
        );
    }
    assert_eq!(before, api.records().await);
    // The same requests do find the records for those whose records they are.
    for request in &requests {
        let answer = request.by(&world.caller().await).await;
        let operation = request.operation();
        assert!(answer.status < 300, "{operation}: {}", answer.text);
    }
}

/// Constant fields of a record, and fields that the service writes itself.
const FIXED: [&str; 11] = [
    "id",
    "username",
    "planFeatures",
    "unitsPerSecond",
    "invitationsPerDay",
    "version",
    "projectId",
    "organizationId",
    "createdAt",
    "updatedAt",
    // They are attached and detached one by one.
    "tags",
];

/// Fixed fields of single records, which have operations of their own for some of them.
#[rustfmt::skip] // A line each.
const FIXED_OF: [(&str, &[&str]); 7] = [
    ("User", &["emailBouncedAt", "emailVerifiedAt"]),
    ("Activity", &["creatorId", "tags"]),
    ("Comment", &["userId", "parentId", "deletedAt", "user"]),
    ("ServiceRequest", &["creatorId", "referenceType", "referenceId", "metadata", "agentAction"]),
    ("Ticket", &["creatorId", "lastMessageAt", "messageCount"]),
    ("Webhook", &["disabledReason", "lastSuccessAt", "failingSince", "previousSecretUntil"]),
    // What was reported stays as it was.
    (
        "Alert",
        &[
            "source",
            "externalId",
            "signalType",
            "severity",
            "title",
            "description",
            "targetSystem",
            "entities",
            "labels",
            "metric",
            "amountAtRisk",
            "lifecycle",
            "occurredAt",
            "lastOccurredAt",
            "count",
            "resolvedAt",
            "statusBy",
            "recordedByMachine",
            "agentSessionId",
            "createdBy",
        ],
    ),
];

/// A field that an update forgets would be ignored without a word.
#[test]
fn an_update_takes_every_field_that_may_change() {
    let document = serde_json::to_value(document()).unwrap();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let mut updates = 0;
    for (name, update) in schemas {
        let Some(record) = name.strip_suffix("Update") else {
            continue;
        };
        let fields = schemas[record]["properties"].as_object().unwrap().keys();
        let own = FIXED_OF.iter().find(|(one, _)| *one == record);
        let own = own.map_or(&[] as &[&str], |(_, fixed)| *fixed);
        let forgotten: Vec<_> = fields
            .filter(|field| !FIXED.contains(&field.as_str()) && !own.contains(&field.as_str()))
            .filter(|field| update["properties"].get(field).is_none())
            .collect();
        assert!(forgotten.is_empty(), "{name} lacks {forgotten:?}");
        updates += 1;
    }
    assert!(updates >= 6, "{updates}");
}
