//! `POST /api/auth/logout`

use tests::support::{Api, refused};

#[tokio::test]
async fn a_logout_ends_the_session_at_once() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let answer = mia.trigger("/api/auth/logout").await;
    answer.expect(204);
    assert!(answer.cookie().contains("Max-Age=0"));
    mia.is_signed_out().await;
    mia.trigger("/api/auth/logout")
        .await
        .expect(401);
}

#[tokio::test]
async fn a_listed_page_alone_uses_the_cookie_from_another_site() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("origin", "https://evil.example"),
    ] {
        let page = mia.clone().with_header(name, value);
        refused!(page.trigger("/api/auth/logout").await => 403, "cross_site");
    }
    mia.is_signed_in().await;
    let page = mia.with_header("origin", "https://app.workdesk.example");
    let page = page.with_header("sec-fetch-site", "cross-site");
    page.triggers("/api/auth/logout").await;
}

/// The session is checked before the origin of the request.
#[tokio::test]
async fn a_cookie_that_does_not_verify_is_no_session_whatever_the_origin() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let forged = format!("{}x", mia.cookie.clone().unwrap());
    for caller in [api.anonymous(), mia.with_cookie(forged)] {
        let page = caller.with_header("origin", "https://evil.example");
        refused!(page.trigger("/api/auth/logout").await => 401, "unauthenticated");
    }
}
