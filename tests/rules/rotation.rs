//! Rotation of the secret that signs cookies and cursors, step by step as documented. Instances
//! with settings from before a step serve beside those with settings from after it.

use std::collections::BTreeSet;

use serde_json::json;
use shared::model::base::span;
use tests::{
    api_functions,
    support::{Api, Caller, Gateway, PASSWORD, roles},
};

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
        let nobody = api
            .anonymous()
            .before(instances.clone());
        let body = json!({"username": "mia", "password": PASSWORD});
        let answer = nobody
            .post("/api/auth/login", body)
            .await;
        answer.expect(200);
        let cookie = answer
            .cookie()
            .split(';')
            .next()
            .unwrap();
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
        let mia = self
            .mia
            .clone()
            .before(instances.clone());
        let session = mia
            .get("/api/auth/session")
            .await
            .status;
        [session, mia.get(&self.next).await.status]
    }
}

async fn with_two_tasks() -> Api {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_tasks(["x"; 2]).await;
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
        let [before, after] = [before, after].map(|keys| api.instances_knowing(keys));
        let instances = [before.await, after.await];
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

/// An instance decrypts its secrets when it starts, so each step takes new ones: Lambda replaces
/// those of a function whose environment has changed.
#[test]
fn another_ciphertext_changes_the_environment_of_every_function_that_uses_it() {
    let template = roles::template();
    for (purpose, users) in ciphertexts() {
        let parameter = &*format!("{purpose}Secrets");
        let variable = format!("ENCRYPTED_{}_SECRETS", purpose.to_uppercase());
        let defined = &template["Parameters"][parameter];
        let is_optional = ["Check", "Link", "Mail"].contains(&purpose);
        assert_eq!(defined["Default"].is_null(), !is_optional, "{parameter}");
        // SAM asks for a hidden parameter until it gets an answer, and saves the others.
        assert_eq!(defined["NoEcho"] == true, !is_optional, "{parameter}");
        let mut seen = BTreeSet::new();
        for (_, name, function) in roles::functions(&template) {
            let value = &function["Environment"]["Variables"][&variable];
            if !value.is_null() {
                let whole = value == parameter;
                let if_set = is_optional && value[1] == parameter;
                assert!(whole || if_set, "{name}: {value}");
                seen.insert(name);
            }
        }
        assert_eq!(seen, users, "{parameter}");
    }
}

/// The purposes of ciphertexts, and the functions that use each.
fn ciphertexts() -> [(&'static str, BTreeSet<&'static str>); 5] {
    let of_api = api_functions().filter(|(_, function)| function.read.is_some());
    let of_api = of_api.map(|(name, _)| name);
    [
        ("Session", of_api.collect()),
        ("Link", ["auth", "directory", "mailer", "updates"].into()),
        ("Webhook", ["updates", "webhook-sender"].into()),
        ("Mail", ["mailer"].into()),
        ("Check", ["checker"].into()),
    ]
}

/// A function decrypts what it uses: the secrets of a purpose, or those of connections. One
/// encrypts.
#[test]
fn each_role_uses_the_one_key_for_its_purposes_alone() {
    let template = roles::template();
    let mut granted = BTreeSet::new();
    for (name, statement) in roles::statements(&template) {
        let actions = statement["Action"]
            .as_array()
            .into_iter()
            .flatten();
        let actions = actions.map(|action| action.as_str().unwrap());
        for action in actions.filter(|action| action.starts_with("kms:")) {
            assert_eq!(statement["Resource"], "SecretsKey", "{name}");
            let purposes = &statement["Condition"]["StringEquals"];
            let purposes = &purposes["kms:EncryptionContext:purpose"];
            let single = std::slice::from_ref(purposes);
            for purpose in purposes
                .as_array()
                .map_or(single, Vec::as_slice)
            {
                granted.insert(format!("{name} {action} {}", purpose.as_str().unwrap()));
            }
        }
    }
    let expected = [
        "action-worker kms:Decrypt connection",
        "resolution-agent kms:Decrypt connection",
        "resolution-agent kms:Encrypt connection",
        "auth kms:Decrypt sign-in",
        "auth kms:Encrypt sign-in",
    ];
    let mut expected = BTreeSet::from(expected.map(str::to_owned));
    for (purpose, users) in ciphertexts() {
        let purpose = purpose.to_lowercase();
        expected.extend(
            users
                .iter()
                .map(|name| format!("{name} kms:Decrypt {purpose}")),
        );
    }
    assert_eq!(granted, expected);
}
