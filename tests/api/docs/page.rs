//! `GET /api/docs`

use tests::support::Api;

#[tokio::test]
async fn the_page_is_shown_to_anybody_and_loads_and_asks_nothing_but_its_own_host() {
    let api = Api::start().await;
    let answer = api.anonymous().get("/api/docs").await;
    assert_eq!(answer.status, 200);
    answer.check_headers();
    assert_eq!(api.counter.take().total, 0);
    let html = Some("text/html; charset=utf-8");
    assert_eq!(answer.header("content-type"), html);
    let policy = answer
        .header("content-security-policy")
        .unwrap();
    let directives: Vec<&str> = policy.split("; ").collect();
    for directive in [
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
    ] {
        assert!(directives.contains(&directive), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    // Nothing that the policy would have to allow by name.
    for inline in ["<script>", "<style", "style=", "onclick=", "://"] {
        assert!(!answer.text.contains(inline), "{inline}");
    }
}

#[tokio::test]
async fn the_page_asks_who_is_signed_in_only_where_there_is_a_cookie() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let nobody = api.anonymous().get("/api/docs").await;
    assert!(
        nobody
            .text
            .contains(r#"data-session="none""#)
    );
    let somebody = mia.get("/api/docs").await;
    assert!(
        somebody
            .text
            .contains(r#"data-session="perhaps""#)
    );
}
