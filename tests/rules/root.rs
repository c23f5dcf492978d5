//! The root of an organization: each field of each operation that guards it.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use shared::model::base::span;
use tests::support::{
    Api, Caller, OidcProvider, Operation, described::resolved, operations, patches,
};

/// Operations that ask for a newer sign-in by the organization's policy alone, or to bind the
/// caller's own account. The list may only shrink.
const BY_POLICY: [&str; 3] = [
    "GET /api/auth/oidc",
    "POST /api/concierge/agent-sessions/{id}/execute",
    "POST /api/concierge/agent-sessions/{id}/actions/{actionId}/settle",
];

/// Operations that lift a brake. A permission of their own is enough, with a new sign-in.
const BRAKES: [&str; 2] = [
    "POST /api/concierge/resume",
    "POST /api/concierge/connections/{name}/resume",
];

/// Fields that do not guard by themselves. Whoever has the permission of the operation sends them
/// after any sign-in, and a token where the third member says so. The list may only shrink.
const OPEN: [(&str, &[&str], bool); 4] = [
    ("PATCH /api/organizations/{id}", &["name"], true),
    ("PATCH /api/users/{id}", &["fullName"], true),
    ("PATCH /api/users/{id}", &["disabled", "email"], false),
    (
        "POST /api/users",
        &["username", "fullName", "password", "email"],
        false,
    ),
];

/// Fields of an invitation, which is an admin's by its role alone.
const OPEN_OF_INVITATIONS: [&str; 2] = ["email", "fullName"];

/// Operations that guard as a whole.
const WHOLE: [&str; 2] = [
    "PUT /api/organizations/{id}/sign-in",
    "PUT /api/concierge/connections/{name}",
];

const SIGN_IN: &str = "/api/organizations/1/sign-in";
const CONNECTION: &str = "/api/concierge/connections/billing";
const POLICY: &str = "/api/concierge/policy";

/// An organization with callers whom its guards refuse.
struct Guarded {
    api: Api,
    /// An admin who has just signed in.
    ada: Caller,
    /// Callers with the code of their refusal: an admin's token, an admin who signed in 31 minutes
    /// ago, a manager who manages the organization, and one who manages users.
    refused: [(Caller, &'static str); 4],
    /// A user whom the operations change.
    mia: i64,
    /// Requests that were prepared. Each has names of its own.
    prepared: usize,
    provider: OidcProvider,
}

/// A request of an operation.
struct Prepared {
    path: String,
    body: Option<Value>,
}

impl Guarded {
    async fn start() -> Self {
        let api = Api::start().await;
        let admin = api.user("ada").await;
        let mia = api.sign_in("mia").await.id();
        let ada = api.session_of(&admin).await;
        let max = api.sign_in("max").await;
        let sue = api.sign_in("sue").await;
        for (caller, permission) in [(&max, "manage_organization"), (&sue, "manage_users")] {
            let path = format!("/api/users/{}", caller.id());
            patches!(ada, &path, {"role": "manager", "permissions": [permission]});
        }
        let provider = OidcProvider::start(&api.clock).await;
        let token = api.token_of(&admin, json!({})).await;
        // The first use of a token on a day is noted.
        token
            .get("/api/auth/session")
            .await
            .expect(200);
        let before = api.clock.now().plus(-31 * span::MINUTE);
        let older = api.session_since(&admin, before).await;
        let refused = [
            (token, "session_required"),
            (older, "sign_in_again"),
            (max, "permission_denied"),
            (sue, "permission_denied"),
        ];
        Self {
            api,
            ada,
            refused,
            mia,
            prepared: 0,
            provider,
        }
    }

    /// A request of the operation with another value of this field: a guarding one, if the field
    /// has any. Other required fields are harmless.
    async fn prepare(&mut self, operation: &Operation, field: Option<&str>) -> Prepared {
        self.prepared += 1;
        let number = self.prepared;
        let path = &*operation.path;
        let name = operation.name();
        let user = format!("/api/users/{}", self.mia);
        let connection = || json!({"kind": "stripe", "baseUrl": "https://api.example.com/v1", "secret": "sk", "allow": ["GET /balance"]});
        let provider = || self.provider.put(&json!({}));
        let (path, mut body) = match name.as_str() {
            "PUT /api/organizations/{id}/sign-in" => (SIGN_IN.to_owned(), provider()),
            "POST /api/organizations/{id}/sign-in/test" => {
                self.ada.puts(SIGN_IN, provider()).await;
                (format!("{SIGN_IN}/test"), Value::Null)
            }
            "DELETE /api/organizations/{id}/sign-in" => {
                self.ada.puts(SIGN_IN, provider()).await;
                (SIGN_IN.to_owned(), Value::Null)
            }
            "PUT /api/concierge/connections/{name}" => (CONNECTION.to_owned(), connection()),
            "DELETE /api/concierge/connections/{name}" => {
                self.ada
                    .puts(CONNECTION, connection())
                    .await;
                (CONNECTION.to_owned(), Value::Null)
            }
            "PUT /api/concierge/policy" => {
                let strict = json!({
                    "rules": [{"deny": true}], "caps": {"actions": 1}, "signedInWithin": 60,
                });
                self.ada.puts(POLICY, strict).await;
                (POLICY.to_owned(), json!({}))
            }
            "PATCH /api/organizations/{id}" => ("/api/organizations/1".to_owned(), json!({})),
            "PATCH /api/users/{id}" => (user, json!({})),
            "PUT /api/users/{id}/password" => (format!("{user}/password"), json!({})),
            "POST /api/users" => {
                let new = json!({
                    "username": format!("grace-{number}"), "fullName": "Grace", "role": "member",
                    "password": "a horse of another colour",
                });
                (path.to_owned(), new)
            }
            "POST /api/invitations" => {
                let new = json!({"email": format!("grace-{number}@example.com"), "role": "member"});
                (path.to_owned(), new)
            }
            "POST /api/invitations/{id}/send" => {
                let new = json!({"email": format!("lin-{number}@example.com"), "role": "admin"});
                let id = self
                    .ada
                    .creates("/api/invitations", new)
                    .await;
                (format!("/api/invitations/{id}/send"), Value::Null)
            }
            other => panic!("{other} asks for a new sign-in: say here how it is sent"),
        };
        if let Some(field) = field
            && let Some(value) = value_of(&name, field, number)
        {
            body[field] = value;
        }
        Prepared {
            path,
            body: Some(body).filter(|body| !body.is_null()),
        }
    }
}

/// A value of a field that guards, if one does. None where the operation guards as a whole, with
/// any fields.
fn value_of(operation: &str, field: &str, number: usize) -> Option<Value> {
    let value = match (operation, field) {
        ("PUT /api/concierge/policy", "rules") => json!([]),
        ("PUT /api/concierge/policy", "preset") => json!("billing"),
        ("PUT /api/concierge/policy", "caps") => json!({"actions": 2}),
        ("PUT /api/concierge/policy", "signedInWithin") => Value::Null,
        (_, "username") => json!(format!("lin-{number}")),
        (_, "role") => json!("admin"),
        (_, "permissions") => json!(["manage_users"]),
        (_, "name") => json!(format!("Halden {number}")),
        (_, "webUrl") => json!(format!("https://desk-{number}.example.com")),
        (_, "fullName") => json!(format!("Lin {number}")),
        (_, "disabled") => json!(false),
        (_, "email") => json!(format!("lin-{number}@example.com")),
        (_, "password") => json!("a horse of another colour"),
        _ if WHOLE.contains(&operation) => return None,
        _ => panic!("{operation} has a new field {field}: say here which value of it guards"),
    };
    Some(value)
}

fn is_open(operation: &str, field: Option<&str>) -> Option<bool> {
    let field = field?;
    if operation == "POST /api/invitations" && OPEN_OF_INVITATIONS.contains(&field) {
        return Some(false);
    }
    let mut open = OPEN.iter();
    let open = open.find(|(name, fields, _)| *name == operation && fields.contains(&field));
    open.map(|(_, _, takes_tokens)| *takes_tokens)
}

/// The operations that may refuse with `sign_in_again`.
fn guarding() -> Vec<&'static Operation> {
    let refuses = |operation: &&Operation| {
        let refusal = resolved(&operation.described["responses"]["403"]);
        refusal
            .to_string()
            .contains("SignInAgainProblem")
    };
    operations()
        .iter()
        .filter(refuses)
        .collect()
}

/// The fields of an operation's body; none of an operation without a body.
fn fields(operation: &Operation) -> Vec<Option<String>> {
    let content = &operation.described["requestBody"]["content"]["application/json"];
    let schema = resolved(&content["schema"]);
    let names = schema["properties"]
        .as_object()
        .into_iter()
        .flatten();
    let names: Vec<_> = names
        .map(|(name, _)| Some(name.clone()))
        .collect();
    if names.is_empty() { vec![None] } else { names }
}

#[tokio::test]
async fn each_field_that_guards_the_organization_takes_its_root() {
    let mut guarded = Guarded::start().await;
    let mut walked = BTreeSet::new();
    let others = [BY_POLICY.as_slice(), &BRAKES].concat();
    for operation in guarding() {
        let name = operation.name();
        if others.contains(&&*name) {
            continue;
        }
        for field in fields(operation) {
            let field = field.as_deref();
            let Prepared { path, body } = guarded.prepare(operation, field).await;
            let of = format!("{name} {field:?}");
            let sent = |caller: &Caller| {
                let text = body.as_ref().map(Value::to_string);
                let caller = caller.clone();
                let path = path.clone();
                async move {
                    caller
                        .send(operation.method, &path, text)
                        .await
                }
            };
            if let Some(takes_tokens) = is_open(&name, field) {
                let [(token, code), (older, _), ..] = &guarded.refused;
                let by_token = sent(token).await;
                if takes_tokens {
                    assert_eq!(by_token.status, 200, "{of}: {}", by_token.text);
                } else {
                    by_token.expect_problem(403, code);
                    let by_older = sent(older).await;
                    assert!(by_older.status < 300, "{of}: {}", by_older.text);
                }
                continue;
            }
            let before = guarded.api.records().await;
            for (caller, code) in &guarded.refused {
                let answer = sent(caller).await;
                assert_eq!(answer.status, 403, "{of}: {}", answer.text);
                answer.expect_problem(403, code);
            }
            assert_eq!(before, guarded.api.records().await, "{of}");
            let answer = sent(&guarded.ada).await;
            assert!(answer.status < 300, "{of}: {}", answer.text);
            walked.insert(of);
        }
    }
    assert!(walked.len() > 30, "{walked:?}");
}

/// A brake is lifted with its own permission, by a session with a new sign-in.
#[tokio::test]
async fn each_brake_takes_a_new_sign_in() {
    let guarded = Guarded::start().await;
    let Guarded {
        api, ada, refused, ..
    } = &guarded;
    let connection = json!({"kind": "stripe", "baseUrl": "https://api.example.com/v1", "secret": "sk", "allow": ["GET /balance"]});
    ada.puts(CONNECTION, connection).await;
    for name in BRAKES {
        let operations = guarding().into_iter();
        let mut operations = operations.filter(|operation| operation.name() == name);
        let operation = operations.next().unwrap();
        let path = operation
            .path
            .replace("{name}", "billing");
        let [(token, code), (older, again), ..] = refused;
        token
            .send("POST", &path, None)
            .await
            .expect_problem(403, code);
        older
            .send("POST", &path, None)
            .await
            .expect_problem(403, again);
        api.sign_in("max")
            .await
            .send("POST", &path, None)
            .await
            .expect(200);
    }
}
