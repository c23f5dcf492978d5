//! Lists of fields beside a record: of the organization's journal, of an approval's calls, of a
//! looser policy, and of an erasure. serde names the fields, so that a new one cannot be forgotten.

use std::{collections::BTreeSet, fmt::Debug};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use shared::{
    agent::{
        action::{PolicyMatch, PolicyRule},
        alert::Alert,
        connection::{AgentPause, Connection},
        policy::{AgentPolicy, PolicyCaps},
    },
    model::{
        base::{Id, OrganizationId, Timestamp},
        people::{
            EntryContent, Invitation, Journaled, Organization, OrganizationEntry,
            OrganizationEvent, Session, SignInProvider, Token, User,
            journal::{USUALLY_UNNOTED, is_unnoted},
        },
        updates::{EventChange, Letter, Mail, Notification, Webhook},
    },
};
use tests::support::fields_of;

const NOON: &str = "2026-01-15T12:00:00.000Z";
const LATER: &str = "2026-01-15T12:00:01.000Z";

/// Two values of a record that differ in each field.
struct Pair {
    one: Value,
    other: Value,
}

impl Pair {
    /// The pair with one value and another one of each field.
    fn of<const N: usize>(fields: [(&str, Value, Value); N]) -> Self {
        let [mut one, mut other] = [json!({}), json!({})];
        for (name, value, another) in fields {
            one[name] = value;
            other[name] = another;
        }
        Self { one, other }
    }

    fn before<R: DeserializeOwned>(&self) -> R {
        serde_json::from_value(self.one.clone()).unwrap()
    }

    /// The record with another value of each field, by the field's name.
    fn changes<R: DeserializeOwned>(&self) -> impl Iterator<Item = (&'static str, R)> {
        fields_of::<R>().iter().map(|name| {
            let has_both = self.one[*name] != self.other[*name];
            assert!(has_both, "{name}: give it two values");
            let mut changed = self.one.clone();
            changed[*name] = self.other[*name].clone();
            (*name, serde_json::from_value(changed).unwrap())
        })
    }

    /// Expects an entry of the organization's journal for a change of each field. Entries leave the
    /// listed ones out.
    fn is_noted<R: Journaled + DeserializeOwned + Debug>(&self) {
        let before: R = self.before();
        let event = OrganizationEvent::UserChanged;
        for (name, after) in self.changes::<R>() {
            let entry = EntryContent::changed(event, &before, &after);
            assert_eq!(entry.is_none(), is_unnoted::<R>(name), "{name}: {entry:?}");
        }
        let fields = fields_of::<R>();
        for name in R::UNNOTED {
            assert!(fields.contains(name), "no field {name}");
            assert!(!USUALLY_UNNOTED.contains(name), "{name} stands twice");
        }
        // Neither does an entry of a new record or of a deleted one show anything else.
        let created = EntryContent::created(event, &before)
            .after
            .unwrap();
        for hidden in ["hash", "ciphertext", "c2VhbGVk"] {
            let text = serde_json::to_string(&created.0).unwrap();
            assert!(!text.contains(hidden), "{text}");
        }
    }
}

fn bookkeeping<const N: usize>(fields: [(&str, Value, Value); N]) -> Pair {
    let mut pair = Pair::of(fields);
    for (name, value, another) in [
        ("organizationId", json!(1), json!(2)),
        ("createdAt", json!(NOON), json!(LATER)),
        ("updatedAt", json!(NOON), json!(LATER)),
    ] {
        pair.one[name] = value;
        pair.other[name] = another;
    }
    pair
}

fn sealed(at: &str) -> Value {
    json!({"ciphertext": "c2VhbGVk", "setAt": at})
}

fn connection() -> Pair {
    bookkeeping([
        ("name", json!("billing"), json!("crm")),
        ("systemKind", json!("stripe"), json!("kill-bill")),
        ("amounts", Value::Null, json!("main")),
        ("partners", json!({}), json!({"notifications": "mails"})),
        (
            "identity",
            Value::Null,
            json!({"path": "/account", "at": ["/id"]}),
        ),
        ("account", Value::Null, json!("acct_1")),
        (
            "baseUrl",
            json!("https://one.example.com"),
            json!("https://two.example.com"),
        ),
        ("secret", sealed(NOON), Value::Null),
        (
            "auth",
            json!({"scheme": "bearer", "username": null, "header": null}),
            json!({"scheme": "basic", "username": null, "header": null}),
        ),
        (
            "headers",
            json!([]),
            json!([{"name": "Stripe-Version", "value": "2025-09-30"}]),
        ),
        ("body", json!("json"), json!("form")),
        (
            "idempotency",
            Value::Null,
            json!({"in": "header", "name": "Idempotency-Key", "replays": "all"}),
        ),
        ("allow", json!([]), json!(["GET /balance"])),
        ("testPath", Value::Null, json!("/balance")),
        ("errorCode", json!("/error/code"), json!("/code")),
        ("keep", json!([]), json!(["id"])),
        (
            "limits",
            json!({"perSecond": null, "concurrent": null}),
            json!({"perSecond": 1, "concurrent": null}),
        ),
        ("settlesWithin", json!("15m"), json!("2h")),
        ("paused", json!(false), json!(true)),
        ("revision", json!(1), json!(2)),
    ])
}

#[test]
fn each_field_of_a_journaled_record_is_noted_or_left_out_on_purpose() {
    user().is_noted::<User>();
    bookkeeping([
        ("id", json!(1), json!(2)),
        (
            "email",
            json!("noor@example.com"),
            json!("nora@example.com"),
        ),
        ("role", json!("viewer"), json!("admin")),
        ("fullName", json!("Noor"), Value::Null),
        ("invitedBy", json!(1), json!(2)),
        ("linkHash", json!("c2VhbGVk"), json!("b2")),
        ("sentAgain", json!(0), json!(1)),
        ("sentAt", json!(NOON), json!(LATER)),
        ("acceptedAt", Value::Null, json!(NOON)),
    ])
    .is_noted::<Invitation>();
    bookkeeping([
        ("id", json!(1), json!(2)),
        ("name", json!("Halden"), json!("Halden Services")),
        ("planFeatures", json!([]), json!(["agentAI"])),
        ("unitsPerSecond", json!(4_000), json!(8_000)),
        ("invitationsPerDay", json!(50), json!(60)),
        ("webUrl", Value::Null, json!("https://desk.example.com")),
        (
            "suspended",
            json!({"since": NOON, "cause": "operator"}),
            json!({"since": NOON, "cause": "deletion"}),
        ),
        (
            "importOf",
            Value::Null,
            json!({"organization": 7, "at": NOON}),
        ),
        (
            "leavers",
            Value::Null,
            json!({"days": 30, "since": NOON, "except": []}),
        ),
    ])
    .is_noted::<Organization>();
    bookkeeping([
        ("id", json!(1), json!(2)),
        ("userId", json!(1), json!(2)),
        ("place", json!(0), json!(1)),
        ("name", json!("export"), json!("import")),
        ("hash", json!("c2VhbGVk"), json!("b2")),
        ("permissions", Value::Null, json!(["view_work"])),
        ("epoch", json!(0), json!(1)),
        ("endsAt", json!(NOON), json!(LATER)),
        ("lastUsedAt", Value::Null, json!(NOON)),
    ])
    .is_noted::<Token>();
    bookkeeping([
        ("id", json!(1), json!(2)),
        (
            "url",
            json!("https://one.example.com/"),
            json!("https://two.example.com/"),
        ),
        ("types", json!(["*"]), json!(["task.*"])),
        ("description", Value::Null, json!("Posts to the chat.")),
        ("enabled", json!(true), json!(false)),
        ("generation", json!(1), json!(2)),
        ("rotatedAt", Value::Null, json!(NOON)),
        ("disabledReason", Value::Null, json!("gone")),
    ])
    .is_noted::<Webhook>();
    provider().is_noted::<SignInProvider>();
    connection().is_noted::<Connection>();
    policy().is_noted::<AgentPolicy>();
    bookkeeping([
        ("paused", json!(true), json!(false)),
        ("by", json!(1), json!(2)),
        ("restored", Value::Null, json!({"to": NOON, "at": LATER})),
    ])
    .is_noted::<AgentPause>();
    alert().is_noted::<Alert>();
}

fn user() -> Pair {
    bookkeeping([
        ("id", json!(1), json!(2)),
        ("username", json!("ada"), json!("max")),
        ("fullName", json!("Ada"), json!("Max")),
        ("email", json!("ada@example.com"), Value::Null),
        ("emailVerifiedAt", json!(NOON), Value::Null),
        ("emailBouncedAt", json!(NOON), Value::Null),
        ("role", json!("viewer"), json!("admin")),
        ("extraPermissions", json!([]), json!(["manage_users"])),
        ("memberOf", json!([]), json!([1])),
        ("disabled", json!(false), json!(true)),
        ("sessionEpoch", json!(1), json!(2)),
        ("keptSession", json!("a1"), Value::Null),
        ("tokenEpoch", json!(1), json!(2)),
        ("passwordSetBy", json!(1), Value::Null),
        ("passwordSetAt", json!(NOON), Value::Null),
        ("accessChangedAt", json!(NOON), Value::Null),
        (
            "providerSubject",
            json!({"issuer": "https://login.example.com", "sub": "1", "byGroup": false}),
            Value::Null,
        ),
    ])
}

fn provider() -> Pair {
    bookkeeping([
        (
            "issuer",
            json!("https://one.example.com"),
            json!("https://two.example.com"),
        ),
        ("clientId", json!("workdesk"), json!("desk")),
        ("clientSecret", sealed(NOON), sealed(LATER)),
        ("roles", json!({}), json!({"Admins": "admin"})),
        ("defaultRole", Value::Null, json!("member")),
        ("groupsClaim", json!("groups"), json!("roles")),
        ("passwords", json!("allowed"), json!("off")),
        ("passwordAdmins", json!([]), json!([1])),
        ("leaverDays", json!(30), json!(60)),
        ("leaversSince", Value::Null, json!(NOON)),
        ("ownRedirectUri", json!(false), json!(true)),
        ("identitySetBy", json!(1), json!(2)),
        ("discovery", Value::Null, discovery()),
    ])
}

fn discovery() -> Value {
    json!({
        "issuer": "https://one.example.com",
        "authorizationEndpoint": "https://one.example.com/authorize",
        "tokenEndpoint": "https://one.example.com/token",
        "userinfoEndpoint": null,
        "jwksUri": "https://one.example.com/keys",
        "listsGroups": false,
        "secretInBody": false,
        "namesIssuer": false,
        "keys": [],
    })
}

fn policy() -> Pair {
    bookkeeping([
        ("rules", json!([]), json!([rule().one])),
        ("caps", caps().one, caps().other),
        ("signedInWithin", json!(30), Value::Null),
        ("pending", Value::Null, pending()),
        ("updatedBy", json!(1), json!(2)),
    ])
}

/// A looser policy that waits.
fn pending() -> Value {
    let terms = json!({"rules": [], "caps": caps().other, "signedInWithin": null});
    json!({"policy": terms, "by": 2, "at": NOON, "appliesAt": LATER})
}

fn alert() -> Pair {
    bookkeeping([
        ("id", json!(1), json!(2)),
        ("source", json!("monitor"), json!("other")),
        ("externalId", json!("a"), json!("b")),
        ("signalType", json!("invoice_late"), json!("invoice_stuck")),
        ("severity", json!("error"), json!("critical")),
        ("status", json!("open"), json!("resolved")),
        ("statusBy", json!("report"), json!("user")),
        ("title", json!("Late"), json!("Stuck")),
        ("description", Value::Null, json!("Since noon.")),
        ("targetSystem", json!("billing"), json!("crm")),
        (
            "entities",
            json!([]),
            json!([{"type": "invoice", "id": "in_1"}]),
        ),
        ("labels", json!({}), json!({"period": "2026-10"})),
        (
            "metric",
            Value::Null,
            json!({"name": "hours", "value": 26.0, "threshold": 6.0, "unit": "hours"}),
        ),
        (
            "amountAtRisk",
            Value::Null,
            json!({"minorUnits": 1, "currency": "USD"}),
        ),
        (
            "lifecycle",
            json!([]),
            json!([{"at": NOON, "state": "processing"}]),
        ),
        ("occurredAt", json!(NOON), json!(LATER)),
        ("lastOccurredAt", json!(NOON), json!(LATER)),
        ("count", json!(1), json!(2)),
        ("resolvedAt", Value::Null, json!(NOON)),
        (
            "recurrence",
            Value::Null,
            json!({"entity": "in_1", "agentSessionId": 1, "at": NOON}),
        ),
        ("agentSessionId", Value::Null, json!(1)),
        ("createdBy", Value::Null, json!(1)),
        ("recordedByMachine", json!(false), json!(true)),
    ])
}

/// Names of persons stand beside the chain, so that they can be erased.
#[test]
fn a_noted_text_about_a_person_is_a_digest_in_the_chain_or_names_nobody() {
    let names_nobody = ["role", "permissions", "disabled"];
    let digested = ["email", "fullName", "username"];
    let user = json!({
        "id": 1, "organizationId": 1, "username": "ada", "fullName": "Ada",
        "email": "ada@example.com", "emailVerifiedAt": NOON, "role": "viewer",
        "createdAt": NOON, "updatedAt": NOON,
    });
    let user: User = serde_json::from_value(user).unwrap();
    let noted: BTreeSet<String> = user.noted().keys().cloned().collect();
    let listed = names_nobody.iter().chain(&digested);
    assert_eq!(
        noted,
        listed
            .map(|name| (*name).to_owned())
            .collect()
    );
}

#[test]
fn each_field_of_a_connection_raises_its_revision_or_changes_no_call() {
    let pair = connection();
    let before: Connection = pair.before();
    for (name, after) in pair.changes::<Connection>() {
        let is_listed = Connection::NOT_OF_CALLS.contains(&name);
        assert_eq!(after.calls_as(&before), is_listed, "{name}");
    }
    for name in Connection::NOT_OF_CALLS {
        assert!(fields_of::<Connection>().contains(&name), "no field {name}");
    }
    // A newer secret of the same kind is no other call.
    let mut newer = pair.one.clone();
    newer["secret"] = sealed(LATER);
    let newer: Connection = serde_json::from_value(newer).unwrap();
    assert!(newer.calls_as(&before));
}

/// A strict rule, and one with less of each field.
fn rule() -> Pair {
    Pair::of([
        ("when", json!({}), json!({"movesMoney": true})),
        ("approvers", json!(2), json!(1)),
        ("roles", json!(["admin"]), json!([])),
        ("notOpener", json!(true), json!(false)),
        ("deny", json!(true), json!(false)),
    ])
}

fn caps() -> Pair {
    let usd = |amount: i64| json!([{"minorUnits": amount, "currency": "USD"}]);
    Pair::of([
        ("actions", json!(1), json!(2)),
        ("money", usd(1), usd(2)),
        ("messagesPerCustomer", json!(1), Value::Null),
    ])
}

/// The policy with these members.
fn with(name: &str, value: Value) -> AgentPolicy {
    let mut policy = json!({"organizationId": 1, "rules": [], "caps": caps().one});
    policy[name] = value;
    serde_json::from_value(policy).unwrap()
}

/// Expects that each field of a part of the policy makes it looser by its other value. `of` returns
/// a policy with the part.
#[track_caller]
fn each_loosens<R: DeserializeOwned + Serialize>(pair: &Pair, of: impl Fn(Value) -> AgentPolicy) {
    let before = of(pair.one.clone());
    for (name, after) in pair.changes::<R>() {
        let after = of(json!(after));
        assert!(after.is_looser_than(&before), "{name} is not compared");
    }
}

#[test]
fn each_field_of_a_policy_is_compared_or_says_nothing_of_actions() {
    // Names of the policy, what is not in force yet, and the user and the instant of its last
    // change.
    let of_no_action = ["organizationId", "pending", "updatedBy", "updatedAt"];
    let rows = [
        ("rules", json!([rule().one]), json!([])),
        ("caps", caps().one, caps().other),
        ("signedInWithin", json!(5), Value::Null),
    ];
    let named = rows
        .iter()
        .map(|(name, ..)| *name)
        .chain(of_no_action);
    let named: BTreeSet<&str> = named.collect();
    assert_eq!(
        named,
        fields_of::<AgentPolicy>()
            .iter()
            .copied()
            .collect()
    );
    for (name, strict, loose) in rows {
        let before = with(name, strict);
        assert!(with(name, loose).is_looser_than(&before), "{name}");
    }
    each_loosens::<PolicyCaps>(&caps(), |caps| with("caps", caps));
    for (field, _) in rule().changes::<PolicyRule>() {
        let pair = rule();
        let mut before = pair.one.clone();
        // A denial hides what else a rule demands.
        before["deny"] = (field == "deny").into();
        let mut after = before.clone();
        after[field] = pair.other[field].clone();
        let [before, after] = [before, after].map(|rule| with("rules", json!([rule])));
        assert!(after.is_looser_than(&before), "{field} is not compared");
    }
    let narrower = Pair::of([
        ("actionType", Value::Null, json!("retry_invoice")),
        ("riskAtLeast", json!("low"), json!("high")),
        (
            "amountAtLeast",
            json!({"minorUnits": 1, "currency": "USD"}),
            json!({"minorUnits": 2, "currency": "USD"}),
        ),
        ("recordsAtLeast", json!(1), json!(2)),
        ("connection", Value::Null, json!("billing")),
        ("movesMoney", Value::Null, json!(true)),
    ]);
    each_loosens::<PolicyMatch>(&narrower, |when| {
        let mut rule = rule().one;
        rule["when"] = when;
        with("rules", json!([rule]))
    });
}

/// Fields of an erased user that stay, each with its reason.
const KEPT_OF_USERS: [&str; 6] = [
    // Other records name it by its id, which says nothing of the person.
    "id",
    "organizationId",
    // Ids of projects, which name the user by the id alone.
    "memberOf",
    // Another user, and instants. Approvals of before are judged by them.
    "passwordSetBy",
    "passwordSetAt",
    "accessChangedAt",
];

#[test]
fn each_field_of_a_user_is_erased_or_kept_on_purpose() {
    let pair = user();
    let mut before: Value = pair.one.clone();
    for name in ["role", "extraPermissions"] {
        before[name] = pair.other[name].clone();
    }
    let mut user: User = serde_json::from_value(before.clone()).unwrap();
    user.erase(LATER.parse().unwrap());
    let after = json!(user);
    for name in fields_of::<User>() {
        let is_kept = KEPT_OF_USERS.contains(name) || *name == "createdAt";
        let value = after.get(*name).unwrap_or(&Value::Null);
        assert_eq!(*value == before[*name], is_kept, "{name}: {value}");
    }
    let text = after.to_string().to_lowercase();
    for personal in ["ada", "example.com"] {
        assert!(!text.contains(personal), "{text}");
    }
}

/// Fields about persons, by their names, and the effect of an erasure on each.
const OF_PERSONS: &[(&str, &str, &str)] = &[
    (
        "Invitation",
        "email",
        "deleted with the invitation to the address",
    ),
    ("Invitation", "fullName", "deleted with it"),
    ("Invitation", "invitedBy", "an id"),
    ("Mail", "to", "deleted with mails of the user"),
    ("Mail", "userId", "deleted with mails of the user"),
    (
        "Notification",
        "userId",
        "deleted with the user's partition",
    ),
    ("Notification", "actor", "an id"),
    ("Session", "userId", "deleted with the user's partition"),
    ("Session", "address", "deleted with the user's partition"),
    ("Session", "userAgent", "deleted with the user's partition"),
    ("Token", "userId", "deleted with the user's partition"),
    ("Token", "name", "deleted with the user's partition"),
    ("Organization", "name", "no person's"),
    ("Connection", "name", "no person's"),
    ("AgentPolicy", "updatedBy", "an id"),
    ("AgentPause", "by", "an id"),
    ("Alert", "statusBy", "a kind of source"),
    ("Alert", "createdBy", "an id"),
    ("Alert", "recordedByMachine", "true or false"),
    (
        "EventChange",
        "actor",
        "replaced by the name of the erased user",
    ),
    ("EventChange", "userId", "an id"),
    ("OrganizationEntry", "actor", "an id"),
    ("OrganizationEntry", "personal", "deleted beside the entry"),
    ("OrganizationEntry", "erasedBy", "the place of an entry"),
];

/// Words in the names of fields that are about persons.
const PERSONAL: [&str; 12] = [
    "name", "email", "address", "user", "actor", "author", "creator", "assignee", "sender", "by",
    "to", "personal",
];

/// Returns the fields of a record whose names have a word of [`PERSONAL`].
fn personal<R: DeserializeOwned>(record: &'static str) -> Vec<(&'static str, &'static str)> {
    personal_in(record, fields_of::<R>().iter().copied())
}

/// The fields of a mail, which flattens its attempts.
fn fields_of_mail() -> impl Iterator<Item = &'static str> {
    let minute = Timestamp::from_millis(0);
    let letter = Letter::Notifications { minute };
    let mail = Mail::new(
        OrganizationId::new(1).unwrap(),
        None,
        String::new(),
        letter,
        minute,
    );
    let Value::Object(fields) = json!(mail) else {
        panic!("a mail is no object");
    };
    fields
        .into_iter()
        .map(|(name, _)| &*name.leak())
}

fn personal_in(
    record: &'static str,
    fields: impl Iterator<Item = &'static str>,
) -> Vec<(&'static str, &'static str)> {
    let words = |name: &str| {
        let split = name.replace(|sign: char| sign.is_ascii_uppercase(), " ");
        let firsts = name
            .chars()
            .filter(char::is_ascii_uppercase);
        let rests = split.split(' ').map(str::to_owned);
        let initials = std::iter::once(String::new())
            .chain(firsts.map(|initial| initial.to_lowercase().to_string()));
        initials
            .zip(rests)
            .map(|(initial, rest)| initial + &rest)
            .collect::<Vec<_>>()
    };
    let is_personal = |name: &&str| {
        words(name)
            .iter()
            .any(|word| PERSONAL.contains(&word.as_str()))
    };
    fields
        .filter(is_personal)
        .map(|name| (record, name))
        .collect()
}

#[test]
fn each_field_about_a_person_is_erased_or_kept_on_purpose() {
    let personal_fields = [
        personal::<Invitation>("Invitation"),
        personal_in("Mail", fields_of_mail()),
        personal::<Notification>("Notification"),
        personal::<Session>("Session"),
        personal::<Token>("Token"),
        personal::<Organization>("Organization"),
        personal::<Webhook>("Webhook"),
        personal::<Connection>("Connection"),
        personal::<AgentPolicy>("AgentPolicy"),
        personal::<AgentPause>("AgentPause"),
        personal::<Alert>("Alert"),
        personal::<EventChange>("EventChange"),
        personal::<OrganizationEntry>("OrganizationEntry"),
    ];
    let personal_fields: BTreeSet<_> = personal_fields
        .concat()
        .into_iter()
        .collect();
    let listed: BTreeSet<_> = OF_PERSONS
        .iter()
        .map(|(record, name, _)| (*record, *name))
        .collect();
    let unlisted: Vec<_> = personal_fields
        .difference(&listed)
        .collect();
    assert!(
        unlisted.is_empty(),
        "say what an erasure does about {unlisted:?}"
    );
    let gone: Vec<_> = listed
        .difference(&personal_fields)
        .collect();
    assert!(gone.is_empty(), "no field {gone:?}");
}
