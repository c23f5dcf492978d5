//! Rotation of the secret that signs cookies and cursors, step by step as documented. Instances
//! with settings from before a step serve beside those with settings from after it.

use std::collections::BTreeSet;

use serde_json::json;
use shared::model::span;
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
    let (api, [mia]) = Api::signed_in(["mia"]).await;
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

/// An instance decrypts its secrets when it starts, so each step takes new ones: Lambda replaces those of a
/// function whose environment has changed. `sam deploy --guided` keeps no older ciphertext that a later
/// deployment would bring back.
#[test]
fn another_ciphertext_changes_the_environment_of_every_function_that_uses_it() {
    let template = roles::template();
    for (parameter, variable, users) in ciphertexts() {
        let defined = &template["Parameters"][parameter];
        assert_eq!(defined["NoEcho"], true, "{parameter}");
        let is_optional = ["CheckSecrets", "MailSecrets"].contains(&parameter);
        assert_eq!(defined["Default"].is_null(), !is_optional, "{parameter}");
        let resources = template["Resources"].as_object().unwrap().values();
        let mut seen = BTreeSet::new();
        for function in resources.filter(|one| one["Type"] == "AWS::Serverless::Function") {
            let properties = &function["Properties"];
            let code = properties["CodeUri"].as_str().unwrap();
            let name = code.trim_end_matches('/').rsplit('/').next().unwrap();
            let value = &properties["Environment"]["Variables"][variable];
            if !value.is_null() {
                let whole = value == parameter;
                let if_set = is_optional && value[1] == parameter;
                assert!(whole || if_set, "{name}: {value}");
                seen.insert(name.to_owned());
            }
        }
        assert_eq!(seen, users, "{parameter}");
    }
}

/// The ciphertexts: parameter, variable, and the functions that use it.
fn ciphertexts() -> [(&'static str, &'static str, BTreeSet<String>); 4] {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let of_api = api_functions().filter(|(_, function)| function.read.is_some());
    let of_api = of_api.map(|(name, _)| name).chain(["mailer"]);
    let of_api: Vec<&str> = of_api.collect();
    [
        (
            "SessionSecrets",
            "ENCRYPTED_SESSION_SECRETS",
            names(&of_api),
        ),
        (
            "WebhookSecrets",
            "ENCRYPTED_WEBHOOK_SECRETS",
            names(&["updates", "webhook-sender"]),
        ),
        ("MailSecrets", "ENCRYPTED_MAIL_SECRETS", names(&["mailer"])),
        (
            "CheckSecrets",
            "ENCRYPTED_CHECK_SECRETS",
            names(&["checker"]),
        ),
    ]
}

/// A function decrypts what it uses: the secrets of a purpose, or those of connections. One encrypts.
#[test]
fn each_role_uses_the_one_key_for_its_purposes_alone() {
    let template = roles::template();
    let resources = template["Resources"].as_object().unwrap().values();
    let roles = resources.filter(|one| one["Type"] == "AWS::IAM::Role");
    let policies = roles.flat_map(|one| one["Properties"]["Policies"].as_array().unwrap());
    let mut granted = BTreeSet::new();
    for policy in policies {
        let name = policy["PolicyName"].as_str().unwrap();
        let statements = policy["PolicyDocument"]["Statement"].as_array().unwrap();
        for statement in statements {
            let actions = statement["Action"].as_array().into_iter().flatten();
            let actions = actions.map(|action| action.as_str().unwrap());
            for action in actions.filter(|action| action.starts_with("kms:")) {
                assert_eq!(statement["Resource"], "SecretsKey", "{name}");
                let purposes = &statement["Condition"]["StringEquals"];
                let purposes = &purposes["kms:EncryptionContext:purpose"];
                let one = std::slice::from_ref(purposes);
                for purpose in purposes.as_array().map_or(one, Vec::as_slice) {
                    granted.insert(format!("{name} {action} {}", purpose.as_str().unwrap()));
                }
            }
        }
    }
    let mut expected = BTreeSet::from([
        "action-worker kms:Decrypt connection".to_owned(),
        "resolution-agent kms:Decrypt connection".to_owned(),
        "resolution-agent kms:Encrypt connection".to_owned(),
        "auth kms:Decrypt sign-in".to_owned(),
        "auth kms:Encrypt sign-in".to_owned(),
    ]);
    for (parameter, _, users) in ciphertexts() {
        let purpose = parameter.trim_end_matches("Secrets").to_lowercase();
        expected.extend(
            users
                .iter()
                .map(|name| format!("{name} kms:Decrypt {purpose}")),
        );
    }
    assert_eq!(granted, expected);
}
