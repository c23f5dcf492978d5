//! Holds the template of the deployed stack against the code: its routes, and what each function's
//! role grants.

use std::collections::{BTreeMap, BTreeSet};

use local::mail_receiver::{MailReceiver, MailVerdict};
use serde_json::{Value, json};
use shared::{
    agent::action::AgentAction,
    model::{base::span, work::ServiceStatus},
    store::work::NewTicket,
};
use tests::{
    FUNCTIONS, Function, api_functions, records,
    support::{
        Api, Caller, Concierge, PASSWORD, creates, event, operations, posts, roles,
        webhooks::Receiver,
    },
};

#[test]
fn the_template_routes_every_path_to_its_function() {
    let template = roles::template();
    let functions: BTreeMap<_, _> = roles::functions(&template)
        .map(|(logical, package, _)| (logical, package))
        .collect();
    let mut deployed = BTreeSet::new();
    for (_, route) in roles::resources(&template, "AWS::ApiGatewayV2::Route") {
        let target = route["Target"].as_str().unwrap();
        let integration = target
            .strip_prefix("integrations/${")
            .unwrap();
        let integration = integration.trim_end_matches('}');
        let uri = &template["Resources"][integration]["Properties"]["IntegrationUri"];
        let name = functions[uri
            .as_str()
            .unwrap()
            .strip_suffix(".Arn")
            .unwrap()];
        let key = route["RouteKey"].as_str().unwrap();
        let is_new = deployed.insert((name.to_owned(), key.to_owned()));
        assert!(is_new, "{key} is there twice");
    }
    // Every method reaches the function, which answers 405 to those that it does not know; what no
    // path matches reaches one of them as well, which answers 404.
    let mut routed = BTreeSet::from([("pages".to_owned(), "$default".to_owned())]);
    for operation in operations() {
        let key = format!("ANY {}", operation.path);
        routed.insert((operation.function.to_owned(), key));
    }
    for (name, api) in api_functions() {
        let keys = api
            .pages
            .iter()
            .map(|path| format!("ANY {path}"));
        routed.extend(keys.map(|key| (name.to_owned(), key)));
    }
    assert_eq!(routed, deployed, "functions, and infra/template.yaml");
}

/// A route keeps its logical name when another function takes it. Under a new name, an update of a
/// deployed stack would create it twice, and the gateway refuses that.
#[test]
fn routes_that_moved_kept_their_names() {
    let resources = &roles::template()["Resources"];
    for (name, key) in [
        ("AuthOpenApi", "ANY /api/openapi.json"),
        ("AuthDefault", "$default"),
        ("ApiDocsRouteDocs", "ANY /api/docs"),
    ] {
        assert_eq!(resources[name]["Properties"]["RouteKey"], key, "{name}");
    }
}

/// Lambda may throttle a function for as long as five more runs take, before a message counts as
/// received again.
#[test]
fn a_queue_hides_a_message_for_six_runs_of_its_function() {
    let template = roles::template();
    let number = |value: &Value| value.as_i64().unwrap();
    let mut queues = BTreeSet::new();
    for (_, _, function) in roles::functions(&template) {
        let events = function["Events"]
            .as_object()
            .into_iter()
            .flatten();
        for (_, event) in events.filter(|(_, event)| event["Type"] == "SQS") {
            let name = event["Properties"]["Queue"]
                .as_str()
                .unwrap();
            let name = name.trim_end_matches(".Arn");
            let queue = &template["Resources"][name]["Properties"];
            let hidden = number(&queue["VisibilityTimeout"]);
            assert!(hidden >= 6 * number(&function["Timeout"]), "{name}");
            // It can become a dead letter before the queue forgets it.
            let received = number(&queue["RedrivePolicy"]["maxReceiveCount"]);
            let kept = number(&queue["MessageRetentionPeriod"]);
            assert!(kept > received * hidden, "{name}");
            queues.insert(name);
        }
    }
    assert!(queues.len() >= 3, "{queues:?}");
}

/// A message whose run has not ended is not lost.
#[test]
fn the_sweeper_sends_no_message_again_while_the_first_runs() {
    let worker = &roles::template()["Resources"]["ActionWorker"]["Properties"];
    let run = worker["Timeout"].as_i64().unwrap() * span::SECOND;
    assert!(AgentAction::DELIVERY >= run + 10 * span::SECOND);
}

/// The worker sets a damaged action aside before its message becomes a dead letter, so it has to
/// know when.
#[test]
fn the_worker_knows_a_messages_last_delivery() {
    let queue = &roles::template()["Resources"]["ActionQueue"]["Properties"];
    let deliveries = action_worker::WorkerLimits::default().deliveries;
    assert_eq!(queue["RedrivePolicy"]["maxReceiveCount"], deliveries);
}

#[test]
fn a_function_that_is_open_to_everybody_may_write_its_log_and_nothing_else() {
    let grants = ["logs:CreateLogStream", "logs:PutLogEvents"];
    let grants = grants.map(|action| (action.to_owned(), "PagesLogs.Arn".to_owned()));
    for function in FUNCTIONS
        .iter()
        .filter(|function| function.is_open())
    {
        assert_eq!(roles::granted(function.name), grants.clone().into());
    }
}

/// Every test refuses requests outside a role. This one runs everything that the functions do, and
/// names grants without a use.
#[tokio::test]
async fn every_grant_of_a_role_is_used() {
    let world = Concierge::start().await;
    walk_over_the_directory(&world).await;
    walk_over_work(&world).await;
    walk_over_the_agent(&world).await;
    walk_over_updates(&world).await;
    walk_over_mails(&world).await;
    let has_table = |function: &&Function| !function.is_open() && !function.is_client();
    let with_table = FUNCTIONS.iter().filter(has_table);
    for function in with_table.map(|function| function.name) {
        // A cold start opens the connection by a read.
        let warm_up = shared::store::warm_up(&world.api.client, &world.api.table);
        roles::acting_as(function, warm_up).await;
        let mut granted = roles::granted(function);
        granted.retain(|(_, resource)| {
            resource.starts_with("Table.Arn") && resource != roles::STREAMS
        });
        assert!(!granted.is_empty(), "{function} has no role");
        let unused = &granted - &roles::used(function);
        let says = format!("the role of {function} grants what it never uses");
        assert!(unused.is_empty(), "{says}: {unused:?}");
    }
}

/// A comment and a reminder are mailed, and an address bounces.
async fn walk_over_mails(world: &Concierge) {
    let api = &world.api;
    let ada = api.sign_in("ada").await;
    let max = api.user("max").await.id;
    api.has_address("max", "max@example.com")
        .await;
    let due = api.clock.now().plus(2 * span::DAY);
    creates!(ada, "/api/tasks", {
        "title": "Compare", "projectId": 1, "assigneeId": max, "dueDate": due,
        "description": "Ask @max",
    });
    let mailed = json!({"due_soon": {"mail": true}});
    let preferences = "/api/notifications/preferences";
    api.sign_in("max")
        .await
        .puts(preferences, mailed)
        .await;
    api.publishes().await;
    api.clock
        .advance(span::DAY + span::MINUTE);
    api.sweeper().await.sweep().await;
    let bounces = MailReceiver::judging(|_, _| MailVerdict::Answer("550 5.1.1 No such user"));
    assert!(api.sends_mails(&bounces.unwrap()).await > 1);
}

async fn walk_over_updates(world: &Concierge) {
    let api = &world.api;
    let receiver = Receiver::start().await;
    let ada = api.sign_in("ada").await;
    let (id, _) = api
        .has_webhook(&ada, &receiver.url, &["tag.*"])
        .await;
    api.delivers_all(&api.all_changes().await)
        .await;
    receiver.answers(410, &[]).await;
    receiver.answers(500, &[]).await;
    assert!(api.sends_webhooks().await > 0);
    let path = format!("/api/webhooks/{id}");
    ada.reads(&path).await;
    ada.patches(&path, json!({"enabled": true}))
        .await;
    ada.deletes(&path).await;
    for path in [
        "/api/notifications",
        "/api/notifications?unread=true",
        "/api/changes?cursor=first",
    ] {
        ada.reads(path).await;
    }
}

async fn walk_over_the_directory(world: &Concierge) {
    let ada = world.api.sign_in("ada").await;
    let mia = world.api.user("mia").await.id;
    let user = format!("/api/users/{mia}");
    let password = format!("{user}/password");
    for (method, path, body) in [
        ("GET", user.as_str(), Value::Null),
        ("PATCH", &user, json!({"role": "admin"})),
        ("PATCH", &user, json!({"role": "member"})),
        ("PUT", &password, json!({"password": PASSWORD})),
        ("POST", "/api/projects", json!({"title": "x"})),
        (
            "POST",
            "/api/customers",
            json!({"name": "x", "domains": ["x.example"]}),
        ),
        (
            "PATCH",
            "/api/customers/1",
            json!({"name": "y", "domains": ["y.example"]}),
        ),
        ("GET", "/api/customers", Value::Null),
        ("GET", "/api/customers/1", Value::Null),
        ("GET", "/api/customers/1/history", Value::Null),
        (
            "GET",
            "/api/managed-services/tickets?customerId=1",
            Value::Null,
        ),
        ("GET", "/api/service-requests?customerId=1", Value::Null),
        (
            "POST",
            "/api/projects",
            json!({"title": "y", "visibility": "members"}),
        ),
        ("GET", "/api/projects/1/members", Value::Null),
        ("PUT", "/api/projects/1/members/1", Value::Null),
        ("DELETE", "/api/projects/1/members/1", Value::Null),
        ("POST", "/api/projects/1/phases", json!({"title": "x"})),
        ("DELETE", "/api/phases/1", Value::Null),
        // Its name has another key in version 1.0.
        ("POST", "/api/tags", json!({"name": "ödd"})),
        ("PATCH", "/api/tags/1", json!({"name": "even"})),
        ("DELETE", "/api/tags/1", Value::Null),
    ] {
        sends(&ada, method, path, body).await;
    }
}

async fn walk_over_work(world: &Concierge) {
    let api = &world.api;
    let nobody = api.anonymous();
    let mut max = world.max.clone();
    let wrong = json!({"username": "max", "password": "wrong"});
    let answer = nobody
        .post("/api/auth/login", wrong.clone())
        .await;
    answer.expect(401);
    nobody
        .post("/api/auth/login", wrong)
        .await
        .expect(401);
    posts!(nobody, "/api/auth/login", {"username": "max", "password": PASSWORD});
    let user = api.user("max").await;
    let [phase, ..] = api.has_phases().await;
    api.has_tag(api.home.id, "x").await;
    api.has_ticket(NewTicket {
        status: ServiceStatus::Resolved,
        messages: vec![records::message(user.id, "x", None)],
        ..records::ticket()
    })
    .await;
    for (method, path, body) in calls_of_work(phase) {
        sends(&max, method, path, body).await;
        // A new session goes on, and the one before is left to be extended below.
        max = api.session_of(&user).await;
    }
    max.triggers("/api/auth/logout").await;
    each_function_knows_a_caller(api).await;
}

/// Returns calls of each function of work: method, path and body.
fn calls_of_work(phase: i64) -> Vec<(&'static str, &'static str, Value)> {
    vec![
        (
            "POST",
            "/api/milestones",
            json!({"title": "x", "projectId": 1}),
        ),
        ("GET", "/api/milestones/1", Value::Null),
        ("GET", "/api/milestones/1/history", Value::Null),
        ("GET", "/api/projects/1/history", Value::Null),
        ("PUT", "/api/milestones/1", json!({"title": "y"})),
        ("GET", "/api/projects/1/milestones", Value::Null),
        (
            "POST",
            "/api/tasks",
            json!({"title": "x", "projectId": 1, "milestoneId": 1}),
        ),
        ("POST", "/api/tasks", json!({"title": "x", "projectId": 1})),
        (
            "PATCH",
            "/api/tasks/1",
            json!({"title": "y", "milestoneId": 1}),
        ),
        ("PATCH", "/api/tasks/1", json!({"title": "z"})),
        ("PATCH", "/api/tasks/2", json!({"title": "z"})),
        (
            "PATCH",
            "/api/tasks/reorder",
            json!({"tasks": [{"id": 1, "order": 5}, {"id": 2, "order": 4}]}),
        ),
        ("PATCH", "/api/tasks/1/phase", json!({"phaseId": phase})),
        ("GET", "/api/tasks", Value::Null),
        ("GET", "/api/tasks?milestoneId=1", Value::Null),
        ("GET", "/api/tasks?assigneeId=me&sort=dueDate", Value::Null),
        ("GET", "/api/tasks?sort=createdAt", Value::Null),
        ("GET", "/api/projects/1/tasks", Value::Null),
        ("POST", "/api/tasks/1/comments", json!({"content": "x"})),
        ("PATCH", "/api/tasks/1/comments/1", json!({"content": "y"})),
        ("DELETE", "/api/tasks/1/comments/1", Value::Null),
        ("GET", "/api/tasks/1/comments", Value::Null),
        ("POST", "/api/tasks/1/tags", json!({"tagId": 2})),
        ("DELETE", "/api/tasks/1/tags/2", Value::Null),
        ("DELETE", "/api/tasks/2", Value::Null),
        ("DELETE", "/api/milestones/1", Value::Null),
        (
            "POST",
            "/api/activities",
            json!({"type": "note", "description": "x", "projectId": 1}),
        ),
        (
            "POST",
            "/api/activities",
            json!({"type": "note", "description": "x", "organizationId": 1}),
        ),
        ("GET", "/api/activities", Value::Null),
        ("GET", "/api/activities/1", Value::Null),
        ("GET", "/api/projects/1/activities", Value::Null),
        ("GET", "/api/organizations/1/activities", Value::Null),
        (
            "POST",
            "/api/activities/1/comments",
            json!({"content": "x"}),
        ),
        ("GET", "/api/activities/1/comments", Value::Null),
        (
            "PATCH",
            "/api/activities/1/comments/2",
            json!({"content": "y"}),
        ),
        ("DELETE", "/api/activities/1/comments/2", Value::Null),
        ("POST", "/api/activities/1/tags", json!({"tagId": 2})),
        ("DELETE", "/api/activities/1/tags/2", Value::Null),
        ("PATCH", "/api/activities/1", json!({"description": "y"})),
        ("DELETE", "/api/activities/2", Value::Null),
        (
            "POST",
            "/api/managed-services/request",
            json!({"title": "x", "referenceType": "project", "referenceId": 1}),
        ),
        (
            "POST",
            "/api/service-requests/1/comments",
            json!({"content": "x"}),
        ),
        (
            "POST",
            "/api/service-requests/1/comments",
            json!({"content": "x", "parentId": 3}),
        ),
        ("GET", "/api/service-requests/1/comments", Value::Null),
        (
            "PATCH",
            "/api/service-requests/1/comments/3",
            json!({"content": "y"}),
        ),
        ("DELETE", "/api/service-requests/1/comments/3", Value::Null),
        (
            "PATCH",
            "/api/service-requests/1",
            json!({"status": "resolved"}),
        ),
        ("GET", "/api/service-requests/1", Value::Null),
        ("GET", "/api/service-requests/1/history", Value::Null),
        ("GET", "/api/service-requests", Value::Null),
        ("DELETE", "/api/service-requests/1", Value::Null),
        (
            "POST",
            "/api/managed-services/request",
            json!({"title": "x"}),
        ),
        ("GET", "/api/managed-services/dashboard", Value::Null),
        ("GET", "/api/managed-services/ticket/1", Value::Null),
        (
            "GET",
            "/api/managed-services/tickets?sort=-lastMessageAt",
            Value::Null,
        ),
        (
            "POST",
            "/api/managed-services/ticket/1/reply",
            json!({"content": "x"}),
        ),
        (
            "POST",
            "/api/managed-services/ticket/1/reply",
            json!({"content": "x", "internal": true}),
        ),
        (
            "PATCH",
            "/api/managed-services/ticket/1",
            json!({"priority": "low"}),
        ),
        ("GET", "/api/managed-services/tickets", Value::Null),
        (
            "POST",
            "/api/managed-services/tickets",
            json!({"title": "x", "description": "y"}),
        ),
        (
            "GET",
            "/api/managed-services/search-references?query=b",
            Value::Null,
        ),
        ("GET", "/api/auth/sessions", Value::Null),
        ("GET", "/api/tokens", Value::Null),
    ]
}

/// Each function extends a session of hours ago, and finds the owner of a token.
async fn each_function_knows_a_caller(api: &Api) {
    let user = api.user("max").await;
    for path in api_functions().filter_map(|(_, api)| api.read) {
        let max = api.session_of(&user).await;
        api.clock.advance(span::DAY / 10);
        let script = api.token_of(&user, json!({})).await;
        for caller in [max, script] {
            let answer = caller.get(path).await;
            let is_read = [200, 404].contains(&answer.status);
            assert!(is_read, "{path}: {}", answer.text);
        }
    }
}

/// Sends a request, which succeeds. Returns the answer's body.
async fn sends(caller: &Caller, method: &str, path: &str, body: Value) -> Value {
    let body = (!body.is_null()).then(|| body.to_string());
    let answer = caller.send(method, path, body).await;
    assert!(answer.status < 300, "{method} {path}: {}", answer.text);
    answer.expect(answer.status)
}

async fn walk_over_the_agent(world: &Concierge) {
    let session = world.stuck_batch().await;
    for list in [
        "alerts",
        "agent-sessions",
        "agent-sessions?status=awaiting_confirmation",
    ] {
        world
            .max
            .reads(&format!("/api/concierge/{list}"))
            .await;
    }
    let ids = world.proposed(&session).await;
    let answer = world
        .executes(&session, &[ids[0].as_str()])
        .await;
    answer.expect(202);
    // Delivered late, so that the sweeper sends it again, and then to a worker.
    world.api.clock.advance(span::HOUR / 2);
    world.sweeper().sweep().await;
    world.delivers(&world.worker()).await;
    assert_eq!(world.session(&session).await["status"], "completed");
    // The last delivery of a message that cannot be handled.
    let poison = world.message(&json!(4711), "s4711-p1-a1");
    world
        .worker()
        .handle(event(&[(&poison, 5)]))
        .await;
    // One whose effect another one excludes.
    let invoice = [("invoice", "inv_2016")];
    let (duplicated, void) = world
        .approved("invoice_duplicated", &invoice, 0)
        .await;
    world.runs(&duplicated, &void).await;
    let cancelled = world.failed_payment().await;
    world.proposed(&cancelled).await;
    world
        .cancels(&cancelled)
        .await
        .expect(200);
    world
        .proposed(&world.failed_payment().await)
        .await;
    world.api.clock.advance(25 * span::HOUR);
    world.sweeper().sweep().await;
    let ada = world.api.sign_in("ada").await;
    let connection = "/api/concierge/connections/notifications";
    ada.deletes(connection).await;
}
