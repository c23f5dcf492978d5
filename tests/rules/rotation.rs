//! Rotation of the secret that signs cookies and cursors, step by step as documented. Instances
//! with settings from before a step serve beside those with settings from after it.

use std::collections::BTreeSet;

use serde_json::{Value, json};
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

/// An instance decrypts its secrets when it starts, so each step takes new ones: Lambda replaces those of a
/// function whose environment has changed. `sam deploy --guided` keeps no older ciphertext that a later
/// deployment would bring back.
#[test]
fn another_ciphertext_changes_the_environment_of_every_function_that_signs() {
    let template = roles::template();
    let parameter = &template["Parameters"]["SigningSecrets"];
    assert_eq!(parameter["NoEcho"], true);
    assert_eq!(parameter["Default"], Value::Null);
    let signs = |name: &str| {
        let of_api = api_functions().any(|(api, function)| api == name && function.read.is_some());
        of_api || name == "webhook-sender"
    };
    let resources = template["Resources"].as_object().unwrap().values();
    let mut seen = 0;
    for function in resources.filter(|one| one["Type"] == "AWS::Serverless::Function") {
        let properties = &function["Properties"];
        let code = properties["CodeUri"].as_str().unwrap();
        let name = code.trim_end_matches('/').rsplit('/').next().unwrap();
        let variable = &properties["Environment"]["Variables"]["SIGNING_SECRETS"];
        let expected = signs(name).then_some("SigningSecrets");
        assert_eq!(variable.as_str(), expected, "{name}");
        seen += usize::from(expected.is_some());
    }
    assert_eq!(seen, 10);
}

/// A function decrypts what it uses: signing secrets or those of connections. One encrypts.
#[test]
fn each_role_uses_the_one_key_for_its_purpose_alone() {
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
                let purpose = &statement["Condition"]["StringEquals"];
                let purpose = purpose["kms:EncryptionContext:purpose"].as_str().unwrap();
                granted.insert(format!("{name} {action} {purpose}"));
            }
        }
    }
    let signing = api_functions().filter(|(_, function)| function.read.is_some());
    let signing = signing.map(|(name, _)| name).chain(["webhook-sender"]);
    let mut expected: BTreeSet<String> = signing
        .map(|name| format!("{name} kms:Decrypt signing"))
        .collect();
    expected.extend([
        "action-worker kms:Decrypt connection".to_owned(),
        "resolution-agent kms:Decrypt connection".to_owned(),
        "resolution-agent kms:Encrypt connection".to_owned(),
    ]);
    assert_eq!(granted, expected);
}
