//! `POST /api/concierge/agent-sessions/{id}/reject`

use serde_json::{Value, json};
use tests::support::{Answer, Caller, Concierge, refused, shows, snapshot};

async fn rejects(caller: &Caller, session: &Value) -> Answer {
    let path = format!("/api/concierge/agent-sessions/{session}/reject?detail=full");
    caller
        .post(&path, json!({"reason": "It was paid."}))
        .await
}

#[tokio::test]
async fn a_rejected_proposal_is_cancelled_and_says_by_whom_and_why() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let action = world.proposed(&id).await.remove(0);
    let session = rejects(&world.max, &id)
        .await
        .expect(200);
    shows!(session, {"status": "cancelled", "error": null});
    snapshot!(session["rejection"], @r#"{"at": "2026-01-15T12:00:00.000Z", "reason": "It was paid.", "userId": 1}"#);
    assert_eq!(world.session(&id).await, session);
    // Again changes nothing; of somebody else it is no more than any cancelled session.
    assert_eq!(
        rejects(&world.max, &id)
            .await
            .expect(200),
        session
    );
    refused!(rejects(&world.api.sign_in("ada").await, &id).await => 409, "invalid_transition");
    refused!(world.executes(&id, &[&action]).await => 409, "invalid_transition");
    assert_eq!(world.takes_messages().await, [] as [String; 0]);
}

#[tokio::test]
async fn one_of_an_approval_and_a_rejection_holds() {
    for _ in 0..2 {
        let world = Concierge::start().await;
        let id = world.stuck_batch().await;
        let action = world.proposed(&id).await.remove(0);
        let ada = world.api.sign_in("ada").await;
        let approved = [action.as_str()];
        let (approved, rejected) =
            futures::join!(world.executes(&id, &approved), rejects(&ada, &id));
        world.delivers(&world.worker()).await;
        let status = world.session(&id).await["status"].clone();
        let effects = world.demo.effects();
        match (approved.status, rejected.status) {
            (202, 409) => assert_eq!((status, effects.len()), (json!("completed"), 1)),
            (409, 200) => assert_eq!((status, effects.len()), (json!("cancelled"), 0)),
            other => panic!("{other:?}"),
        }
    }
}
