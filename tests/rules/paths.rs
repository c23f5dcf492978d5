//! Paths that only look like those of a record. Clients escape them, and the gateway decodes them.

use tests::support::{Api, World, example};

const CALLBACK: &str = "/api/auth/oidc/callback/{organization}";

/// Ways to write an id so that it names no record. `{id}` is one that does.
const DISGUISES: &str = "{id}%23x {id}%0A {id}%20 %20{id} {id}%09 {id}%0D%0A {id}%00 {id}%3Fx=1 \
    {id}%2F {id}%2Fphase x%2F..%2F{id} ..%2F{id} .%2F{id} {id}%5C %5C{id} {id}%2523x {id}%253Fx \
    {id}%252F {id};x {id}%C2%A0 {id}%E2%80%8B %EF%BB%BF{id}";

/// An id, each of whose characters is escaped twice.
fn twice_escaped(id: &str) -> String {
    let bytes = id
        .bytes()
        .map(|byte| format!("%25{byte:02X}"));
    bytes.collect::<Vec<_>>().concat()
}

#[tokio::test]
async fn no_path_reaches_a_record_that_it_does_not_name() {
    let world = World::start().await;
    let before = world.api().records().await;
    let mut tried = 0;
    for request in world.requests() {
        // A callback redirects the browser to a page that says why it fails.
        if !request.template.contains('{') || request.template == CALLBACK {
            continue;
        }
        let caller = world.caller_of(&request).await;
        let segments: Vec<&str> = request.path.split('/').collect();
        let parameters = request.template.split('/').enumerate();
        for (place, _) in parameters.filter(|(_, part)| part.starts_with('{')) {
            let id = segments[place];
            let disguises = DISGUISES
                .split(' ')
                .map(|disguise| disguise.replace("{id}", id));
            for disguise in disguises.chain([twice_escaped(id)]) {
                let mut segments = segments.clone();
                segments[place] = &disguise;
                let mut tricky = request.clone();
                tricky.path = segments.join("/");
                let answer = tricky.by(&caller).await;
                let name = format!("{} {}", request.method, tricky.path);
                // Where an unknown record is 403, it is that.
                let is_none = [404, 403].contains(&answer.status);
                assert!(is_none, "{name}: {} {}", answer.status, answer.text);
                tried += 1;
            }
        }
    }
    assert!(tried > 2_000, "{tried}");
    assert_eq!(before, world.api().records().await);
}

#[tokio::test]
async fn no_escaped_character_ends_or_changes_a_path() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    max.creates_tasks(["Draft", "Review"])
        .await;
    let token = max.creates("/api/tokens", serde_json::json!({"name": "x"}));
    let token = token.await;
    for path in [
        "/api/tasks%23x?limit=abc",
        "/api/tasks%3Fx?limit=abc",
        "/api/tasks%20",
        "/api/tasks%0A",
        "/api/tasks%5C1",
        "/api%2Ftasks%2F1",
        "/api/tasks%2F1",
        "/api%5Ctasks",
        "/api/tasks/1/.",
        "/api/tasks/1/..",
        "/api/tasks/2/../1",
        "/api/tasks/%2E%2E/tasks",
        &format!("/api/users/../tokens/{token}"),
        &format!("/api/users/%2e%2E/tokens/{token}"),
    ] {
        max.get(path)
            .await
            .expect_problem(404, "not_found");
        let answer = max.delete(path).await;
        let is_refused = [404, 405].contains(&answer.status);
        assert!(is_refused, "{path}: {}", answer.text);
    }
    let refused = max.get("/api/tasks/5%25").await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert_eq!(max.get("/api/tokens").await.ids().len(), 1);
    assert_eq!(max.get("/api/tasks").await.ids().len(), 2);
    // What a client escapes without need is the same path.
    max.reads(&example("/api/tasks/{id}", "%31"))
        .await;
}
