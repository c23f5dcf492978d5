//! `GET /api/activities`

use serde_json::json;
use tests::support::{Api, Caller, posts};

#[tokio::test]
async fn lists_come_newest_first_with_the_larger_id_before_the_smaller() {
    let (_, [mia, zac]) = Api::signed_in(["mia", "zac"]).await;
    for (timestamp, project) in [
        ("2026-01-10T00:00:00Z", json!(1)),
        ("2026-01-12T00:00:00Z", json!(2)),
        ("2026-01-12T01:00:00+01:00", json!(1)),
        ("2026-01-11T00:00:00Z", json!(null)),
    ] {
        let more = json!({"timestamp": timestamp, "projectId": project});
        mia.records_activity(more).await;
    }
    zac.records_activity(json!({"projectId": 3}))
        .await;
    assert_eq!(mia.get("/api/activities").await.ids(), [3, 2, 4, 1]);
    let organization = "/api/organizations/1/activities";
    assert_eq!(mia.get(organization).await.ids(), [3, 2, 4, 1]);
    assert_eq!(
        mia.get("/api/projects/1/activities")
            .await
            .ids(),
        [3, 1]
    );
    assert_eq!(
        mia.get("/api/projects/2/activities")
            .await
            .ids(),
        [2]
    );
    assert_eq!(zac.get("/api/activities").await.ids(), [5]);
}

/// The three lists. The second alone lacks activity 6, which has no project.
const LISTS: [(&str, i64); 3] = [
    ("/api/activities", 6),
    ("/api/projects/1/activities", 5),
    ("/api/organizations/1/activities", 6),
];

/// Activities 1 to 6, a day apart; 1 to 3 are mia's, 4 to 6 sue's, and the even ones carry tag 1.
async fn six_activities(api: &Api, mia: &Caller, sue: &Caller) {
    let tag = api
        .has_tag(api.home.id, "urgent")
        .await
        .id;
    for number in 1..=6 {
        let who = if number <= 3 { mia } else { sue };
        let activity = json!({
            "type": if number % 3 == 0 { "call" } else { "note" },
            "timestamp": format!("2026-01-0{number}T00:00:00Z"),
            "projectId": (number < 6).then_some(1),
        });
        who.records_activity(activity).await;
        if number % 2 == 0 {
            posts!(who, "/api/activities/{number}/tags", {"tagId": tag});
        }
    }
}

#[tokio::test]
async fn every_filter_keeps_what_fits() {
    let (api, [mia, sue]) = Api::signed_in(["mia", "sue"]).await;
    six_activities(&api, &mia, &sue).await;
    for (query, expected) in [
        ("type=call", vec![6, 3]),
        ("type=call,note&creatorId=me", vec![3, 2, 1]),
        (&format!("creatorId={}", sue.id()), vec![6, 5, 4]),
        ("tagId=1", vec![6, 4, 2]),
        ("tagId=none", vec![5, 3, 1]),
        ("tagId=1,none&type=call", vec![6, 3]),
        ("tagId=99", vec![]),
        // The first instant is in, the last is not.
        ("from=2026-01-04T00:00:00Z", vec![6, 5, 4]),
        ("to=2026-01-03T01:00:00%2B01:00", vec![2, 1]),
        (
            "from=2026-01-02T00:00:00Z&to=2026-01-05T00:00:00Z&tagId=1",
            vec![4, 2],
        ),
        ("from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z", vec![]),
        ("from=2026-01-05T00:00:00Z&to=2026-01-02T00:00:00Z", vec![]),
    ] {
        for (list, most) in LISTS {
            let answer = mia
                .get(&format!("{list}?{query}"))
                .await;
            let mut expected = expected.clone();
            expected.retain(|id| *id <= most);
            assert_eq!(answer.ids(), expected, "{list}?{query}");
        }
    }
    // Nothing is found by a tag that is gone.
    api.loses("ORG#1#TAG", "0000000000000001")
        .await;
    for (list, _) in LISTS {
        assert_eq!(
            mia.get(&format!("{list}?tagId=1"))
                .await
                .ids(),
            [0; 0]
        );
    }
}
