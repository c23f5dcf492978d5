use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use super::{DemoTargets, FaultMode, InjectedFault};

const SYNC: &str = "/customers/cus_501/sync";

struct Demo {
    systems: DemoTargets,
    http: reqwest::Client,
}

impl Demo {
    fn start() -> Self {
        Self::over(DemoTargets::start(0, None).unwrap())
    }

    fn over(systems: DemoTargets) -> Self {
        let http = reqwest::Client::builder()
            .timeout(Duration::from_secs(5))
            .build()
            .unwrap();
        Self { systems, http }
    }

    /// Sends a call with the system's own secret.
    fn call(&self, method: Method, system: &str, path: &str) -> reqwest::RequestBuilder {
        let connection = &self.systems.connections()[system];
        let url = format!("{}{path}", connection["baseUrl"].as_str().unwrap());
        let secret = connection["secret"].as_str().unwrap();
        self.http
            .request(method, url)
            .bearer_auth(secret)
    }

    async fn get(&self, system: &str, path: &str) -> (u16, Value) {
        read(
            self.call(Method::GET, system, path)
                .send()
                .await
                .unwrap(),
        )
        .await
    }

    async fn post(&self, system: &str, path: &str, body: Value) -> (u16, Value) {
        let request = self
            .call(Method::POST, system, path)
            .json(&body);
        read(request.send().await.unwrap()).await
    }

    async fn post_with_key(&self, key: &str, path: &str, body: Value) -> (u16, Value) {
        let request = self
            .call(Method::POST, "billing", path)
            .json(&body);
        read(
            request
                .header("idempotency-key", key)
                .send()
                .await
                .unwrap(),
        )
        .await
    }

    async fn status(&self, system: &str, path: &str) -> u16 {
        self.post(system, path, json!({}))
            .await
            .0
    }

    fn effects(&self) -> Vec<(String, String)> {
        self.systems
            .effects()
            .into_iter()
            .map(|effect| (effect.operation, effect.entity))
            .collect()
    }
}

async fn read(response: reqwest::Response) -> (u16, Value) {
    (response.status().as_u16(), response.json().await.unwrap())
}

/// System, operation, the record that it changes, and a member before and after.
const CHANGES: &str = r#"
billing /usage-batches/ub_1001/reprocess /usage-batches/ub_1001 state "processing" "processed"
billing /invoices/inv_2001/finalize /invoices/inv_2001 state "draft" "open"
billing /invoices/inv_2008/void /invoices/inv_2008 state "open" "void"
billing /customers/cus_501/sync /customers/cus_501 syncState "out_of_sync" "in_sync"
payments /payments/pay_3001/retry /payments/pay_3001 state "failed" "succeeded"
payments /invoices/inv_2005/retry /payments/pay_3002 state "failed" "succeeded"
billing /usage-batches/ub_1009/deduplicate /usage-batches/ub_1009 duplicateEvents 1904 0
billing /invoices/inv_2012/recompute /invoices/inv_2012 quantity 40120 38216
billing /invoices/inv_2014/pause-collection /invoices/inv_2014 collectionPaused false true
billing /customers/cus_506/unpark /customers/cus_506 parked true false
payments /payments/pay_3007/reconcile /payments/pay_3007 state "unknown" "succeeded"
notifications /webhook-endpoints/we_5001/resend /webhook-endpoints/we_5001 undelivered 318 0
"#;

#[tokio::test]
async fn an_operation_changes_its_entity_once() {
    let demo = Demo::start();
    for row in CHANGES.trim().lines() {
        let row: Vec<&str> = row.split(' ').collect();
        let [system, operation, seen, field, before, after] = row[..] else {
            panic!("{row:?}");
        };
        let [before, after]: [Value; 2] =
            [before, after].map(|text| serde_json::from_str(text).unwrap());
        let (_, shown) = demo.get(system, seen).await;
        assert_eq!(shown[field], before, "{operation}");

        let (status, answered) = demo
            .post(system, operation, json!({}))
            .await;
        assert_eq!((status, &answered[field]), (200, &after), "{operation}");
        let entity = &demo.effects().pop().unwrap().1;
        assert!(seen.ends_with(entity), "{entity}");

        let (status, refusal) = demo
            .post(system, operation, json!({}))
            .await;
        assert_eq!((status, &refusal["code"]), (409, &json!("already_done")));
    }
    assert_eq!(demo.effects().len(), 12);
}

#[tokio::test]
async fn a_collected_payment_settles_its_invoice() {
    let demo = Demo::start();
    let retry = "/payments/pay_3001/retry";
    assert_eq!(demo.status("payments", retry).await, 200);
    let (_, invoice) = demo
        .get("billing", "/invoices/inv_2004")
        .await;
    assert_eq!(invoice["state"], "paid");
    assert_eq!(
        demo.status("billing", "/invoices/inv_2004/void")
            .await,
        422
    );
}

#[tokio::test]
async fn a_parked_account_is_billed_once_it_is_out_of_parking() {
    let demo = Demo::start();
    let path = "/customers/cus_506/invoices";
    assert_eq!(demo.status("billing", path).await, 422);
    let unpark = "/customers/cus_506/unpark";
    assert_eq!(demo.status("billing", unpark).await, 200);
    let (status, invoice) = demo
        .post("billing", path, json!({}))
        .await;
    assert_eq!((status, &invoice["amountDue"]), (200, &json!(318_000)));
    let made = format!("/invoices/{}", invoice["id"].as_str().unwrap());
    assert_eq!(demo.get("billing", &made).await.1["state"], "open");
    assert_eq!(demo.status("billing", path).await, 409);
}

/// Many systems answer so: the call succeeded, and the payment failed again.
#[tokio::test]
async fn a_stolen_card_is_declined_again_with_200() {
    let demo = Demo::start();
    let path = "/payments/pay_3006/retry";
    let (status, payment) = demo
        .post("payments", path, json!({}))
        .await;
    assert_eq!((status, &payment["state"]), (200, &json!("failed")));
    assert_eq!(demo.effects(), []);
}

#[tokio::test]
async fn messages_about_a_payment_are_counted() {
    let demo = Demo::start();
    let path = "/payments/pay_3001/messages";
    let (_, none) = demo.get("notifications", path).await;
    let sent = |failed, needed| json!({"payment_failed": failed, "payment_method_needed": needed});
    assert_eq!(none["sent"], sent(0, 0));
    for (payment, failed) in [("pay_3001", 1), ("pay_3002", 1), ("pay_3001", 2)] {
        let message =
            json!({"customerId": "cus_501", "template": "payment_failed", "paymentId": payment});
        demo.post("notifications", "/messages", message)
            .await;
        let (_, told) = demo.get("notifications", path).await;
        assert_eq!(told["sent"], sent(failed, 0));
    }
}

#[tokio::test]
async fn what_cannot_be_done_is_told_apart() {
    let demo = Demo::start();
    for (system, operation, status) in [
        ("billing", "/usage-batches/ub_1008/reprocess", 422),
        ("billing", "/invoices/inv_2009/refresh", 422),
        ("billing", "/invoices/inv_2009/finalize", 422),
        ("payments", "/payments/pay_3005/retry", 422),
        ("payments", "/payments/pay_3007/retry", 422),
        ("billing", "/invoices/inv_2008/recompute", 422),
        ("payments", "/payments/pay_9/reconcile", 404),
        ("notifications", "/webhook-endpoints/we_9/resend", 404),
        ("payments", "/invoices/inv_2001/retry", 422),
        ("billing", "/usage-batches/ub_9/reprocess", 404),
        ("payments", "/invoices/inv_9/retry", 404),
        ("billing", "/elsewhere", 404),
        ("billing", "/usage-events/resend", 400),
        ("notifications", "/messages", 400),
    ] {
        assert_eq!(demo.status(system, operation).await, status, "{operation}");
    }
    assert_eq!(demo.effects(), []);
}

#[tokio::test]
async fn a_credit_note_stays_within_its_invoice() {
    let demo = Demo::start();
    let path = "/invoices/inv_2007/credit-notes";
    let note = |amount: i64| json!({"amount": amount, "reason": "billed twice"});
    assert_eq!(
        demo.post("billing", path, note(701_000))
            .await
            .0,
        200
    );
    assert_eq!(
        demo.post("billing", path, note(1_000))
            .await
            .0,
        422
    );
    assert_eq!(
        demo.post("billing", path, note(550))
            .await
            .0,
        200
    );
    assert_eq!(
        demo.post("billing", path, note(-1))
            .await
            .0,
        400
    );
    let drafts = "/invoices/inv_2001/credit-notes";
    assert_eq!(
        demo.post("billing", drafts, note(1))
            .await
            .0,
        422
    );
    assert_eq!(demo.effects().len(), 2);
}

#[tokio::test]
async fn missing_usage_events_are_sent_once() {
    let demo = Demo::start();
    let body = json!({"customerId": "cus_503"});
    for status in [200, 409] {
        let sent = demo.post("billing", "/usage-events/resend", body.clone());
        assert_eq!(sent.await.0, status);
    }
}

#[tokio::test]
async fn only_its_own_secret_opens_a_system() {
    let demo = Demo::start();
    let url = format!("{}/targets/billing/customers/cus_501", demo.systems.url());
    assert_eq!(
        demo.http
            .get(&url)
            .send()
            .await
            .unwrap()
            .status(),
        401
    );
    let stranger = demo
        .http
        .get(&url)
        .bearer_auth("local-payments-secret");
    assert_eq!(stranger.send().await.unwrap().status(), 401);
}

#[tokio::test]
async fn a_repeated_key_gets_the_first_answer_and_no_second_effect() {
    let demo = Demo::start();
    let path = "/invoices/inv_2007/credit-notes";
    let body = json!({"amount": 100, "reason": "billed twice"});
    let first = demo
        .post_with_key("k1", path, body.clone())
        .await;
    assert_eq!(first.0, 200);
    assert_eq!(
        demo.post_with_key("k1", path, body.clone())
            .await,
        first
    );
    let effects = demo.systems.effects();
    assert_eq!(effects.len(), 1);
    assert_eq!(effects[0].idempotency_key.as_deref(), Some("k1"));

    let other_body = json!({"amount": 200, "reason": "billed twice"});
    assert_eq!(
        demo.post_with_key("k1", path, other_body)
            .await
            .0,
        422
    );
    let other_path = "/invoices/inv_2008/credit-notes";
    let other = demo
        .post_with_key("k1", other_path, body.clone())
        .await;
    assert_eq!(other.0, 422);

    let second = demo
        .post_with_key("k2", path, body)
        .await;
    assert_ne!(second.1["id"], first.1["id"]);
    assert_eq!(demo.effects().len(), 2);
}

#[tokio::test]
async fn calls_at_once_with_one_key_have_one_effect() {
    let demo = Demo::start();
    let body = json!({"amount": 100, "reason": "billed twice"});
    let path = "/invoices/inv_2007/credit-notes";
    let calls = (0..20).map(|_| demo.post_with_key("k1", path, body.clone()));
    let answers = futures::future::join_all(calls).await;
    assert!(
        answers
            .iter()
            .all(|answer| *answer == answers[0])
    );
    assert_eq!(demo.effects().len(), 1);
}

#[tokio::test]
async fn a_refusal_is_not_stored_with_its_key() {
    let demo = Demo::start();
    demo.systems
        .inject(InjectedFault::once("billing", FaultMode::Fail));
    assert_eq!(
        demo.post_with_key("k1", SYNC, json!({}))
            .await
            .0,
        500
    );
    assert_eq!(
        demo.post_with_key("k1", SYNC, json!({}))
            .await
            .0,
        200
    );
}

#[tokio::test]
async fn notifications_take_no_notice_of_keys() {
    let demo = Demo::start();
    let body = json!({"customerId": "cus_501", "template": "payment_failed", "amount": 7});
    for _ in 0..2 {
        let request = demo.call(Method::POST, "notifications", "/messages");
        let request = request
            .header("Idempotency-Key", "k1")
            .json(&body);
        assert_eq!(request.send().await.unwrap().status(), 200);
    }
    assert_eq!(demo.effects().len(), 2);
    assert_eq!(demo.systems.state()["messages"][1]["content"], body);
    let connection = demo.systems.connections()["notifications"].clone();
    assert_eq!(connection["idempotency"], Value::Null);
}

#[tokio::test]
async fn a_fault_strikes_as_often_as_asked_and_where_asked() {
    let demo = Demo::start();
    let fault = InjectedFault::once("billing", FaultMode::Fail).status(503);
    demo.systems.inject(
        fault
            .times(2)
            .of("POST /customers/{id}/sync"),
    );
    assert_eq!(
        demo.get("billing", "/customers/cus_501")
            .await
            .0,
        200
    );
    assert_eq!(demo.status("billing", SYNC).await, 503);
    assert_eq!(
        demo.status("billing", "/customers/cus_502/sync")
            .await,
        503
    );
    assert_eq!(demo.effects(), []);
    assert_eq!(demo.status("billing", SYNC).await, 200);
}

#[tokio::test]
async fn each_mode_of_a_fault_has_its_answer_and_its_effects() {
    // The answer to a call with little patience, and the effects of that call.
    for (mode, answer, effects) in [
        (FaultMode::Garbage, Some(200), 0),
        // The redirect leads nowhere.
        (FaultMode::Redirect, Some(404), 0),
        (FaultMode::Hang, None, 0),
        (FaultMode::Drop, None, 1),
        (FaultMode::Delay, None, 1),
    ] {
        let demo = Demo::start();
        demo.systems.inject(InjectedFault {
            delay_ms: 60_000,
            ..InjectedFault::once("billing", mode)
        });
        let call = demo.call(Method::POST, "billing", SYNC);
        let call = call.header("Idempotency-Key", "k1");
        let waits = matches!(mode, FaultMode::Hang | FaultMode::Delay);
        let patience = Duration::from_secs(if waits { 2 } else { 60 });
        match call.timeout(patience).send().await {
            Ok(response) => {
                assert_eq!(Some(response.status().as_u16()), answer);
                assert!(response.json::<Value>().await.is_err(), "{mode:?}");
            }
            Err(error) => {
                assert_eq!(None, answer, "{mode:?}");
                assert_eq!(error.is_timeout(), mode != FaultMode::Drop);
            }
        }
        assert_eq!(demo.effects().len(), effects, "{mode:?}");
        assert_eq!(demo.systems.waiting_faults(), 0);
        if mode == FaultMode::Drop {
            assert_eq!(
                demo.post_with_key("k1", SYNC, Value::Null)
                    .await
                    .0,
                200
            );
            assert_eq!(demo.effects().len(), 1);
        }
    }
}

#[tokio::test]
async fn a_stored_failure_is_the_answer_to_its_key_for_ever() {
    let demo = Demo::start();
    let stored = InjectedFault {
        kept: true,
        ..InjectedFault::once("billing", FaultMode::Fail)
    };
    demo.systems.inject(stored.clone());
    for _ in 0..2 {
        assert_eq!(
            demo.post_with_key("k1", SYNC, json!({}))
                .await
                .0,
            500
        );
    }
    assert_eq!(demo.effects(), []);
    assert_eq!(
        demo.post_with_key("k2", SYNC, json!({}))
            .await
            .0,
        200
    );
    // An earlier success stays the answer to its key.
    demo.systems.inject(stored);
    assert_eq!(
        demo.post_with_key("k2", SYNC, json!({}))
            .await
            .0,
        200
    );
}

#[tokio::test]
async fn a_hanging_call_does_not_hold_up_the_end() {
    let demo = Demo::start();
    demo.systems
        .inject(InjectedFault::once("billing", FaultMode::Hang));
    let hanging = tokio::spawn(
        demo.call(Method::POST, "billing", SYNC)
            .send(),
    );
    while demo.systems.waiting_faults() > 0 {
        tokio::task::yield_now().await;
    }
    demo.systems.stop().await;
    assert!(hanging.await.unwrap().is_err());
}

#[tokio::test]
async fn administration_needs_no_secret() {
    let demo = Demo::start();
    let url = |path: &str| format!("{}{path}", demo.systems.url());
    let fault = json!({"system": "billing", "mode": "fail", "status": 502, "times": 3});
    let post = |body: Value| {
        demo.http
            .post(url("/faults"))
            .json(&body)
            .send()
    };
    assert_eq!(post(fault).await.unwrap().status(), 204);
    assert_eq!(demo.status("billing", SYNC).await, 502);
    let cleared = demo
        .http
        .delete(url("/faults"))
        .send()
        .await
        .unwrap();
    assert_eq!(cleared.status(), 204);
    assert_eq!(demo.status("billing", SYNC).await, 200);

    let (_, effects) = read(
        demo.http
            .get(url("/effects"))
            .send()
            .await
            .unwrap(),
    )
    .await;
    assert_eq!(effects[0]["entity"], "cus_501");
    let (_, state) = read(
        demo.http
            .get(url("/state"))
            .send()
            .await
            .unwrap(),
    )
    .await;
    assert_eq!(state["customers"]["cus_501"]["syncState"], "in_sync");

    for wrong in [
        json!({"system": "shipping", "mode": "fail"}),
        json!({"system": "billing", "mode": "explode"}),
        json!({"system": "billing", "mode": "fail", "operation": "POST /nowhere"}),
        json!({"system": "billing", "mode": "fail", "times": 0}),
        json!({"system": "billing", "mode": "fail", "tmies": 1}),
    ] {
        assert_eq!(
            post(wrong.clone())
                .await
                .unwrap()
                .status(),
            400,
            "{wrong}"
        );
    }

    let reset = demo
        .http
        .post(url("/reset"))
        .send()
        .await
        .unwrap();
    assert_eq!(reset.status(), 204);
    assert_eq!(demo.effects(), []);
    let customer = demo.systems.state()["customers"]["cus_501"].clone();
    assert_eq!(customer["syncState"], "out_of_sync");
}

#[tokio::test]
async fn the_state_file_carries_effects_and_keys_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder
        .path()
        .join("deep/target-systems.json");

    let before = Demo::over(DemoTargets::start(0, Some(&file)).unwrap());
    let first = before
        .post_with_key("k1", SYNC, json!({}))
        .await;
    let effects = before.effects();
    before.systems.stop().await;

    let after = Demo::over(DemoTargets::start(0, Some(&file)).unwrap());
    assert_eq!(after.effects(), effects);
    assert_eq!(
        after
            .post_with_key("k1", SYNC, json!({}))
            .await,
        first
    );
    after.systems.reset().unwrap();
    after.systems.stop().await;

    let reset = Demo::over(DemoTargets::start(0, Some(&file)).unwrap());
    assert_eq!(reset.effects(), []);
}

#[tokio::test]
async fn a_broken_state_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder
        .path()
        .join("target-systems.json");
    std::fs::write(&file, "{").unwrap();
    let error = DemoTargets::start(0, Some(&file)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("target-systems.json"),
        "{error}"
    );
}
