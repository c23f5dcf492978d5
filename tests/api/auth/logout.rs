//! `POST /api/auth/logout`

use crate::support::Api;

#[tokio::test]
async fn a_logout_ends_the_session_at_once() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
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
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
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
