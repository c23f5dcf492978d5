//! `/api/notifications/preferences`

use serde_json::{Value, json};
use shared::model::NotificationKind;
use strum::VariantArray;

use tests::support::{Api, budgets::within};

const PATH: &str = "/api/notifications/preferences";

const MAILED: [&str; 3] = ["mentioned", "action_needed", "approval_needed"];

/// All kinds on, but these. Some come by mail, unless they are off.
fn all_but(off: &[&str], mailed: &[&str]) -> Value {
    let kinds = NotificationKind::VARIANTS.iter().map(|kind| kind.name());
    let channels = |kind: &str| {
        let inbox = !off.contains(&kind);
        json!({"inbox": inbox, "mail": inbox && mailed.contains(&kind)})
    };
    kinds
        .map(|kind| (kind.to_owned(), channels(kind)))
        .collect()
}

#[tokio::test]
async fn all_kinds_are_on_until_their_user_switches_them_off() {
    let (api, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    api.counter.take();
    let answer = mia.get(PATH).await;
    let preferences = within(&api, "GET /api/notifications/preferences", 200, &answer);
    assert_eq!(preferences, all_but(&[], &MAILED));
    let off = json!({"commented": false, "overdue": {"inbox": false}, "assigned": {"mail": true}});
    let answer = mia.put(PATH, off).await;
    let preferences = within(&api, "PUT /api/notifications/preferences", 200, &answer);
    let mailed = [&MAILED[..], &["assigned"]].concat();
    assert_eq!(preferences, all_but(&["commented", "overdue"], &mailed));
    // What is not named is kept, also by what was read meanwhile.
    let read = json!({"before": "2026-01-01T00:00:00Z"});
    mia.post("/api/notifications/read", read).await.expect(204);
    // An old client knows nothing of mail.
    let old = json!({"overdue": true, "mentioned": true});
    mia.put(PATH, old).await.expect(200);
    let preferences = mia.get(PATH).await.expect(200);
    assert_eq!(preferences, all_but(&["commented"], &mailed[1..]));
    assert_eq!(max.get(PATH).await.expect(200), all_but(&[], &MAILED));
}

#[tokio::test]
async fn a_kind_is_true_or_false() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    for (body, faults) in [
        (json!({}), vec![("", "required")]),
        (json!({"sent": false}), vec![("", "required")]),
        (
            json!({"overdue": null, "assigned": "no"}),
            vec![("/assigned", "type"), ("/overdue", "null")],
        ),
        (
            json!({"overdue": {}, "assigned": {"inbox": false, "mail": true}}),
            vec![("/assigned/mail", "combination"), ("/overdue", "required")],
        ),
    ] {
        mia.put(PATH, body).await.expect_faults(&faults);
    }
    let anonymous = api.anonymous().put(PATH, json!({"overdue": true})).await;
    anonymous.expect_problem(401, "unauthenticated");
}
