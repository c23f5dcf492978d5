//! `POST /api/webhooks/{id}/test`

use tests::support::{
    Api, shows, snapshot,
    webhooks::{Receiver, verified},
};

#[tokio::test]
async fn a_test_is_signed_and_tells_what_the_receiver_answered() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let receiver = Receiver::start().await;
    let types = ["task.created"];
    let (id, secret) = api
        .has_webhook(&ada, &receiver.url, &types)
        .await;
    let path = format!("/api/webhooks/{id}/test");
    shows!(ada.triggers(&path).await, {"status": "delivered", "statusCode": 204, "error": null});
    let [message] = receiver
        .take()
        .await
        .try_into()
        .unwrap();
    assert!(verified(&secret, &message));
    snapshot!(message.json(), @r#"
    {
      "data": {"change": null, "url": null, "webUrl": null},
      "timestamp": "2026-01-15T12:00:00.000Z",
      "type": "webhook.test"
    }
    "#);
    receiver.answers(500, &[]).await;
    let tested = ada.triggers(&path).await;
    shows!(tested, {"status": "failed", "statusCode": 500, "error": "The receiver answered 500."});
    assert!(
        api.deliveries(&ada, id)
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn a_receiver_that_is_down_is_no_fault_of_the_request() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let (id, _) = api
        .has_webhook(&ada, "http://127.0.0.1:1/", &["*"])
        .await;
    let tested = ada
        .triggers(&format!("/api/webhooks/{id}/test"))
        .await;
    shows!(tested, {"status": "failed", "statusCode": null});
    assert_eq!(tested["error"], "The receiver cannot be reached.");
}
