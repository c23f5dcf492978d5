//! `POST /api/tags`

use futures::future::join_all;
use serde_json::json;
use tests::support::{Api, creates};

#[tokio::test]
async fn one_of_many_requests_for_a_tag_name_gets_it() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let old_id = creates!(max, "/api/tags", {"name": "old"});
    let old = format!("/api/tags/{old_id}");
    let mut wishes = Vec::new();
    for at in 0..8 {
        let max = max.clone();
        let old = old.clone();
        wishes.push(tokio::spawn(async move {
            let body = json!({"name": "new"});
            if at == 5 {
                max.patch(&old, body).await
            } else {
                max.post("/api/tags", body).await
            }
        }));
    }
    let mut created = 0;
    for answer in join_all(wishes).await {
        let answer = answer.unwrap();
        if answer.status == 200 {
            created += 1;
        } else {
            answer.expect_problem(409, "name_taken");
        }
    }
    assert_eq!(created, 1);
}
