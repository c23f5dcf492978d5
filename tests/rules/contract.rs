//! Holds every operation against the rules that all of them share.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use shared::model::people::Permission;
use tests::support::{
    Api, Caller, METHODS, Operation, Request, Settings, World, document, example, operations,
    refused,
};

/// Operations that need no session.
const PUBLIC: [&str; 13] = [
    "POST /api/auth/login",
    "POST /api/auth/accept",
    "POST /api/auth/forgot",
    "POST /api/auth/reset",
    "POST /api/auth/email/confirm",
    "GET /api/auth/sign-in",
    "GET /api/auth/oidc",
    "GET /api/auth/oidc/callback",
    "GET /api/auth/oidc/callback/{organization}",
    "GET /api/notifications/unsubscribe",
    "POST /api/notifications/unsubscribe",
    "GET /api/openapi.json",
    "GET /api/health",
];

#[tokio::test]
async fn every_operation_needs_a_session() {
    let api = Api::start().await;
    let nobody = api.anonymous();
    let is_public = |operation: &Operation| PUBLIC.contains(&&*operation.name());
    for operation in operations()
        .iter()
        .filter(|operation| !is_public(operation))
    {
        // An impossible id does not come before the session either.
        for id in ["1", "abc"] {
            refused!(operation.asked_by(&nobody, id).await => 401, "unauthenticated");
        }
    }
    assert_eq!(api.counter.take().total, 0);
}

#[tokio::test]
async fn every_path_answers_other_methods_with_405() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    let operations = operations().iter();
    let described: BTreeSet<_> = operations
        .map(|operation| (operation.method, operation.path.as_str()))
        .collect();
    let paths: BTreeSet<_> = described
        .iter()
        .map(|(_, path)| *path)
        .collect();
    for path in paths {
        for method in METHODS {
            if !described.contains(&(method, path)) {
                let answer = ada
                    .send(method, &example(path, "1"), None)
                    .await;
                // `/api/tasks/reorder` has the shape of `/api/tasks/{id}` for the other methods.
                let is_refused = [405, 404].contains(&answer.status);
                assert!(is_refused, "{method} {path}: {}", answer.text);
            }
        }
    }
}

/// Paths that are no UTF-8, as the client sent them or as a gateway may have decoded them.
#[tokio::test]
async fn a_path_that_does_not_decode_is_404() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    let of_records = operations()
        .iter()
        .filter(|operation| operation.path.contains('{'));
    for operation in of_records {
        // Two lists tell nobody whether a record exists.
        let denied = operation.described["responses"]
            .get("404")
            .is_none();
        // As any other id that is no number: a malformed body answers first.
        let status = match (operation.takes_body(), denied) {
            (true, _) => 400,
            (false, true) => 403,
            (false, false) => 404,
        };
        for id in ["%FF", "1%FF", "%C3%28"] {
            let body = operation
                .takes_body()
                .then(|| "{".to_owned());
            let path = example(&operation.path, id);
            ada.send(operation.method, &path, body)
                .await
                .expect(status);
        }
    }
    for path in ["/%FF", "/api/%FF", "/api/tasks%FF", "/api/tasks/1/%FF"] {
        ada.get(path)
            .await
            .expect_problem(404, "not_found");
    }
}

#[tokio::test]
async fn a_path_without_a_route_is_404_whatever_the_method() {
    let api = Api::start().await;
    for method in METHODS {
        let answer = api
            .anonymous()
            .send(method, "/api/nothing", None)
            .await;
        let problem = answer.expect_problem(404, "not_found");
        assert_eq!(problem["instance"], "/api/nothing");
    }
    assert_eq!(api.counter.take().total, 0);
}

/// The gateway answers these from its CORS configuration. Where it asks the function of a route
/// that takes every method first, the answer has to be a success.
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
    let plain = api
        .anonymous()
        .send("OPTIONS", "/api/tasks/1", None)
        .await;
    plain.expect_problem(405, "method_not_allowed");
}

/// A user's session, and a token if the operation takes one.
async fn callers(api: &Api, name: &str) -> [Caller; 2] {
    let user = api.user(name).await;
    let token = api.token_of(&user, json!({})).await;
    [api.session_of(&user).await, token]
}

/// A user's callers that an operation takes.
fn taken<'a>(operation: &Operation, callers: &'a [Caller; 2]) -> &'a [Caller] {
    &callers[..=usize::from(operation.takes_tokens())]
}

/// Of a session, and of a token, which has its owner's permissions.
#[tokio::test]
async fn every_operation_needs_the_permission_that_the_document_names() {
    let api = Api::start().await;
    let mut refused = 0;
    for name in ["vic", "mia", "sue", "max", "ada"] {
        let user = api.user(name).await;
        let callers = callers(&api, name).await;
        for operation in Operation::of_callers() {
            let need = operation.needs()[0];
            // Creators have a test of their own.
            if need.contains(' ') {
                continue;
            }
            let permission: Permission = serde_json::from_value(json!(need)).unwrap();
            for caller in taken(operation, &callers) {
                let answer = operation.asked_by(caller, "1").await;
                if user.may(permission) {
                    answer.expect_problem(400, "validation_error");
                } else {
                    answer.expect_problem(403, "permission_denied");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 60, "{refused}");
}

#[tokio::test]
async fn the_agent_needs_a_plan_that_includes_it() {
    let settings = Settings {
        without_agent: true,
        ..Settings::default()
    };
    let api = Api::start_with(settings).await;
    let callers = callers(&api, "ada").await;
    for operation in Operation::of_callers() {
        for caller in taken(operation, &callers) {
            let answer = operation.asked_by(caller, "1").await;
            let needed = operation
                .needs()
                .contains(&"plan agentAI");
            let refused = answer
                .text
                .contains("plan_feature_unavailable");
            assert_eq!(refused, needed, "{}", operation.name());
            if refused {
                answer.expect_problem(403, "plan_feature_unavailable");
            }
        }
    }
}

#[tokio::test]
async fn a_record_of_another_organization_answers_as_an_absent_one() {
    let world = World::start().await;
    let api = world.api();
    let callers = callers(api, "zoe").await;
    callers[1]
        .reads("/api/auth/session")
        .await;
    let before = api.records().await;
    let mut requests = world.requests();
    // What is named by who creates it: another organization has one of its own by that name.
    let makes = "PUT /api/concierge/connections/{name}";
    // A callback redirects the browser to a page that says why it fails.
    let redirects = "GET /api/auth/oidc/callback/{organization}";
    let answers = |operation: &str| operation != makes && operation != redirects;
    requests.retain(|request| request.template.contains('{') && answers(&request.operation()));
    assert!(requests.len() > 20, "{}", requests.len());
    for request in &requests {
        let operation = request.operation();
        let existing = request.path.as_str();
        let absent = ["999", "0", "-1", "abc", "9007199254740993", "01", "1e0"];
        let absent = absent.map(|id| example(&request.template, id));
        let mut answers = Vec::new();
        for zoe in taken(request.described(), &callers) {
            for path in absent
                .iter()
                .map(String::as_str)
                .chain([existing])
            {
                let attempt = Request {
                    path: path.to_owned(),
                    ..request.clone()
                };
                let answer = attempt.by(zoe).await;
                let problem: Value = serde_json::from_str(&answer.text).unwrap();
                let [code, detail] = ["code", "detail"].map(|name| problem[name].clone());
                answers.push((answer.status, code, detail));
            }
        }
        if request.body.is_some() {
            let malformed = Request {
                path: absent[0].clone(),
                body: Some(json!([])),
                ..request.clone()
            };
            refused!(malformed.by(&callers[0]).await => [("", "type")]);
        }
        let (status, _, _) = answers[0];
        assert!([403, 404].contains(&status), "{operation}: {answers:?}");
        let are_same = answers
            .iter()
            .all(|answer| *answer == answers[0]);
        assert!(are_same, "{operation}: {answers:?}");
    }
    assert_eq!(before, api.records().await);
    // The same requests do find the records for those whose records they are.
    for request in &requests {
        let owner = if request.takes_tokens {
            world.script().await
        } else {
            world.caller().await
        };
        request.succeeds(&owner).await;
    }
}

/// Constant fields of a record, and fields that the service writes itself. Tags are attached and
/// detached one by one.
const FIXED: &str = "id username planFeatures unitsPerSecond invitationsPerDay version projectId \
    organizationId createdAt updatedAt tags";

/// Fixed fields of single records, which have operations of their own for some of them.
const FIXED_OF: [(&str, &[&str]); 8] = [
    ("User", &["emailBouncedAt", "emailVerifiedAt"]),
    ("Activity", &["creatorId", "tags"]),
    ("Comment", &["userId", "parentId", "deletedAt", "user"]),
    (
        "ServiceRequest",
        &[
            "creatorId",
            "referenceType",
            "referenceId",
            "metadata",
            "agentAction",
        ],
    ),
    ("Ticket", &["creatorId", "lastMessageAt", "messageCount"]),
    (
        "TicketMessage",
        &["sender", "internal", "editedAt", "deletedAt"],
    ),
    (
        "Webhook",
        &[
            "disabledReason",
            "lastSuccessAt",
            "failingSince",
            "previousSecretUntil",
        ],
    ),
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
    let schemas = document["components"]["schemas"]
        .as_object()
        .unwrap();
    let mut updates = 0;
    for (name, update) in schemas {
        let Some(record) = name.strip_suffix("Update") else {
            continue;
        };
        let fields = schemas[record]["properties"]
            .as_object()
            .unwrap()
            .keys();
        let own = FIXED_OF
            .iter()
            .find(|(name, _)| *name == record);
        let own = own.map_or(&[] as &[&str], |(_, fixed)| *fixed);
        let is_fixed = |field: &&String| {
            FIXED
                .split(' ')
                .chain(own.iter().copied())
                .any(|fixed| fixed == *field)
        };
        let forgotten = fields.filter(|field| {
            !is_fixed(field)
                && update["properties"]
                    .get(field)
                    .is_none()
        });
        let forgotten: Vec<_> = forgotten.collect();
        assert!(
            forgotten.is_empty(),
            "{name} lacks {forgotten:?}: add it there, or to FIXED_OF if it never changes"
        );
        updates += 1;
    }
    assert!(updates >= 6, "{updates}");
}
