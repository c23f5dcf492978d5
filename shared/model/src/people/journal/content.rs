//! Changes as the organization's journal notes them.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    base::{
        AgentSessionId, AlertId, FieldChange, InvitationId, JsonObject, JsonText, OrganizationId,
        ProjectId, TokenId, UserId, WebhookId,
    },
    names,
    people::{Invitation, Organization, Suspension, Token, User, digest},
    updates::Webhook,
    work::Project,
};

use super::canonical;

names! {
    /// The event of an entry.
    pub enum OrganizationEvent {
        OrganizationCreated: "The organization was created.",
        OrganizationChanged: "The name or the plan of the organization changed.",
        UserCreated: "A user was created.",
        UserChanged: "Name, address, role, permissions or `disabled` of a user changed.",
        PasswordSet: "A password was set, which ended the user's sessions and tokens.",
        UserErased:
            "The operator erased a user's names. Digests of what is left of entries of earlier releases, by \
             their numbers.",
        PasswordReset: "A user reset a forgotten password, which ended the user's sessions and tokens.",
        EmailChanged: "A user's address changed, or was verified.",
        InvitationCreated: "An invitation was created, or sent again by another link.",
        InvitationAccepted: "An invitation was accepted, which created its user.",
        SignedIn: "A user signed in.",
        SignInRefused: "Sign-ins of a user were refused in a quarter of an hour.",
        SignedOut: "A user signed out.",
        SessionsEnded: "Sessions of a user were ended: one, all but the named one, or all.",
        SignInsChained: "Entries of sign-ins were named, by their hashes: a removed one is missed.",
        SignInChanged: "The sign-in by the company's provider was set or deleted, or a user was bound to it.",
        TokenCreated: "A token was created.",
        TokenDeleted: "A token was deleted.",
        PolicySet: "The policy was set.",
        ConnectionPut: "A connection was created or replaced.",
        ConnectionDeleted: "A connection was deleted.",
        ConnectionPaused: "A connection was paused.",
        ConnectionResumed: "A connection was resumed.",
        AgentPaused: "All actions were paused.",
        AgentResumed: "All actions were resumed.",
        TableRestored:
            "The operator put the table back to an earlier instant. The entry names tokens, enabled users, \
             and changes of access shortly before: any may have come back.",
        AlertRecorded: "Alerts were recorded.",
        AlertChanged: "The status of alerts changed, by a request, a further report, or the agent.",
        ProjectAccessChanged: "Who sees a project changed: its visibility, its customer, or its members.",
        WebhookCreated: "A webhook was created.",
        WebhookChanged: "A webhook changed, or the service disabled it.",
        WebhookDeleted: "A webhook was deleted.",
        WebhookSecretRotated: "The secret of a webhook was rotated.",
        AgentSessionsEnded:
            "Agent sessions ended, or a later check added to their journals. The entry names the newest \
             entry of each: a removed session is missed.",
    }
}

impl OrganizationEvent {
    /// True if its entries stand beside the chain: [`SignInEntry`](super::SignInEntry).
    pub const fn is_apart(self) -> bool {
        matches!(self, Self::SignedIn | Self::SignInRefused | Self::SignedOut)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct EntryContent {
    pub event: OrganizationEvent,
    pub subjects: Vec<String>,
    pub before: Option<JsonText>,
    pub after: Option<JsonText>,
}

/// A record whose changes the organization's journal has: all of its fields, but those of
/// [`UNNOTED`](Self::UNNOTED) and the [usual ones](USUALLY_UNNOTED).
pub trait Journaled: Serialize {
    /// Fields that entries leave out, by their names in JSON. A comment gives the reason of each.
    const UNNOTED: &'static [&'static str];

    /// Returns its names as a subject: its own, and its owner's.
    fn subjects(&self) -> Vec<String>;

    /// Gives fields the names and forms that entries have, such as the instant of a sealed secret.
    fn in_entries(&self, _fields: &mut Map<String, Value>) {}

    /// Returns the fields whose changes are noted: no secret, and no hash of one.
    fn noted(&self) -> Map<String, Value> {
        let mut fields = members(json!(self));
        self.in_entries(&mut fields);
        fields.retain(|name, _| !is_unnoted::<Self>(name));
        fields
    }
}

/// Fields that no entry has. Its subject, its organization and its instant say the same.
pub const USUALLY_UNNOTED: [&str; 4] = ["id", "organizationId", "createdAt", "updatedAt"];

/// Returns true for a field that entries leave out.
pub fn is_unnoted<R: Journaled + ?Sized>(name: &str) -> bool {
    R::UNNOTED.contains(&name) || USUALLY_UNNOTED.contains(&name)
}

/// Renames a field for entries.
pub fn rename(fields: &mut Map<String, Value>, name: &str, in_entries: &str) {
    if let Some(value) = fields.remove(name) {
        fields.insert(in_entries.to_owned(), value);
    }
}

/// Replaces a sealed secret by the instant since which it is set, such as `secretSetAt` for
/// `secret`.
pub fn seal(fields: &mut Map<String, Value>, name: &str) {
    let secret = fields.remove(name).unwrap_or_default();
    fields.insert(format!("{name}SetAt"), secret["setAt"].clone());
}

impl Journaled for User {
    const UNNOTED: &'static [&'static str] = &[
        // `email_changed` says whether the address is verified. A mail server says that it bounced.
        "emailVerifiedAt",
        "emailBouncedAt",
        // They follow from `password_set`, `password_reset`, `sessions_ended` and `disabled`.
        "sessionEpoch",
        "keptSession",
        "tokenEpoch",
        "passwordSetBy",
        "passwordSetAt",
        // The entry of that change has the instant.
        "accessChangedAt",
        // `sign_in_changed` has it.
        "providerSubject",
        // `project_access_changed` has it.
        "memberOf",
    ];

    fn subjects(&self) -> Vec<String> {
        vec![subject::user(self.id)]
    }

    fn in_entries(&self, fields: &mut Map<String, Value>) {
        rename(fields, "extraPermissions", "permissions");
    }
}

impl Journaled for Invitation {
    const UNNOTED: &'static [&'static str] = &[
        // The actor of the entry.
        "invitedBy",
        // The hash of a secret.
        "linkHash",
        // Its mails, and its end, which is an entry of its own.
        "sentAgain",
        "sentAt",
        "acceptedAt",
    ];

    fn subjects(&self) -> Vec<String> {
        vec![subject::invitation(self.id)]
    }
}

impl Journaled for Organization {
    const UNNOTED: &'static [&'static str] = &[
        // It is there while an import goes on. The organization is suspended meanwhile.
        "importOf", // `sign_in_changed` has the days.
        "leavers",
    ];

    fn subjects(&self) -> Vec<String> {
        vec![subject::organization(self.id)]
    }

    /// A suspension is `true`, with its cause. The entry has its instant.
    fn in_entries(&self, fields: &mut Map<String, Value>) {
        if let Some(Suspension { cause, .. }) = self.suspended {
            fields.insert("suspended".to_owned(), true.into());
            fields.insert("suspensionCause".to_owned(), cause.name().into());
        }
    }
}

impl Journaled for Token {
    const UNNOTED: &'static [&'static str] = &[
        // A subject of the entry.
        "userId",
        // The hash of a secret, and what the service finds it by.
        "hash",
        "place",
        "epoch",
        "lastUsedAt",
    ];

    fn subjects(&self) -> Vec<String> {
        vec![subject::token(self.id), subject::user(self.user_id)]
    }

    fn in_entries(&self, fields: &mut Map<String, Value>) {
        rename(fields, "endsAt", "expiresAt");
    }
}

/// The access to a project, and nothing else of it.
impl Journaled for Project {
    const UNNOTED: &'static [&'static str] = &[
        // The history of the project has them. They change nothing in who sees it.
        "title",
        "description",
        "status",
    ];

    fn subjects(&self) -> Vec<String> {
        vec![subject::project(self.id)]
    }
}

impl Journaled for Webhook {
    const UNNOTED: &'static [&'static str] = &[
        // The instant at which `generation` rose.
        "rotatedAt",
    ];

    fn subjects(&self) -> Vec<String> {
        vec![subject::webhook(self.id)]
    }
}

pub mod subject {
    use super::{
        AgentSessionId, AlertId, InvitationId, OrganizationId, ProjectId, TokenId, UserId,
        WebhookId,
    };

    pub const POLICY: &str = "policy";

    /// The agent, which can be paused.
    pub const AGENT: &str = "agent";

    macro_rules! subjects {
        ($($name:ident($id:ty))+) => {$(
            pub fn $name(id: $id) -> String {
                format!(concat!(stringify!($name), ":{}"), id)
            }
        )+};
    }

    subjects! {
        organization(OrganizationId)
        user(UserId)
        invitation(InvitationId)
        token(TokenId)
        connection(&str)
        alert(AlertId)
        project(ProjectId)
        webhook(WebhookId)
        agent_session(AgentSessionId)
    }
}

impl EntryContent {
    /// The most bytes of a value as JSON. A longer one is noted by its hash and its beginning.
    const MOST: usize = 2_000;

    pub fn created<R: Journaled>(event: OrganizationEvent, record: &R) -> Self {
        let mut after = record.noted();
        after.retain(|_, value| !value.is_null());
        Self {
            event,
            subjects: record.subjects(),
            before: None,
            after: Some(text(bounded(after))),
        }
    }

    pub fn deleted<R: Journaled>(event: OrganizationEvent, record: &R) -> Self {
        let created = Self::created(event, record);
        Self {
            before: created.after,
            after: None,
            ..created
        }
    }

    /// Notes the fields that differ; none if no field does.
    pub fn changed<R: Journaled>(event: OrganizationEvent, before: &R, after: &R) -> Option<Self> {
        let mut was = before.noted();
        let mut is = after.noted();
        // A field that is absent is null.
        for name in is.keys() {
            was.entry(name.clone())
                .or_insert(Value::Null);
        }
        was.retain(|name, value| {
            is.entry(name.clone())
                .or_insert(Value::Null)
                != value
        });
        is.retain(|name, _| was.contains_key(name));
        (!is.is_empty()).then(|| Self {
            event,
            subjects: after.subjects(),
            before: Some(text(bounded(was))),
            after: Some(text(bounded(is))),
        })
    }

    /// Notes a new password, without fields.
    pub fn password_set(user: UserId) -> Self {
        Self::of_user(OrganizationEvent::PasswordSet, user)
    }

    /// Notes the new password of a user who had forgotten it, without fields.
    pub fn password_reset(user: UserId) -> Self {
        Self::of_user(OrganizationEvent::PasswordReset, user)
    }

    fn of_user(event: OrganizationEvent, user: UserId) -> Self {
        Self::noted(event, vec![subject::user(user)], [Value::Null, Value::Null])
    }

    /// Notes the address of a user; none if it is as it was, and verified as before.
    pub fn email_changed(before: &User, after: &User) -> Option<Self> {
        let noted = |user: &User| json!({"email": user.email, "verified": user.email_verified_at.is_some()});
        let values = [noted(before), noted(after)];
        let subjects = vec![subject::user(after.id)];
        let is_changed = values[0] != values[1];
        is_changed.then(|| Self::noted(OrganizationEvent::EmailChanged, subjects, values))
    }

    /// Notes that an invitation was sent again, with another link.
    pub fn invitation_sent(before: &Invitation, after: &Invitation) -> Self {
        let subjects = vec![subject::invitation(after.id)];
        let sent = |invitation: &Invitation| json!({"sentAt": invitation.sent_at});
        let values = [sent(before), sent(after)];
        Self::noted(OrganizationEvent::InvitationCreated, subjects, values)
    }

    /// Notes the user of an accepted invitation.
    pub fn accepted(invitation: &Invitation, user: &User) -> Self {
        let subjects = vec![subject::invitation(invitation.id), subject::user(user.id)];
        let values = [Value::Null, json!({"email": invitation.email})];
        Self::noted(OrganizationEvent::InvitationAccepted, subjects, values)
    }

    /// Notes what is no record's change. `Value::Null` is none.
    pub fn noted(event: OrganizationEvent, subjects: Vec<String>, values: [Value; 2]) -> Self {
        let noted = |value: Value| (!value.is_null()).then(|| text(bounded(members(value))));
        let [before, after] = values.map(noted);
        Self {
            event,
            subjects,
            before,
            after,
        }
    }

    /// Notes several records of one kind by their names; none if there are none.
    pub fn several(
        event: OrganizationEvent,
        before: Option<Map<String, Value>>,
        after: Map<String, Value>,
    ) -> Option<Self> {
        (!after.is_empty()).then(|| Self {
            event,
            subjects: after.keys().cloned().collect(),
            before: before.map(text),
            after: Some(text(after)),
        })
    }
}

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn text(members: Map<String, Value>) -> JsonText {
    JsonText(JsonObject(members))
}

fn bounded(mut members: Map<String, Value>) -> Map<String, Value> {
    for value in members.values_mut() {
        let json = canonical(value);
        if json.len() > EntryContent::MOST {
            let beginning: String = json
                .chars()
                .take(FieldChange::MOST)
                .collect();
            *value = json!({"sha256": digest(&json), "beginning": beginning});
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Noted(Value);

    impl Journaled for Noted {
        const UNNOTED: &'static [&'static str] = &["hash"];

        fn subjects(&self) -> Vec<String> {
            vec!["thing".to_owned()]
        }
    }

    #[test]
    fn an_entry_has_the_fields_that_differ() {
        let event = OrganizationEvent::UserChanged;
        let before = Noted(json!({"a": 1, "b": [1], "hash": 1, "d": true}));
        let after = Noted(json!({"a": 1, "b": [2], "hash": 2, "c": "x"}));
        let changed = EntryContent::changed(event, &before, &after).unwrap();
        let json = |text: Option<JsonText>| serde_json::to_value(text.unwrap().0).unwrap();
        let was = json!({"b": [1], "c": null, "d": true});
        assert_eq!(json(changed.before), was);
        assert_eq!(json(changed.after), json!({"b": [2], "c": "x", "d": null}));
        assert_eq!(EntryContent::changed(event, &after, &after), None);
        let created = EntryContent::created(event, &before);
        assert_eq!(created.before, None);
        assert_eq!(json(created.after), json!({"a": 1, "b": [1], "d": true}));
        let deleted = EntryContent::deleted(event, &before);
        assert_eq!(json(deleted.before), json!({"a": 1, "b": [1], "d": true}));
        assert_eq!(deleted.after, None);
    }

    #[test]
    fn a_long_value_is_noted_by_its_hash_and_beginning() {
        let long = "ä".repeat(2_000);
        let noted = Noted(json!({"long": long, "short": "ä"}));
        let created = EntryContent::created(OrganizationEvent::PolicySet, &noted);
        let after = created.after.unwrap().0.0;
        assert_eq!(after["short"], "ä");
        assert_eq!(after["long"]["sha256"], digest(&format!("\"{long}\"")));
        let beginning = after["long"]["beginning"]
            .as_str()
            .unwrap();
        assert_eq!(beginning.chars().count(), FieldChange::MOST);
    }
}
