//! Sends the request examples of the OpenAPI document: the service accepts each of them.

use serde_json::{Value, json};
use shared::auth::password;
use tests::support::{Caller, Request, World, document, operations};

/// Statuses that make room for an example: a resolved one takes no status but `open`.
const REOPENED: [&str; 2] = ["/api/service-requests/1", "/api/managed-services/ticket/1"];

#[tokio::test]
async fn the_service_accepts_every_request_example() {
    let world = World::start().await;
    let document = serde_json::to_value(document()).unwrap();
    let max = world.caller().await;
    for path in REOPENED {
        max.patches(path, json!({"status": "open"}))
            .await;
    }
    let mut sent = 0;
    for mut request in world.requests() {
        let Some(mut example) = example(&document, &request) else {
            continue;
        };
        // A link's token is another one in each world, and so is the provider, whose document is
        // read.
        for name in ["token", "issuer"] {
            if example.get(name).is_some() {
                example[name] = request.body.as_ref().unwrap()[name].clone();
            }
        }
        let caller = prepared(&world, &mut request, &example).await;
        request.body = Some(example);
        request.succeeds(&caller).await;
        sent += 1;
    }
    let with_body = operations()
        .iter()
        .filter(|operation| operation.takes_body())
        .count();
    assert_eq!(sent, with_body, "examples, and operations with a body");
}

/// The example of a request's body; none for an operation without one.
fn example(document: &Value, request: &Request) -> Option<Value> {
    let operation = &document["paths"][&request.template][request.method.to_lowercase()];
    let body = operation.get("requestBody")?;
    let schema = body["content"]["application/json"]["schema"]["$ref"].as_str();
    let schema = document.pointer(schema.unwrap().trim_start_matches('#'));
    let example = schema.unwrap()["examples"].get(0);
    assert!(example.is_some(), "no example: {}", request.operation());
    example.cloned()
}

/// Prepares the world for an example and returns its caller.
async fn prepared(world: &World, request: &mut Request, example: &Value) -> Caller {
    match request.operation().as_str() {
        "POST /api/auth/login" => {
            let name = example["username"].as_str().unwrap();
            with_password(world, name, &example["password"]).await;
        }
        "PUT /api/auth/email" => {
            return with_password(world, "vic", &example["password"]).await;
        }
        "PUT /api/auth/password" => {
            return with_password(world, "vic", &example["currentPassword"]).await;
        }
        // The other requests need the connection that is there.
        "PUT /api/concierge/connections/{name}" => {
            request.path = request
                .template
                .replace("{name}", "stripe");
        }
        _ => (),
    }
    world.caller_of(request).await
}

/// Gives a user a password, which ends their sessions, and returns a new session of theirs.
async fn with_password(world: &World, name: &str, password: &Value) -> Caller {
    let api = world.api();
    let user = api.user(name).await;
    let hash = password::hash(password.as_str().unwrap().into()).await;
    let tenant = user.organization_id;
    let directory = api.store.directory();
    let change = directory.change_password(tenant, &user, hash.unwrap());
    change.await.unwrap();
    let user = directory
        .user(tenant, user.id)
        .await
        .unwrap();
    api.session_of(&user).await
}
