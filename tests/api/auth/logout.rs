//! `POST /api/auth/logout`

use tests::support::Api;

#[tokio::test]
async fn a_logout_ends_the_session_at_once() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let answer = mia.trigger("/api/auth/logout").await;
    answer.expect(204);
    assert!(answer.cookie().contains("Max-Age=0"));
    mia.get("/api/auth/session")
        .await
        .expect_problem(401, "unauthenticated");
    mia.trigger("/api/auth/logout").await.expect(401);
}

#[tokio::test]
async fn another_site_cannot_use_the_cookie() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("origin", "https://evil.example"),
    ] {
        let page = mia.clone().with_header(name, value);
        page.trigger("/api/auth/logout")
            .await
            .expect_problem(403, "cross_site");
    }
    mia.get("/api/auth/session").await.expect(200);
    let own = mia.with_header("origin", "https://app.workdesk.example");
    own.trigger("/api/auth/logout").await.expect(204);
}

/// The session is checked before the origin of the request.
#[tokio::test]
async fn a_cookie_that_does_not_verify_is_no_session_whatever_the_origin() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let forged = format!("{}x", mia.cookie.clone().unwrap());
    for caller in [api.anonymous(), mia.with_cookie(forged)] {
        let page = caller.with_header("origin", "https://evil.example");
        let answer = page.trigger("/api/auth/logout").await;
        answer.expect_problem(401, "unauthenticated");
    }
}

#[tokio::test]
async fn a_listed_page_of_another_site_can_use_the_cookie() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let page = mia.with_header("origin", "https://app.workdesk.example");
    let page = page.with_header("sec-fetch-site", "cross-site");
    page.trigger("/api/auth/logout").await.expect(204);
}
