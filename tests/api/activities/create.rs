//! `POST /api/activities`

use serde_json::{Value, json};
use tests::support::{Api, merges, posts, refused, snapshot};

#[tokio::test]
async fn a_new_activity_happened_now() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let activity = posts!(mia, "/api/activities", {
        "type": "note", "description": "Called back", "organizationId": 1,
    });
    snapshot!(activity, @r#"
    {
      "createdAt": "2026-01-15T12:00:00.000Z",
      "creatorId": 1,
      "description": "Called back",
      "evidence": null,
      "id": 1,
      "metadata": null,
      "organizationId": 1,
      "projectId": null,
      "subtype": null,
      "tags": [],
      "timestamp": "2026-01-15T12:00:00.000Z",
      "type": "note",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
    let read = mia.reads("/api/activities/1").await;
    assert_eq!(read.get("project"), Some(&Value::Null));
}

#[tokio::test]
async fn an_activity_has_a_project_or_an_organization_and_small_metadata() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let before = api.records().await;
    let six_levels = json!({"1": {"2": {"3": {"4": {"5": {}}}}}});
    let large = json!({"a": "x".repeat(16 * 1024)});
    for (more, fault) in [
        (json!({}), ("/projectId", "required")),
        (
            json!({"projectId": null, "organizationId": null}),
            ("/projectId", "required"),
        ),
        (
            json!({"organizationId": 1, "metadata": six_levels}),
            ("/metadata", "depth"),
        ),
        (
            json!({"organizationId": 1, "evidence": large}),
            ("/evidence", "length"),
        ),
    ] {
        let mut body = json!({"type": "note", "description": "x"});
        merges(&mut body, &more);
        refused!(mia.post("/api/activities", body).await => [fault]);
    }
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn a_number_comes_back_as_it_was_sent_or_is_refused() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let with = |number: &str| {
        format!(
            r#"{{"type": "note", "description": "x", "organizationId": 1, "metadata": {{"n": {number}}}}}"#
        )
    };
    let before = api.records().await;
    for number in ["12345678901234567890123", "1e400", "0.12345678901234567890"] {
        let body = with(number);
        let answer = mia
            .send("POST", "/api/activities", Some(body))
            .await;
        answer.expect_faults(&[("/metadata/n", "precision")]);
        assert!(answer.text.contains(number), "{}", answer.text);
    }
    assert_eq!(before, api.records().await);
    for number in [
        "18446744073709551615",
        "-9223372036854775808",
        "51.248178375505404",
        "0.30000000000000004",
    ] {
        let body = with(number);
        let created = mia
            .send("POST", "/api/activities", Some(body))
            .await;
        let id = created.expect(200)["id"].clone();
        let read = mia
            .get(&format!("/api/activities/{id}"))
            .await;
        let holds = read
            .text
            .contains(&format!("{{\"n\":{number}}}"));
        assert!(holds, "{}", read.text);
    }
}

#[tokio::test]
async fn an_activity_of_an_unknown_or_foreign_project_or_organization_is_not_found() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let before = api.records().await;
    for about in [
        json!({"projectId": 99}),
        json!({"projectId": 3}),
        json!({"projectId": 3, "organizationId": 1}),
        json!({"projectId": 1, "organizationId": 2}),
        json!({"organizationId": 2}),
        json!({"organizationId": 99}),
    ] {
        let mut body = json!({"type": "note", "description": "x"});
        merges(&mut body, &about);
        mia.post("/api/activities", body)
            .await
            .expect_not_found();
    }
    assert_eq!(before, api.records().await);
}
