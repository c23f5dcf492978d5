//! Records as tests and benchmarks put them into the table: each is written out here and nowhere
//! else. Who needs another one says what is different.

use local::target_systems::DemoTargets;
use serde_json::{Value, json};
use shared::{
    agent::alert::{AlertReport, AlertStatus},
    input::{self, Input},
    model::{
        base::{OrganizationId, ProjectId, SentSecret, Slug, Timestamp, UserId, WrongText},
        people::{PasswordHash, Role, Session, Sid, TagCreate, User},
        work::{
            ActivityCreate, CommentCreate, PhaseCreate, Priority, ProjectCreate,
            ServiceRequestCreate, ServiceStatus, TaskCreate,
        },
    },
    store::{
        base::Store,
        people::NewUser,
        work::{NewMessage, NewTicket},
    },
};
use targets::{Sealer, SecretOf};

/// A user of this name, called "Ada Tester" if it is "ada".
#[must_use]
pub fn user(name: &str, role: Role, password_hash: impl Into<PasswordHash>) -> NewUser {
    NewUser {
        username: name.to_owned(),
        full_name: format!("{}{} Tester", name[..1].to_uppercase(), &name[1..]),
        email: None,
        email_verified_at: None,
        role,
        extra_permissions: Vec::new(),
        password_hash: password_hash.into(),
        provider_subject: None,
    }
}

/// A session that begins now.
#[must_use]
pub fn session(sid: &Sid, user: &User, now: Timestamp) -> Session {
    Session::begin(sid, user, now)
}

/// Begins a session of a user, past the password, and answers its id.
pub async fn signed_in(store: &Store, user: &User, now: Timestamp) -> Sid {
    let sid = Sid::generate(store.cell(), user.organization_id, user.id, now);
    let sign_in = store.sign_in();
    let account = sign_in
        .account(&user.username)
        .await
        .unwrap()
        .unwrap();
    let session = session(&sid, user, now);
    sign_in
        .begin(&account, &session, None)
        .await
        .unwrap();
    sid
}

/// Connects an organization to the demo's systems.
pub async fn connected(store: &Store, sealer: &Sealer, tenant: OrganizationId, demo: &DemoTargets) {
    for (name, put) in demo.connections().as_object().unwrap() {
        connection(store, sealer, tenant, name, put).await;
    }
}

/// Creates or replaces a connection, with its secret encrypted.
pub async fn connection(
    store: &Store,
    sealer: &Sealer,
    tenant: OrganizationId,
    name: &str,
    put: &Value,
) {
    let of = Slug::new(name).unwrap();
    let put = sent(put);
    let secret_of = SecretOf::Connection(name.to_owned());
    let seal = async |secret: SentSecret| {
        sealer
            .seal(tenant, &secret_of, &secret)
            .await
    };
    let connections = store.connections();
    let identify = async |_| Ok(None);
    let put = connections.put(tenant, &of, put, seal, identify);
    put.await.unwrap();
}

/// An active project.
#[must_use]
pub fn project(title: &str) -> ProjectCreate {
    sent(&json!({"title": title}))
}

/// A phase of this place in its project.
#[must_use]
pub fn phase(title: &str, order: i64) -> PhaseCreate {
    sent(&json!({"title": title, "order": order}))
}

#[must_use]
pub fn tag(name: &str) -> TagCreate {
    sent(&json!({"name": name}))
}

/// Parses a body as a client would send it.
#[must_use]
pub fn sent<T: Input>(body: &Value) -> T {
    input::from_value(body).unwrap_or_else(|faults| panic!("{body}: {faults:?}"))
}

#[must_use]
pub fn task(project: ProjectId) -> TaskCreate {
    sent(&json!({"title": "Compare the invoices of both systems", "projectId": project}))
}

/// A note about the organization at large or, if one is named, a project.
#[must_use]
pub fn activity(project: Option<ProjectId>) -> ActivityCreate {
    sent(&json!({
        "type": "note", "description": "Called back",
        "projectId": project, "organizationId": project.is_none().then_some(1),
    }))
}

/// A request about nothing in particular.
#[must_use]
pub fn service_request() -> ServiceRequestCreate {
    sent(&json!({"title": "Help"}))
}

/// A comment that replies to none.
#[must_use]
pub fn comment(content: &str) -> CommentCreate {
    sent(&json!({"content": content}))
}

/// An open ticket without messages.
#[must_use]
pub fn ticket() -> NewTicket {
    NewTicket {
        title: text("No invoices"),
        status: ServiceStatus::Open,
        priority: Priority::High,
        assignee_id: None,
        customer_id: None,
        created_at: None,
        resolved_at: None,
        messages: Vec::new(),
    }
}

/// A message of a new ticket; without a time, written now.
#[must_use]
pub fn message(author: UserId, content: &str, created_at: Option<Timestamp>) -> NewMessage {
    NewMessage {
        user_id: author,
        content: text(content),
        created_at,
    }
}

/// An open alert of this class, under an external id of its own.
#[must_use]
pub fn alert(class: &str, occurred_at: Timestamp) -> AlertReport {
    alert_with(class, occurred_at, &json!({}))
}

/// An open alert of this class with these other members.
#[must_use]
pub fn alert_with(class: &str, occurred_at: Timestamp, more: &Value) -> AlertReport {
    let mut body = json!({
        "source": "billing-monitor", "externalId": shared::random::token(), "signalType": class,
        "severity": "error", "title": format!("An alert of {class}"), "targetSystem": "billing",
    });
    let members = body.as_object_mut().unwrap();
    members.extend(more.as_object().unwrap().clone());
    AlertReport::new(sent(&body), AlertStatus::Open, occurred_at)
}

/// Records of target systems by type and id, as an alert has them.
#[must_use]
pub fn entities<'a>(entities: impl IntoIterator<Item = (&'a str, &'a str)>) -> Value {
    let entities = entities.into_iter();
    let entities = entities.map(|(kind, id)| json!({"type": kind, "id": id}));
    entities.collect()
}

/// A text of the right length.
#[must_use]
pub fn text<T: for<'a> TryFrom<&'a str, Error = WrongText>>(text: &str) -> T {
    text.try_into()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}
