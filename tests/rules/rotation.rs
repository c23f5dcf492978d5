//! Rotation of the secret that signs cookies and cursors, step by step as documented. Instances
//! that read their settings before a step serve beside those that read them after it.

use serde_json::json;
use shared::model::span;

use tests::support::{Api, Caller, Gateway, PASSWORD, roles};

const OLD: &str = "an old secret";
const NEW: &str = "a new secret";

/// A user who has signed in, and a cursor that they hold.
struct Held {
    mia: Caller,
    next: String,
}

impl Held {
    /// Signs in before these instances, and asks them for a page.
    async fn of(api: &Api, instances: &Gateway) -> Self {
        let nobody = api.anonymous().before(instances.clone());
        let body = json!({"username": "mia", "password": PASSWORD});
        let answer = nobody.post("/api/auth/login", body).await;
        answer.expect(200);
        let cookie = answer.cookie().split(';').next().unwrap();
        let mia = nobody.with_cookie(cookie);
        let page = mia.get("/api/tasks?limit=1").await;
        assert_eq!(page.ids(), [1]);
        Self {
            mia,
            next: page.next().unwrap().to_owned(),
        }
    }

    /// Returns the statuses of these instances for the cookie, and for the cursor with it.
    async fn statuses(&self, instances: &Gateway) -> [u16; 2] {
        let mia = self.mia.clone().before(instances.clone());
        let session = mia.get("/api/auth/session").await.status;
        [session, mia.get(&self.next).await.status]
    }
}

async fn with_two_tasks() -> Api {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    for _ in 0..2 {
        mia.creates_task(json!({})).await;
    }
    api
}

#[tokio::test]
async fn a_rotation_ends_no_session_and_loses_no_cursor() {
    let api = with_two_tasks().await;
    let steps: [&[&str]; 4] = [&[OLD], &[OLD, NEW], &[NEW, OLD], &[NEW]];
    let mut held = Vec::new();
    for step in steps.windows(2) {
        let [before, after] = [step[0], step[1]];
        if after == [NEW] {
            // What the old secret has signed has ended before it is taken away.
            let still_known = api.instances_knowing(before).await;
            api.clock.advance(7 * span::DAY);
            for held in std::mem::take(&mut held) {
                let held: Held = held;
                assert_eq!(held.statuses(&still_known).await, [401, 401]);
            }
        }
        let instances = [
            api.instances_knowing(before).await,
            api.instances_knowing(after).await,
        ];
        for instances in &instances {
            held.push(Held::of(&api, instances).await);
        }
        for held in &held {
            for instances in &instances {
                assert_eq!(held.statuses(instances).await, [200, 200], "{step:?}");
            }
        }
    }
}

/// The reason for a further step: only the first instances that sign with a new secret would know
/// it.
#[tokio::test]
async fn a_new_secret_that_signs_at_once_is_not_known_to_instances_that_run() {
    let api = with_two_tasks().await;
    let running = api.instances_knowing(&[OLD]).await;
    let started = api.instances_knowing(&[NEW, OLD]).await;
    let held = Held::of(&api, &started).await;
    assert_eq!(held.statuses(&started).await, [200, 200]);
    assert_eq!(held.statuses(&running).await, [401, 401]);
}

/// An instance reads its secrets when it starts, so each step takes new ones: Lambda replaces those of a
/// function whose environment has changed.
#[test]
fn another_revision_of_the_configuration_changes_every_functions_environment() {
    let template = roles::template();
    let default = &template["Parameters"]["ConfigurationRevision"]["Default"];
    assert!(default.is_string());
    let environment = &template["Globals"]["Function"]["Environment"]["Variables"];
    assert_eq!(
        environment["CONFIGURATION_REVISION"],
        "ConfigurationRevision"
    );
}
