//! `GET /.well-known/security.txt`, and the header that asks browsers for https

use axum::body::{Body, to_bytes};
use http::{Request, Response};
use lambda_http::tower::ServiceExt;
use shared::{clock::Clock, config::Environment, serve::open_router};
use tests::support::Api;

async fn asked(contact: Option<&str>) -> Response<Body> {
    let variables = contact.map(|contact| ("SECURITY_CONTACT".to_owned(), contact.to_owned()));
    let environment: Environment = variables.into_iter().collect();
    let router = open_router(pages::routes(&environment), Clock::system());
    let request = Request::get("/.well-known/security.txt").body(Body::empty());
    router
        .oneshot(request.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn a_deployment_names_its_contact_with_an_expiry() {
    let answer = asked(Some("mailto:security@example.com")).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(
        answer.headers()["content-type"],
        "text/plain; charset=utf-8"
    );
    let text = to_bytes(answer.into_body(), 1_000)
        .await
        .unwrap();
    let text = String::from_utf8(text.to_vec()).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "Contact: mailto:security@example.com");
    let expires = lines[1]
        .strip_prefix("Expires: ")
        .unwrap();
    let expires: shared::model::base::Timestamp = expires.parse().unwrap();
    assert!(expires > Clock::system().now());
    assert_eq!(asked(None).await.status(), 404);
    let answer = Api::start()
        .await
        .anonymous()
        .get("/.well-known/security.txt")
        .await;
    answer.expect_not_found();
}

#[tokio::test]
async fn each_answer_by_https_asks_browsers_for_https() {
    let api = Api::start().await;
    let name = "strict-transport-security";
    for path in [
        "/",
        "/api/docs",
        "/api/tasks",
        "/api/nothing",
        "/api/openapi.json",
    ] {
        let plain = api
            .anonymous()
            .with_header("x-forwarded-proto", "http");
        assert_eq!(plain.get(path).await.header(name), None, "{path}");
        let answer = api.anonymous().get(path).await;
        assert_eq!(answer.header(name), Some("max-age=63072000"), "{path}");
    }
}
