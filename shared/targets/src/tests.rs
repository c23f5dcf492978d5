//! Calls of a system that echoes requests, with secrets of a counting key management service.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use agent::{check::TargetRead, connection::ConnectionPut};
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, SharedCredentialsProvider};
use aws_types::SdkConfig;
use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use model::base::{Id, JsonObject, JsonText, OrganizationId, SealedSecret, Slug, Timestamp, input};
use serde_json::{Value, json};

use crate::*;

async fn serve(routes: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        axum::serve(listener, routes)
            .await
            .unwrap();
    });
    url
}

/// Starts a system that returns 200 with the request, or 401 without the right bearer token.
/// Returns its URL.
async fn echo() -> String {
    let handler = |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| async move {
        let header = |name: &str| {
            headers
                .get(name)
                .map(|value| value.to_str().unwrap())
        };
        let wants = header("x-wants");
        let status = if wants.is_some_and(|wants| header("authorization") != Some(wants)) {
            StatusCode::UNAUTHORIZED
        } else {
            StatusCode::OK
        };
        let headers: HashMap<_, _> = headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect();
        let sent = json!({
            "method": method.as_str(), "uri": uri.to_string(), "headers": headers,
            "body": String::from_utf8(body.into()).unwrap(),
        });
        (status, Json(sent))
    };
    serve(Router::new().fallback(handler)).await
}

/// A key management service that counts its requests. The ciphertext of a text is the text in
/// base64, with its context.
#[derive(Clone, Default)]
struct Double {
    asked: Arc<AtomicUsize>,
    fails: Arc<AtomicBool>,
}

impl Double {
    async fn kms(&self) -> Kms {
        let url = serve(
            Router::new()
                .fallback(respond)
                .with_state(self.clone()),
        )
        .await;
        let credentials = Credentials::new("test", "test", None, None, "test");
        let aws = SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("us-east-1"))
            .credentials_provider(SharedCredentialsProvider::new(credentials))
            .endpoint_url(url)
            .build();
        Kms::new(&aws).unwrap()
    }

    async fn targets(&self) -> Targets {
        Targets::new(Secrets::new(self.kms().await), true)
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

async fn respond(State(double): State<Double>, headers: HeaderMap, body: Bytes) -> Response {
    double
        .asked
        .fetch_add(1, Ordering::SeqCst);
    let refusal = |code: &str| (StatusCode::BAD_REQUEST, Json(json!({ "__type": code })));
    if double.fails.load(Ordering::SeqCst) {
        return refusal("AccessDeniedException").into_response();
    }
    let request: Value = serde_json::from_slice(&body).unwrap();
    let context = &request["EncryptionContext"];
    let text = |name: &str| {
        request[name]
            .as_str()
            .unwrap()
            .to_owned()
    };
    if headers["x-amz-target"] == "TrentService.Encrypt" {
        let sealed = sealed(context, &text("Plaintext"));
        return Json(json!({ "CiphertextBlob": sealed })).into_response();
    }
    let opened = BASE64_STANDARD
        .decode(text("CiphertextBlob"))
        .unwrap();
    let opened: Value = serde_json::from_slice(&opened).unwrap();
    if opened["context"] != *context {
        return refusal("InvalidCiphertextException").into_response();
    }
    Json(json!({ "Plaintext": opened["text"] })).into_response()
}

/// The double's ciphertext of a text in base64.
fn sealed(context: &Value, text: &str) -> String {
    BASE64_STANDARD.encode(json!({"context": context, "text": text}).to_string())
}

/// A connection `billing` with a secret; none if `more` says so.
fn with_secret(organization: i64, url: &str, more: &Value, secret: &str) -> Connection {
    let mut sent = json!({
        "kind": "billing", "amounts": "minor", "baseUrl": url,
        "idempotency": {"in": "header", "name": "Idempotency-Key"},
        "allow": ["POST /things/{id}", "GET /things/{id}"],
    });
    let members = sent.as_object_mut().unwrap();
    members.extend(more.as_object().unwrap().clone());
    let put: ConnectionPut = input::from_value(&sent).unwrap();
    let tenant = OrganizationId::new(organization).unwrap();
    let now: Timestamp = "2026-01-15T12:00:00Z".parse().unwrap();
    let context = json!({
        "purpose": "connection", "organization": tenant.to_string(), "connection": "billing",
    });
    let secret = (sent.get("secret") != Some(&Value::Null)).then(|| SealedSecret {
        ciphertext: sealed(&context, &BASE64_STANDARD.encode(secret)),
        set_at: now,
    });
    Connection {
        secret,
        ..Connection::new(tenant, Slug::new("billing").unwrap(), put, now)
    }
}

fn connection(organization: i64, url: &str, more: &Value) -> Connection {
    with_secret(organization, url, more, "hush")
}

fn call(method: &str, body: Option<&Value>) -> ApiCall {
    ApiCall {
        method: method.to_owned(),
        path: "/things/a%20b".to_owned(),
        body: body.map(|body| JsonText(JsonObject(body.as_object().unwrap().clone()))),
        expect: vec![200],
        ..ApiCall::default()
    }
}

const SENDING: Sending<'_> = Sending {
    key: Some("wd-1"),
    timeout: Duration::from_secs(10),
};

/// Returns the request that the system received.
async fn sent(more: &Value, call: &ApiCall) -> Value {
    let targets = Double::default().targets().await;
    let connection = connection(1, &format!("{}/api", echo().await), more);
    let answered = targets
        .send(&connection, call, SENDING)
        .await;
    answered
        .ok()
        .unwrap()
        .response
        .json()
        .await
        .unwrap()
}

#[tokio::test]
async fn a_call_carries_secret_key_headers_and_body_as_the_connection_says() {
    let body = json!({"amount": 1, "lines": [{"price": "p"}]});
    let post = call("POST", Some(&body));
    let form = json!({
        "body": "form", "auth": {"scheme": "basic"},
        "headers": [{"name": "Stripe-Version", "value": "2025-09-30"}],
    });
    let bot = json!({"auth": {"scheme": "basic", "username": "bot"}});
    let named = json!({"auth": {"scheme": "header", "header": "X-Api-Key"}});
    let of_json = "application/json";
    let of_form = "application/x-www-form-urlencoded";
    let json = r#"{"amount":1,"lines":[{"price":"p"}]}"#;
    let pairs = "amount=1&lines%5B0%5D%5Bprice%5D=p";
    for (connection, headers, body) in [
        (json!({}), ["Bearer hush", of_json, "", ""], json),
        // The secret is the user; the password is empty.
        (form, ["Basic aHVzaDo=", of_form, "2025-09-30", ""], pairs),
        (bot, ["Basic Ym90Omh1c2g=", of_json, "", ""], json),
        (named, ["", of_json, "", "hush"], json),
        (json!({"secret": null}), ["", of_json, "", ""], json),
    ] {
        let sent = sent(&connection, &post).await;
        let header = |name: &str| {
            sent["headers"][name]
                .as_str()
                .unwrap_or_default()
        };
        let shown = [
            "authorization",
            "content-type",
            "stripe-version",
            "x-api-key",
        ];
        assert_eq!(shown.map(header), headers, "{connection}");
        assert_eq!(header("idempotency-key"), "wd-1", "{connection}");
        let request = ["method", "uri", "body"].map(|part| sent[part].as_str().unwrap());
        assert_eq!(request, ["POST", "/api/things/a%20b", body], "{connection}");
    }
}

#[tokio::test]
async fn a_key_stands_in_its_place_and_only_where_something_changes() {
    let place = |place: &str| json!({"idempotency": {"in": place, "name": "key"}});
    let post = call("POST", None);
    let get = call("GET", None);
    let of_body = call("POST", Some(&json!({"a": 1})));
    let uri = "/api/things/a%20b";
    let with_key = "/api/things/a%20b?key=wd-1";
    for (connection, call, uri, body) in [
        (place("body"), &of_body, uri, r#"{"a":1,"key":"wd-1"}"#),
        (place("body"), &post, uri, r#"{"key":"wd-1"}"#),
        (place("query"), &post, with_key, ""),
        (json!({"idempotency": null}), &post, uri, ""),
        (json!({}), &get, uri, ""),
    ] {
        let sent = sent(&connection, call).await;
        let key = sent["headers"].get("idempotency-key");
        let sent_parts = (&sent["uri"], &sent["body"], key);
        assert_eq!(
            sent_parts,
            (&json!(uri), &json!(body), None),
            "{connection}"
        );
    }
}

/// Returns the secret that the system received.
async fn secret_sent(targets: &Targets, connection: &Connection) -> Result<String, NoResponse> {
    let post = call("POST", None);
    let answered = targets
        .send(connection, &post, SENDING)
        .await?;
    let sent: Value = answered.response.json().await.unwrap();
    let authorization = sent["headers"]["authorization"]
        .as_str()
        .unwrap();
    Ok(authorization
        .strip_prefix("Bearer ")
        .unwrap()
        .to_owned())
}

#[tokio::test]
async fn a_secret_is_decrypted_once_for_all_calls_and_its_successor_at_once() {
    let double = Double::default();
    let url = echo().await;
    let targets = double.targets().await;
    let of = |organization, secret: &str| with_secret(organization, &url, &json!({}), secret);
    let connection = of(1, "of-one");
    let calls = (0..10).map(|_| secret_sent(&targets, &connection));
    for secret in futures::future::join_all(calls).await {
        assert_eq!(secret.unwrap(), "of-one");
    }
    assert_eq!(double.asked(), 1);
    for (connection, secret, asked) in [
        (of(2, "of-two"), "of-two", 2),
        (of(1, "newer"), "newer", 3),
        (of(2, "of-two"), "of-two", 3),
    ] {
        assert_eq!(
            secret_sent(&targets, &connection)
                .await
                .unwrap(),
            secret
        );
        assert_eq!(double.asked(), asked);
    }
}

#[tokio::test]
async fn a_secret_of_another_organization_or_connection_is_not_sent() {
    let double = Double::default();
    let url = echo().await;
    let targets = double.targets().await;
    let of_one = connection(1, &url, &json!({}));
    let mut of_another = connection(2, &url, &json!({}));
    of_another
        .secret
        .clone_from(&of_one.secret);
    let mut of_other_name = of_one.clone();
    of_other_name.name = Slug::new("payments").unwrap();
    for stranger in [of_another, of_other_name] {
        let answered = secret_sent(&targets, &stranger).await;
        let Err(NoResponse::NotSent(problem)) = answered else {
            panic!("{answered:?}");
        };
        assert!(problem.contains("Send it again"), "{problem}");
    }
    // A failure is not kept.
    double
        .fails
        .store(true, Ordering::SeqCst);
    let answered = secret_sent(&targets, &of_one).await;
    assert!(matches!(answered, Err(NoResponse::NotSent(_))));
    double
        .fails
        .store(false, Ordering::SeqCst);
    assert_eq!(
        secret_sent(&targets, &of_one)
            .await
            .unwrap(),
        "hush"
    );
}

#[tokio::test]
async fn a_sealed_secret_opens_for_its_connection() {
    let kms = Double::default().kms().await;
    let url = echo().await;
    let mut with_secret = connection(1, &url, &json!({}));
    let put = json!({"kind": "billing", "baseUrl": url, "allow": [], "secret": "of-client"});
    let put: ConnectionPut = input::from_value(&put).unwrap();
    let sealer = Sealer::new(kms.clone(), "arn:key");
    let of = SecretOf::Connection("billing".to_owned());
    let ciphertext = sealer.seal(
        with_secret.organization_id,
        &of,
        put.secret.value().unwrap(),
    );
    with_secret
        .secret
        .as_mut()
        .unwrap()
        .ciphertext = ciphertext.await.unwrap();
    let targets = Targets::new(Secrets::new(kms), true);
    assert_eq!(
        secret_sent(&targets, &with_secret)
            .await
            .unwrap(),
        "of-client"
    );
}

#[tokio::test]
async fn what_is_not_allowed_is_not_sent() {
    let url = echo().await;
    let kms = Double::default().kms().await;
    // The second connection was created where http was allowed.
    for (more, local) in [
        (json!({"allow": ["GET /things/{id}"]}), true),
        (json!({}), false),
    ] {
        let answered = Targets::new(Secrets::new(kms.clone()), local)
            .send(&connection(1, &url, &more), &call("POST", None), SENDING)
            .await;
        assert!(matches!(answered, Err(NoResponse::Unsendable(_))), "{more}");
    }
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_is_not_followed() {
    let location = echo().await.clone();
    let redirect =
        move || async move { (StatusCode::TEMPORARY_REDIRECT, [("location", location)]) };
    let url = serve(Router::new().fallback(redirect)).await;
    let targets = Double::default().targets().await;
    let connection = connection(1, &url, &json!({}));
    let post = call("POST", None);
    let answered = targets
        .send(&connection, &post, SENDING)
        .await;
    assert_eq!(answered.ok().unwrap().response.status(), 307);
}

#[tokio::test]
async fn secrets_are_not_shown() {
    let targets = Double::default().targets().await;
    let connection = connection(1, &echo().await, &json!({}));
    assert_eq!(
        secret_sent(&targets, &connection)
            .await
            .unwrap(),
        "hush"
    );
    assert!(!format!("{targets:?} {:?}", targets.secrets).contains("hush"));
}

/// A read of facts that stand at the top of the answer.
fn read(path: &str, facts: &[&str]) -> TargetRead {
    let facts = facts.iter();
    TargetRead {
        name: "thing".into(),
        connection: "billing".into(),
        path: path.into(),
        facts: facts
            .map(|name| ((*name).into(), format!("/{name}")))
            .collect(),
        ..TargetRead::default()
    }
}

#[tokio::test]
async fn a_read_returns_facts_and_keeps_named_members() {
    let invoice = || async { axum::Json(json!({"state": "open", "due": 5, "iban": "DE00"})) };
    let gone = || async { (StatusCode::NOT_FOUND, axum::Json(json!({"state": "none"}))) };
    let routes = Router::new()
        .route("/things/1", axum::routing::get(invoice))
        .route("/things/2", axum::routing::get(gone));
    let url = serve(routes).await;
    let targets = Double::default().targets().await;
    let connection = connection(1, &url, &json!({"keep": ["state", "due"]}));
    let look = async |path: &str| {
        let read = read(path, &["state", "due"]);
        let through = |_: &str| Ok(&connection);
        let seen = targets
            .read_all([&read], through, SENDING.timeout)
            .await;
        seen.into_iter().next().unwrap()
    };
    let seen = look("/things/1").await.unwrap();
    let expected = json!({"thing.due": 5, "thing.http": 200, "thing.state": "open"});
    assert_eq!(json!(seen.facts), expected);
    let excerpt = json!({"status": 200, "body": {"state": "open", "due": 5}});
    assert_eq!(json!(seen.excerpt), excerpt);
    // The body of an error tells nothing about the record.
    let seen = look("/things/2").await.unwrap();
    assert_eq!(json!(seen.facts), json!({"thing.http": 404}));
    assert!(
        look("/others/1")
            .await
            .unwrap_err()
            .is_for_good
    );
}

#[tokio::test]
async fn a_read_that_gets_no_answer_ends_in_time() {
    let hangs = Router::new().fallback(|| async { std::future::pending::<()>().await });
    let url = serve(hangs).await;
    let targets = Double::default().targets().await;
    let connection = connection(1, &url, &json!({}));
    let reads = vec![read("/things/1", &[]); 2];
    let through = |_: &str| Ok(&connection);
    let seen = targets.read_all(&reads, through, Duration::from_secs(2));
    for seen in seen.await {
        let late = "The target system did not answer in time.";
        assert_eq!(seen.unwrap_err().problem, late);
    }
}

#[tokio::test]
async fn an_answer_of_a_mebibyte_is_read_and_a_larger_one_is_named() {
    let invoice = |lines: usize| json!({"lines": vec!["x".repeat(100); lines], "state": "open"});
    let read_at = |lines| axum::routing::get(move || async move { Json(invoice(lines)) });
    let routes = Router::new()
        .route("/things/1", read_at(1_000))
        .route("/things/2", read_at(11_000));
    let url = serve(routes).await;
    let targets = Double::default().targets().await;
    let connection = connection(1, &url, &json!({}));
    let reads = [1, 2].map(|id| read(&format!("/things/{id}"), &["state"]));
    let seen = targets.read_all(&reads, |_| Ok(&connection), SENDING.timeout);
    let [Ok(read), Ok(cut)] = &seen.await[..] else {
        panic!("no answer");
    };
    assert_eq!(read.read_error(&reads[0]), None);
    assert_eq!(read.facts.get("thing.state"), Some(&json!("open")));
    let read_error = cut.read_error(&reads[1]).unwrap();
    let is_named = read_error
        .problem
        .starts_with("answer_too_large");
    assert!(is_named && read_error.is_for_good, "{read_error:?}");
    assert!(!read_error.is_unclear);
}

#[tokio::test]
async fn providers_are_called_at_public_addresses_alone() {
    let public = ProviderCaller::new(false);
    for url in [
        "http://login.example.com/token",
        "https://localhost/token",
        "https://127.0.0.1/token",
        "https://a.example:x@127.0.0.1/token",
        "https://login.internal/token",
        "https://login/token",
    ] {
        assert!(!public.may_call(url), "{url}");
        let sent = ::http::Request::get(url)
            .body(Vec::new())
            .unwrap();
        let answered = public.send(sent).await;
        assert!(matches!(answered, Err(NoAnswer::Address)), "{url}");
    }
    assert!(public.may_call("https://login.example.com:8443/token?x=1"));
    let url = serve(Router::new().fallback(|| async { vec![b' '; 1024 * 1024 + 1] })).await;
    let sent = || {
        ::http::Request::get(&url)
            .body(Vec::new())
            .unwrap()
    };
    assert!(matches!(public.send(sent()).await, Err(NoAnswer::Address)));
    let answered = ProviderCaller::new(true)
        .send(sent())
        .await;
    assert!(matches!(answered, Err(NoAnswer::TooLarge)));
}
