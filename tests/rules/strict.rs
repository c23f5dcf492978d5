//! `Prefer: handling=strict`, of every operation with a body.

use serde_json::json;
use tests::support::{World, refused};

const STRICT: &str = "respond-async, handling=strict";

#[tokio::test]
async fn every_body_refuses_unknown_members_if_the_client_prefers_it() {
    let world = World::start().await;
    let mut requests = world.requests();
    requests.retain(|request| request.body.is_some());
    assert!(requests.len() > 40, "{}", requests.len());
    for mut request in requests {
        // Alertmanager sends it, and the operation does not read it.
        let body = request
            .body
            .as_mut()
            .unwrap()
            .as_object_mut();
        body.unwrap().remove("version");
        let name = request.operation();
        let caller = world.caller_of(&request).await;
        let strict = caller.with_header("prefer", STRICT);
        let mut surplus = request.clone();
        surplus.body.as_mut().unwrap()["a/b"] = json!(1);
        let answer = surplus.by(&strict).await;
        assert_eq!(
            answer.header("preference-applied"),
            Some("handling=strict"),
            "{name}"
        );
        refused!(answer => [("/a~1b", "unknown_member")]);
        let answer = request.succeeds(&strict).await;
        assert_eq!(
            answer.header("preference-applied"),
            Some("handling=strict"),
            "{name}"
        );
    }
}
