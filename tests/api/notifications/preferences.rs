//! `/api/notifications/preferences`

use serde_json::{Value, json};
use shared::model::updates::NotificationKind;
use strum::VariantArray;
use tests::support::{Api, puts};

const PATH: &str = "/api/notifications/preferences";

const MAILED: [&str; 5] = [
    "mentioned",
    "action_needed",
    "approval_needed",
    "policy_loosened",
    "guard_changed",
];

/// All kinds on, but these. Some come by mail, unless they are off.
fn all_but(off: &[&str], mailed: &[&str]) -> Value {
    let kinds = NotificationKind::VARIANTS
        .iter()
        .map(|kind| kind.name());
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
    let (_, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    assert_eq!(mia.reads(PATH).await, all_but(&[], &MAILED));
    let preferences = puts!(mia, PATH, {
        "commented": false, "overdue": {"inbox": false}, "assigned": {"mail": true},
    });
    let mailed = [&MAILED[..], &["assigned"]].concat();
    assert_eq!(preferences, all_but(&["commented", "overdue"], &mailed));
    // What is not named is kept, also by what was read meanwhile.
    let read = json!({"before": "2026-01-01T00:00:00Z"});
    mia.posts("/api/notifications/read", read)
        .await;
    // An old client knows nothing of mail.
    puts!(mia, PATH, {"overdue": true, "mentioned": true});
    assert_eq!(mia.reads(PATH).await, all_but(&["commented"], &mailed[1..]));
    assert_eq!(max.reads(PATH).await, all_but(&[], &MAILED));
}

#[tokio::test]
async fn a_kind_is_true_or_false() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
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
        mia.put(PATH, body)
            .await
            .expect_faults(&faults);
    }
}
