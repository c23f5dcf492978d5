//! `GET /`

use tests::support::Api;

#[tokio::test]
async fn the_desk_is_served_to_anybody_and_costs_no_request() {
    let api = Api::start().await;
    let answer = api.anonymous().get("/").await;
    assert_eq!(answer.status, 200);
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin-allow-popups"),
        (
            "content-security-policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
             connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        ),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}");
    }
    // Nothing that the policy forbids.
    for forbidden in ["<script>", "<style", "style=", "onclick=", "://", "data:"] {
        assert!(!answer.text.contains(forbidden), "{forbidden}");
    }
    assert_eq!(api.counter.take().total, 0);
}
