//! `POST /api/tasks/{taskId}/tags` and `DELETE /api/tasks/{taskId}/tags/{tagId}`

use serde_json::{Value, json};

use super::task;
use tests::support::Api;

const TAGS: &str = "/api/tasks/1/tags";

#[tokio::test]
async fn a_tag_is_attached_once_and_detached_once() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_task(json!({})).await;
    for name in ["urgent", "legal"] {
        api.has_tag(api.home.id, name).await;
    }
    for _ in 0..2 {
        for tag in [2, 1] {
            let answer = mia.post(TAGS, json!({"tagId": tag})).await;
            assert_eq!(answer.expect(204), Value::Null);
        }
        let both = json!([{"id": 1, "name": "urgent"}, {"id": 2, "name": "legal"}]);
        assert_eq!(task(&mia, 1).await["tags"], both);
    }
    // What else is written to the task leaves them alone.
    for (path, body) in [
        ("/api/tasks/1", json!({"title": "Renamed"})),
        ("/api/tasks/1/phase", json!({"phaseId": null})),
        (
            "/api/tasks/reorder",
            json!({"tasks": [{"id": 1, "order": 7}]}),
        ),
    ] {
        let answer = mia.patch(path, body).await;
        assert!(answer.status < 300, "{}", answer.text);
    }
    for _ in 0..2 {
        let path = format!("{TAGS}/1");
        assert_eq!(mia.delete(&path).await.expect(204), Value::Null);
        let one = json!([{"id": 2, "name": "legal"}]);
        assert_eq!(task(&mia, 1).await["tags"], one);
    }
}
