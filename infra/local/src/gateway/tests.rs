use axum::{
    Json,
    extract::Path,
    http::{HeaderMap, StatusCode},
    routing::post,
};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use shared::http::cors::{ALLOWED_HEADERS, EXPOSED_HEADERS};
use tokio::net::TcpListener;

use crate::template::Template;

use super::*;

const APP: &str = "https://app.example";

/// The gateway of the deployed template in front of functions that return their event.
struct World {
    gateway: Gateway,
    http: reqwest::Client,
}

impl World {
    async fn start(origins: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .unwrap();
        let invoke_url = format!("http://{}", listener.local_addr().unwrap());
        let routes = Router::new().route(
            "/2015-03-31/functions/{name}/invocations",
            post(async |Path(name): Path<String>, body: String| {
                function(&name, &serde_json::from_str(&body).unwrap())
            }),
        );
        tokio::spawn(async move { axum::serve(listener, routes).await });
        let api = Template::deployed().unwrap().api;
        let functions = Functions::at(&invoke_url).unwrap();
        let origins = origins
            .iter()
            .map(|&origin| origin.to_owned())
            .collect();
        Self {
            gateway: Gateway::start(0, &api, origins, functions).unwrap(),
            http: reqwest::Client::builder()
                .no_proxy()
                .build()
                .unwrap(),
        }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.gateway.url());
        self.http.request(method, url)
    }

    /// Sends a request. Returns the function that it reached, and its event.
    async fn event(&self, request: RequestBuilder) -> (String, Value) {
        let seen: Value = request
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        (
            seen["function"]
                .as_str()
                .unwrap()
                .to_owned(),
            seen["event"].clone(),
        )
    }

    /// Requests the function's answer of this name. Returns status, headers and body.
    async fn answer(&self, wanted: &str) -> (StatusCode, HeaderMap, String) {
        let path = format!("/api/tasks?answer={wanted}");
        let response = self
            .request(Method::GET, &path)
            .send()
            .await
            .unwrap();
        let status = response.status();
        let headers = response.headers().clone();
        (status, headers, response.text().await.unwrap())
    }

    async fn preflight(&self, origin: &str, asks: bool) -> (StatusCode, HeaderMap) {
        let mut request = self.request(Method::OPTIONS, "/api/tasks");
        request = request.header("origin", origin);
        if asks {
            request = request.header("access-control-request-method", "PATCH");
        }
        let response = request.send().await.unwrap();
        (response.status(), response.headers().clone())
    }
}

fn function(name: &str, event: &Value) -> (StatusCode, Json<Value>) {
    let answer = match event["queryStringParameters"]["answer"].as_str() {
        Some(wrong @ ("failed" | "ended" | "too_large")) => {
            let (kind, message) = match wrong {
                "failed" => ("Error", "secret"),
                "ended" => ("Runtime.ExitError", "signal: 9"),
                _ => ("Function.ResponseSizeTooLarge", "7 MB"),
            };
            let error = json!({"errorType": kind, "errorMessage": message});
            return (StatusCode::INTERNAL_SERVER_ERROR, Json(error));
        }
        Some("unreadable") => json!({"statusCode": "fine"}),
        Some("cookies") => json!({
            "statusCode": 201,
            "headers": {"x-one": "1"},
            "multiValueHeaders": {"x-many": ["1", "2"]},
            "cookies": ["a=1; Path=/", "b=2"],
            "body": "AP8=",
            "isBase64Encoded": true,
        }),
        _ => json!({
            "statusCode": 200,
            "headers": {
                "content-type": "application/json",
                "access-control-allow-origin": "*",
            },
            "body": json!({"function": name, "event": event}).to_string(),
        }),
    };
    (StatusCode::OK, Json(answer))
}

#[tokio::test]
async fn a_request_becomes_the_event_that_api_gateway_sends() {
    let world = World::start(&[]).await;
    let request = world
        .request(Method::PATCH, "/api/tasks/7?a=1&a=2%2C3&b=%C3%A9")
        .header("cookie", "one=1; two=2")
        .header("X-Twice", "1")
        .header("X-Twice", "2")
        .header("user-agent", "a test")
        .header("content-type", "application/json; charset=utf-8")
        .body("{\"title\": \"é\"}");
    let (function, event) = world.event(request).await;
    assert_eq!(function, "tasks");
    assert_eq!(event["version"], "2.0");
    assert_eq!(event["routeKey"], "ANY /api/tasks/{id}");
    assert_eq!(event["rawPath"], "/api/tasks/7");
    assert_eq!(event["rawQueryString"], "a=1&a=2%2C3&b=%C3%A9");
    let parameters = json!({"a": "1,2,3", "b": "é"});
    assert_eq!(event["queryStringParameters"], parameters);
    assert_eq!(event["pathParameters"], json!({"id": "7"}));
    assert_eq!(event["cookies"], json!(["one=1", "two=2"]));
    let headers = &event["headers"];
    assert_eq!(headers["x-twice"], "1,2");
    assert!(headers.get("cookie").is_none(), "{headers}");
    assert_eq!(headers["content-length"], "15");
    let trace = headers["x-amzn-trace-id"]
        .as_str()
        .unwrap();
    assert!(trace.starts_with("Root=1-"), "{trace}");
    let context = &event["requestContext"];
    assert_eq!(context["http"]["method"], "PATCH");
    assert_eq!(context["http"]["path"], "/api/tasks/7");
    assert_eq!(context["http"]["protocol"], "HTTP/1.1");
    let client = context["http"]["sourceIp"]
        .as_str()
        .unwrap();
    assert!(
        client
            .parse::<std::net::IpAddr>()
            .unwrap()
            .is_loopback()
    );
    assert_eq!(context["http"]["userAgent"], "a test");
    assert_eq!(context["stage"], "$default");
    assert!(context["timeEpoch"].as_i64().unwrap() > 1_700_000_000_000);
    assert!(
        context["time"]
            .as_str()
            .unwrap()
            .ends_with(" +0000")
    );
    assert_eq!(event["body"], "{\"title\": \"é\"}");
    assert_eq!(event["isBase64Encoded"], false);
}

#[tokio::test]
async fn a_path_comes_decoded() {
    let world = World::start(&[]).await;
    let request = world.request(Method::GET, "/api/tasks/5%23x%20?limit=%23");
    let (_, event) = world.event(request).await;
    assert_eq!(event["rawPath"], "/api/tasks/5#x ");
    assert_eq!(event["requestContext"]["http"]["path"], "/api/tasks/5#x ");
    assert_eq!(event["routeKey"], "ANY /api/tasks/{id}");
    assert_eq!(event["pathParameters"], json!({"id": "5%23x%20"}));
    assert_eq!(event["rawQueryString"], "limit=%23");
    let refused = world
        .request(Method::GET, "/api/tasks/%25")
        .send()
        .await;
    assert_eq!(refused.unwrap().status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn both_addresses_of_localhost_answer() {
    let world = World::start(&[]).await;
    let port = world
        .gateway
        .url()
        .rsplit_once(':')
        .unwrap()
        .1;
    assert_eq!(world.gateway.url(), format!("http://localhost:{port}"));
    let has_both = std::net::TcpListener::bind("[::1]:0").is_ok();
    let hosts = ["127.0.0.1", "localhost"].into_iter();
    for host in hosts.chain(has_both.then_some("[::1]")) {
        let url = format!("http://{host}:{port}/api/tasks");
        let answer = world
            .http
            .get(&url)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{url}");
    }
    // Another program on one of them would answer some clients.
    let port: u16 = port.parse().unwrap();
    let api = Template::deployed().unwrap().api;
    let functions = Functions::at("http://127.0.0.1:9").unwrap();
    Gateway::start(port, &api, Vec::new(), functions).unwrap_err();
}

#[tokio::test]
async fn a_body_that_is_not_text_comes_in_base64() {
    let world = World::start(&[]).await;
    for (content_type, body, sent) in [
        ("application/json", vec![0xff, 0x00], "/wA="),
        ("application/octet-stream", b"text".to_vec(), "dGV4dA=="),
    ] {
        let request = world
            .request(Method::POST, "/api/tasks")
            .header("content-type", content_type)
            .body(body);
        let (_, event) = world.event(request).await;
        assert_eq!(event["body"], sent);
        assert_eq!(event["isBase64Encoded"], true);
    }
}

#[tokio::test]
async fn a_literal_path_wins_and_what_no_route_takes_goes_to_the_default() {
    let world = World::start(&[]).await;
    let milestones = "ANY /api/projects/{projectId}/milestones";
    for (path, key, function) in [
        ("/api/tasks/reorder", "ANY /api/tasks/reorder", "tasks"),
        ("/api/projects/1/milestones", milestones, "milestones"),
        ("/api/tasks/", "$default", "pages"),
        ("/nowhere", "$default", "pages"),
    ] {
        let (reached, event) = world
            .event(world.request(Method::PUT, path))
            .await;
        assert_eq!(reached, function, "{path}");
        assert_eq!(event["routeKey"], key, "{path}");
    }
}

#[tokio::test]
async fn an_answer_becomes_a_response() {
    let world = World::start(&[]).await;
    let path = "/api/tasks?answer=cookies";
    let response = world
        .request(Method::GET, path)
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::CREATED);
    let header_values = |name: &str| -> Vec<_> {
        let values = response.headers().get_all(name).iter();
        values
            .map(|value| value.to_str().unwrap())
            .collect()
    };
    assert_eq!(header_values("set-cookie"), ["a=1; Path=/", "b=2"]);
    assert_eq!(header_values("x-many"), ["1", "2"]);
    assert_eq!(header_values("x-one"), ["1"]);
    assert_eq!(header_values("apigw-requestid").len(), 1);
    assert_eq!(response.bytes().await.unwrap().as_ref(), [0, 255]);
}

#[tokio::test]
async fn what_a_function_did_wrong_stays_inside() {
    let world = World::start(&[]).await;
    for wrong in ["failed", "too_large", "unreadable"] {
        let (status, _, body) = world.answer(wrong).await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(body, r#"{"message":"Internal Server Error"}"#);
    }
}

#[tokio::test]
async fn a_function_whose_process_ended_is_unavailable() {
    let world = World::start(&[]).await;
    let (status, headers, body) = world.answer("ended").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(headers["content-type"], "application/problem+json");
    assert_eq!(headers["retry-after"], "1");
    assert_eq!(headers["cache-control"], "no-store");
    assert_eq!(headers["x-content-type-options"], "nosniff");
    let problem: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(problem["code"], "unavailable");
    assert_eq!(problem["instance"], "/api/tasks");
    let id = headers["x-request-id"]
        .to_str()
        .unwrap();
    assert_eq!(problem["requestId"], id);
    assert_eq!(problem["message"], problem["detail"]);
}

#[test]
fn who_takes_too_long_is_not_waited_for() {
    let error = crate::function::InvocationError::TimedOut {
        function: "tasks".to_owned(),
        within: INTEGRATION_TIMEOUT,
    };
    assert_eq!(Refusal::from(error), Refusal::TimedOut);
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let world = World::start(&[]).await;
    // The second body is small enough for the gateway, but its event is too large for Lambda.
    for size in [MAX_BODY + 1, MAX_PAYLOAD] {
        let request = world.request(Method::POST, "/api/tasks");
        let response = request
            .body(vec![b'x'; size])
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE);
        let body = response.text().await.unwrap();
        assert_eq!(body, r#"{"message":"Request Entity Too Large"}"#);
    }
}

#[tokio::test]
async fn a_listed_origin_may_read_answers() {
    let world = World::start(&[APP, "https://other.example"]).await;
    let (status, headers) = world.preflight(APP, true).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    assert_eq!(headers["access-control-allow-origin"], APP);
    assert_eq!(headers["access-control-allow-credentials"], "true");
    let methods = "GET,POST,PUT,PATCH,DELETE";
    assert_eq!(headers["access-control-allow-methods"], methods);
    let allowed = ALLOWED_HEADERS.join(",");
    assert_eq!(headers["access-control-allow-headers"], allowed);
    assert_eq!(headers["access-control-max-age"], "3600");

    for wanted in ["seen", "ended", "failed"] {
        let path = format!("/api/tasks?answer={wanted}");
        let request = world
            .request(Method::GET, &path)
            .header("origin", APP);
        let headers = request
            .send()
            .await
            .unwrap()
            .headers()
            .clone();
        assert_eq!(headers["access-control-allow-origin"], APP);
        let exposed = EXPOSED_HEADERS.join(",");
        assert_eq!(headers["access-control-expose-headers"], exposed);
    }
}

#[tokio::test]
async fn another_origin_is_told_nothing() {
    let world = World::start(&[APP]).await;
    let (status, headers) = world
        .preflight("https://evil.example", true)
        .await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let request = world.request(Method::GET, "/api/tasks");
    let answer = request
        .header("origin", "https://evil.example")
        .send();
    for headers in [&headers, answer.await.unwrap().headers()] {
        for name in [
            "access-control-allow-origin",
            "access-control-allow-methods",
        ] {
            assert!(!headers.contains_key(name), "{headers:?}");
        }
    }
}

#[tokio::test]
async fn without_origins_there_is_no_cors() {
    let world = World::start(&[]).await;
    // The function gets OPTIONS like any other method, and its CORS headers are kept.
    let (status, headers) = world.preflight(APP, true).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(headers["access-control-allow-origin"], "*");
    // Without `Access-Control-Request-Method` it is no preflight.
    let world = World::start(&[APP]).await;
    let (status, _) = world.preflight(APP, false).await;
    assert_eq!(status, StatusCode::OK);
}
