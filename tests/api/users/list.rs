//! `GET /api/users`

use serde_json::Value;
use tests::support::{Api, creates, patches};

fn names(rows: &[Value]) -> Vec<&str> {
    let names = rows
        .iter()
        .map(|row| row["username"].as_str().unwrap());
    names.collect()
}

#[tokio::test]
async fn users_come_by_username_and_are_filtered() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    for name in ["vic", "mia", "max", "sue", "zoe"] {
        api.user(name).await;
    }
    for (username, name) in [("Bob", "Bob Maxwell"), ("eve.moss", "Ève Moß")] {
        creates!(ada, "/api/users", {
            "username": username, "fullName": name, "role": "viewer",
            "password": "a horse of another colour",
        });
    }
    let sue = api.user("sue").await.id;
    patches!(ada, "/api/users/{sue}", {"disabled": true});
    let vic = api.sign_in("vic").await;
    let usernames = vec!["ada", "Bob", "eve.moss", "max", "mia", "sue", "vic"];
    for (query, expected) in [
        ("", usernames.clone()),
        ("sort=username", usernames.clone()),
        ("role=viewer", vec!["Bob", "eve.moss", "vic"]),
        ("role=admin,manager", vec!["ada", "max"]),
        ("disabled=true", vec!["sue"]),
        ("disabled=false&role=support", vec![]),
        ("query=MAX", vec!["Bob", "max"]),
        ("query=m", vec!["Bob", "eve.moss", "max", "mia"]),
        ("query=moss", vec!["eve.moss"]),
        ("query=bob+max", vec!["Bob"]),
        ("query=ob", vec![]),
        ("query=+", usernames),
    ] {
        let rows = vic
            .walk(&format!("/api/users?{query}&limit=2"))
            .await;
        assert_eq!(names(&rows), expected, "{query}");
    }
    let rows = ada.walk("/api/users").await;
    for row in rows {
        assert_eq!(
            ada.reads(&format!("/api/users/{}", row["id"]))
                .await,
            row
        );
    }
    // Not for who may not manage users.
    let rows = vic.walk("/api/users").await;
    assert!(
        rows.iter()
            .all(|row| row["permissions"] == Value::Null)
    );
}
