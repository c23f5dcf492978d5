//! `PATCH /api/activities/{id}`

use serde_json::{Value, json};

use tests::support::{Api, Fault, merges, raise_version};

#[tokio::test]
async fn every_field_is_kept_cleared_or_replaced() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let whole = json!({
        "projectId": 1, "type": "call", "subtype": "kick_off", "description": "Called",
        "timestamp": "2026-01-10T08:00:00Z", "metadata": {"a": 1}, "evidence": {"b": 2},
    });
    mia.records_activity(whole).await;
    let mut expected = mia.get("/api/activities/1").await.expect(200);
    for (change, shown) in [
        (json!({"type": "meeting"}), json!({"type": "meeting"})),
        (json!({"subtype": "review"}), json!({"subtype": "review"})),
        (json!({"subtype": null}), json!({"subtype": null})),
        (json!({"description": "Met"}), json!({"description": "Met"})),
        (
            json!({"timestamp": "2026-01-11T09:00:00+01:00"}),
            json!({"timestamp": "2026-01-11T08:00:00.000Z"}),
        ),
        (
            json!({"metadata": {"c": 1e300}, "evidence": null}),
            json!({"metadata": {"c": 1e300}, "evidence": null}),
        ),
        (
            json!({"metadata": null, "evidence": {"d": []}}),
            json!({"metadata": null, "evidence": {"d": []}}),
        ),
    ] {
        api.clock.advance(1);
        merges(&mut expected, &shown);
        expected["updatedAt"] = json!(api.clock.now().to_string());
        raise_version(&mut expected);
        let mut changed = mia.patch("/api/activities/1", change).await.expect(200);
        for joined in ["creator", "project"] {
            changed[joined] = expected[joined].clone();
        }
        assert_eq!(changed, expected);
        assert_eq!(mia.get("/api/activities/1").await.expect(200), expected);
    }
}

#[tokio::test]
async fn a_new_timestamp_moves_it_in_every_list() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    for day in ["10", "11", "12"] {
        let timestamp = format!("2026-01-{day}T00:00:00Z");
        mia.records_activity(json!({"projectId": 1, "timestamp": timestamp}))
            .await;
    }
    let newest = json!({"timestamp": "2026-01-13T00:00:00Z"});
    mia.patch("/api/activities/1", newest).await.expect(200);
    for list in [
        "/api/activities",
        "/api/projects/1/activities",
        "/api/organizations/1/activities",
    ] {
        assert_eq!(mia.get(list).await.ids(), [1, 3, 2], "{list}");
    }
}

#[tokio::test]
async fn recorders_change_their_own_activity_and_managers_any() {
    let (api, [mia, sue, max]) = Api::signed_in(["mia", "sue", "max"]).await;
    mia.records_activity(json!({})).await;
    let before = api.records().await;
    let body = json!({"description": "Corrected"});
    for path in ["/api/activities/1"] {
        sue.patch(path, body.clone())
            .await
            .expect_problem(403, "permission_denied");
    }
    // What is wrong with the body is said before whose it is.
    sue.patch("/api/activities/1", json!({}))
        .await
        .expect_faults(&[("", "required")]);
    assert_eq!(before, api.records().await);
    for caller in [&mia, &max] {
        let changed = caller.patch("/api/activities/1", body.clone()).await;
        assert_eq!(changed.expect(200)["creatorId"], mia.id());
    }
}

#[tokio::test]
async fn a_change_that_was_outrun_starts_over_and_one_of_what_is_gone_finds_nothing() {
    let (_, faults, [mia]) = Api::behind_faults(["mia"]).await;
    mia.records_activity(json!({})).await;
    let body = json!({"description": "Corrected"});
    faults.next("PutItem", Fault::Outrun);
    let changed = mia.patch("/api/activities/1", body).await;
    assert_eq!(changed.expect(200)["description"], "Corrected");
    faults.outrun("PutItem");
    mia.patch("/api/activities/1", json!({"description": "Again"}))
        .await
        .expect_problem(409, "concurrent_change");
    assert!(faults.are_over());
    let gone: Value = mia.delete("/api/activities/1").await.expect(204);
    assert_eq!(gone, Value::Null);
    mia.patch("/api/activities/1", json!({"type": "call"}))
        .await
        .expect_problem(404, "not_found");
}
