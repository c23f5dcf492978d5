//! `GET /api/invitations`

use serde_json::{Value, json};
use tests::support::{Api, shows};

use super::{accepting, grace};

#[tokio::test]
async fn open_ones_come_first_then_the_newest() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let mut mailbox = api.mailbox().await;
    let mut tokens = Vec::new();
    for number in 1..=4 {
        let mut body = grace();
        body["email"] = json!(format!("grace{number}@example.com"));
        ada.posts("/api/invitations", body)
            .await;
        tokens.push(mailbox.token().await);
        api.clock.advance(1_000);
    }
    let nobody = api.anonymous();
    let id = nobody
        .posts("/api/auth/accept", accepting(&tokens[2]))
        .await["id"]
        .clone();
    for path in ["/api/invitations", "/api/invitations?limit=2&sort=open"] {
        let rows = ada.walk(path).await;
        let ids: Vec<_> = rows
            .iter()
            .map(|row| row["id"].clone())
            .collect();
        assert_eq!(ids, [4, 2, 1, 3], "{path}");
        shows!(rows, {"/3/acceptedAt": "2026-01-15T12:00:04.000Z", "/0/invitedBy/username": "ada"});
        assert_eq!(rows[3]["version"], 2);
    }
    assert!(id.is_i64());
    // Another organization has its own.
    let zoe = api.sign_in("zoe").await;
    assert_eq!(zoe.walk("/api/invitations").await, [Value::Null; 0]);
}
