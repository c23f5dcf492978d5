//! Notifications of users, and the kinds that each user wants.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    ops::Not,
};

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, OneOfBuilder, Ref, RefOr, Schema},
};

use crate::{
    base::{
        AnyOf, CommentId, FaultCode, Id, NotificationId, NotificationSubject, OrganizationId,
        Timestamp, UserId,
        input::{
            self, BoundedList, Field, Fields, Input, InputPlace, PatchField, Property, Reading,
            at_least_one, object_schema, one_of_two,
        },
        span,
    },
    input, names, plain_text,
};

names! {
    /// The kind of a notification.
    pub enum NotificationKind = "a kind of notification" {
        Mentioned: "A comment, a message or a description names the user as `@username`.",
        ActionNeeded: "A manual action of the agent was handed over to the user.",
        Assigned: "The user became the assignee.",
        ApprovalNeeded: "A proposal of the agent awaits the user's approval.",
        Commented: "A comment or message on what the user created, is assigned to or commented on.",
        DueSoon: "The user's open task is due within 24 hours.",
        Overdue: "The user's open task is past its due date.",
        WebhookDisabled: "The service disabled a webhook.",
        PolicyLoosened: "The agent's policy allows more than before.",
        GuardChanged: "An admin changed what guards the organization.",
    }
}

impl NotificationKind {
    /// Returns true for a kind that comes by mail unless the user chose otherwise.
    const fn is_usually_mailed(self) -> bool {
        use NotificationKind::{
            ActionNeeded, ApprovalNeeded, GuardChanged, Mentioned, PolicyLoosened,
        };
        matches!(
            self,
            Mentioned | ActionNeeded | ApprovalNeeded | GuardChanged | PolicyLoosened
        )
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Notification {
    /// Unique for the user, and increasing with `at`.
    pub id: String,
    pub organization_id: OrganizationId,
    pub user_id: UserId,
    /// The kind. Every item has an attribute `kind` of its own.
    #[serde(rename = "notificationKind")]
    pub kind: NotificationKind,
    pub at: Timestamp,
    /// The user who acted; none for the service itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<UserId>,
    /// The id of the write that caused it; none for a reminder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause_write: Option<String>,
    pub subject: NotificationSubject,
    /// The comment whose text the excerpt is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment_id: Option<CommentId>,
    /// The beginning of a text, on one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// True if the text is an internal note's.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub internal: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_at: Option<Timestamp>,
}

impl Notification {
    /// Milliseconds for which a notification is kept.
    pub const KEPT: i64 = 90 * span::DAY;

    /// Returns the id of a notification that is made at an instant. It sorts by time. `cause` names
    /// what the notification follows from.
    pub fn id_of(at: Timestamp, cause: &str) -> String {
        format!("{}-{cause}", Self::beginning_at(at))
    }

    /// Returns the beginning of the ids of an instant.
    pub fn beginning_at(at: Timestamp) -> String {
        format!("{:013}", at.millis())
    }

    /// Returns the cause in an id. `None` for another text.
    pub fn cause_in(id: &str) -> Option<&str> {
        id.split_once('-')
            .map(|(_, cause)| cause)
    }
}

input! {
    pub struct NotificationFilter {
        /// `true` for notifications that were not read, `false` for the others.
        unread: Option<bool>,
        kind: Option<AnyOf<NotificationKind>>,
    }

    /// Notifications that were read: some of them, or all up to an instant.
    pub struct NotificationsRead {
        /// Their ids. Others than the caller's are ignored.
        ids: Option<BoundedList<NotificationId, 1, 50>>,
        /// The `at` of the newest one that was read. All notifications of this instant, and all
        /// before it, count as read.
        before: Option<Timestamp>,
    }
    check(ids, before) one_of_two("ids", ["Send either `ids` or `before`."; 2]);
    schema any_given(ids, before);
    example {"before": "2026-01-15T12:00:00Z"};

    pub struct Unsubscribe {
        /// The text of the link.
        link: SignedLink,
    }

    /// The places where a user is to get a kind: at least one field. A mail needs the inbox.
    pub struct NotificationChannelsSet {
        /// True for the inbox; false means no mail either.
        inbox: PatchField<bool>,
        /// True for a mail, too, which brings it into the inbox as well.
        mail: PatchField<bool>,
    }
    needs any;
    check(inbox, mail) mail_needs_the_inbox;
    example {"inbox": true, "mail": false};
}

/// The places where a user gets a kind of notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct NotificationChannels {
    /// True if the user gets it.
    inbox: bool,
    /// True if it comes by mail, too: to a verified address, if the deployment sends mail.
    mail: bool,
}

/// The kinds of notifications that a user gets, and by what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotificationPreferences {
    /// The kinds that the user switched off.
    pub off: BTreeSet<NotificationKind>,
    /// The kinds for which the user chose to get mails, or none.
    pub mail: BTreeMap<NotificationKind, bool>,
}

impl NotificationPreferences {
    /// Returns true if the user gets the kind by mail. There is no mail of a kind that is off.
    pub fn mails(&self, kind: NotificationKind) -> bool {
        let chosen = self.mail.get(&kind).copied();
        !self.off.contains(&kind) && chosen.unwrap_or(kind.is_usually_mailed())
    }

    pub fn set(&mut self, sent: &NotificationPreferencesSet) {
        for (kind, channels) in &sent.0 {
            if let PatchField::Set(mail) = channels.mail {
                self.mail.insert(*kind, mail);
            }
            match (&channels.inbox, &channels.mail) {
                (PatchField::Set(false), _) => self.off.insert(*kind),
                (PatchField::Set(true), _) | (_, PatchField::Set(true)) => self.off.remove(kind),
                _ => false,
            };
        }
    }
}

/// The channels by kind.
impl Serialize for NotificationPreferences {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let channels = |kind: &NotificationKind| {
            let inbox = !self.off.contains(kind);
            let mail = self.mails(*kind);
            (kind.name(), NotificationChannels { inbox, mail })
        };
        serializer.collect_map(
            NotificationKind::ALL
                .iter()
                .map(channels),
        )
    }
}

impl PartialSchema for NotificationPreferences {
    fn schema() -> RefOr<Schema> {
        let about = "For each kind of notification, where the user gets it.";
        let mut object = ObjectBuilder::new()
            .description(Some(about))
            .examples([serde_json::json!(Self::default())]);
        for kind in NotificationKind::ALL {
            let channels = Ref::from_schema_name(NotificationChannels::name());
            object = object
                .property(kind.name(), channels)
                .required(kind.name());
        }
        object.into()
    }
}

impl ToSchema for NotificationPreferences {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        let name = NotificationChannels::name().into();
        schemas.push((name, NotificationChannels::schema()));
    }
}

fn mail_needs_the_inbox(
    inbox: Reading<&PatchField<bool>>,
    mail: Reading<&PatchField<bool>>,
    body: &mut InputPlace<'_>,
) {
    if let (Some(PatchField::Set(false)), Some(PatchField::Set(true))) = (inbox, mail) {
        let detail = "A kind that is off has no mail. Send `inbox` as true, or leave it out.";
        body.at("mail")
            .report(FaultCode::Combination, detail);
    }
}

/// A change of preferences: at least one kind. The others keep their values.
#[derive(Clone, Debug)]
pub struct NotificationPreferencesSet(BTreeMap<NotificationKind, NotificationChannelsSet>);

impl NotificationPreferencesSet {
    /// Returns the change that ends the mails of some kinds.
    pub fn without_mail(kinds: impl IntoIterator<Item = NotificationKind>) -> Self {
        let without_mail = NotificationChannelsSet {
            inbox: PatchField::Keep,
            mail: PatchField::Set(false),
        };
        let kinds = kinds.into_iter();
        Self(
            kinds
                .map(|kind| (kind, without_mail.clone()))
                .collect(),
        )
    }
}

impl Field for NotificationPreferencesSet {
    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        Self::read_object(place.object(value)?, place)
    }

    fn field_schema() -> RefOr<Schema> {
        input::reference("NotificationPreferencesSet")
    }

    fn field_schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        let properties = Self::properties();
        let rules = input::any_sent(&properties);
        let example = serde_json::json!({"commented": {"mail": true}, "due_soon": false});
        let about = "A change of preferences: at least one kind. The others keep their values.";
        let schema = object_schema(properties, &rules, Some(example), &[about]);
        schemas.push(("NotificationPreferencesSet".to_owned(), schema));
        NotificationChannelsSet::field_schemas(schemas);
    }
}

impl Input for NotificationPreferencesSet {
    fn read_object(object: &Fields, place: &mut InputPlace<'_>) -> Reading<Self> {
        at_least_one(object, &Self::names(), place);
        place.known_members(object, Self::names);
        let kinds = NotificationKind::ALL.iter();
        let sent = kinds.filter_map(|kind| Some((*kind, object.get(kind.name())?)));
        let read = sent.map(|(kind, value)| {
            // `true` is the inbox without mail, and `false` neither.
            let read = match (value, PatchField::Set(false)) {
                (Value::Bool(inbox), mail) => Some(NotificationChannelsSet {
                    inbox: PatchField::Set(*inbox),
                    mail,
                }),
                (other, _) => NotificationChannelsSet::read(other, &mut place.at(kind.name())),
            };
            Some((kind, read?))
        });
        // Each fault is reported.
        let read: Vec<_> = read.collect();
        read.into_iter()
            .collect::<Option<_>>()
            .map(Self)
    }

    fn properties() -> Vec<Property> {
        let kinds = NotificationKind::ALL.iter();
        let property = |kind: &NotificationKind| Property {
            name: kind.name().to_owned(),
            required: false,
            schema: OneOfBuilder::new()
                .item(bool::field_schema())
                .item(NotificationChannelsSet::field_schema())
                .into(),
        };
        kinds.map(property).collect()
    }
}

plain_text! {
    /// A signed link that ends mails.
    SignedLink, r"^[A-Za-z0-9._~-]+$", 400, "1.4.mentioned.b2YgYSBtYWls", is_of_a_link,
    "the link of a mail";
}

fn is_of_a_link(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"._~-".contains(&byte);
    !text.is_empty() && text.bytes().all(is_part)
}

/// The content of a link that ends the mails of some kinds for a user, as `1.4.mentioned~assigned`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsubscription {
    pub organization_id: OrganizationId,
    pub user_id: UserId,
    pub kinds: BTreeSet<NotificationKind>,
}

impl Unsubscription {
    /// Parses the content of a link. `None` for another text.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '.');
        let mut number = || parts.next()?.parse().ok();
        let (organization, user) = (number()?, number()?);
        let kinds = parts.next()?.split('~').map(|name| {
            let mut kinds = NotificationKind::ALL.iter().copied();
            kinds.find(|kind| kind.name() == name)
        });
        Some(Self {
            organization_id: OrganizationId::new(organization)?,
            user_id: UserId::new(user)?,
            kinds: kinds.collect::<Option<_>>()?,
        })
    }
}

impl fmt::Display for Unsubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<&str> = self
            .kinds
            .iter()
            .map(|kind| kind.name())
            .collect();
        let organization = self.organization_id;
        let user = self.user_id;
        write!(f, "{organization}.{user}.{}", kinds.join("~"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_sort_by_time_and_name_their_cause() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let first = Notification::id_of(at("2001-01-01T00:00:00Z"), "task-9-1");
        let second = Notification::id_of(at("2026-01-15T12:00:00Z"), "comment-5-1");
        assert_eq!(second, "1768478400000-comment-5-1");
        assert!(first < second, "{first}");
        assert_eq!(Notification::cause_in(&second), Some("comment-5-1"));
        assert_eq!(Notification::cause_in("x"), None);
    }

    #[test]
    fn kinds_are_on_and_some_are_mailed_until_the_user_chooses() {
        let mut preferences = NotificationPreferences::default();
        let shown = json!(preferences);
        let both = |inbox, mail| json!({"inbox": inbox, "mail": mail});
        let count = shown.as_object().unwrap().len();
        assert_eq!(count, NotificationKind::ALL.len());
        let mailed = [
            "mentioned",
            "action_needed",
            "approval_needed",
            "guard_changed",
            "policy_loosened",
        ];
        for kind in NotificationKind::ALL {
            let name = kind.name();
            assert_eq!(shown[name], both(true, mailed.contains(&name)), "{name}");
        }
        let cases = [
            (json!({"due_soon": false}), "due_soon", false, false),
            (json!({"due_soon": {"mail": true}}), "due_soon", true, true),
            (
                json!({"due_soon": {"inbox": false}}),
                "due_soon",
                false,
                false,
            ),
            (json!({"due_soon": {"inbox": true}}), "due_soon", true, true),
            // The form of old clients.
            (json!({"mentioned": true}), "mentioned", true, false),
            (
                json!({"assigned": {"inbox": true, "mail": true}}),
                "assigned",
                true,
                true,
            ),
        ];
        for (sent, kind, inbox, mail) in cases {
            preferences.set(&input::from_value(&sent).unwrap());
            assert_eq!(json!(preferences)[kind], both(inbox, mail), "{sent}");
        }
        preferences.set(&NotificationPreferencesSet::without_mail([
            NotificationKind::Assigned,
        ]));
        assert_eq!(json!(preferences)["assigned"], both(true, false));
    }

    #[test]
    fn an_unsubscription_reads_as_it_was_written() {
        let of = Unsubscription {
            organization_id: OrganizationId::new(1).unwrap(),
            user_id: UserId::new(4).unwrap(),
            kinds: BTreeSet::from([NotificationKind::Assigned, NotificationKind::Mentioned]),
        };
        assert_eq!(of.to_string(), "1.4.mentioned~assigned");
        assert_eq!(Unsubscription::parse(&of.to_string()), Some(of));
        for other in "|1.4|1.4.|1.4.other|0.4.mentioned|1.4.mentioned~".split('|') {
            assert_eq!(Unsubscription::parse(other), None, "{other}");
        }
    }

    #[test]
    fn preferences_have_at_least_one_kind_and_no_null() {
        let faults = |sent: Value| {
            let faults = input::from_value::<NotificationPreferencesSet>(&sent).unwrap_err();
            let pointers = faults
                .into_iter()
                .map(|fault| fault.pointer);
            pointers.collect::<Vec<_>>()
        };
        assert_eq!(faults(json!({"dueSoon": true})), [""]);
        let wrong = json!({"due_soon": null, "overdue": 1});
        assert_eq!(faults(wrong), ["/due_soon", "/overdue"]);
        assert_eq!(faults(json!([])), [""]);
        assert_eq!(faults(json!({"overdue": {}})), ["/overdue"]);
        let without = json!({"overdue": {"inbox": false, "mail": true}});
        assert_eq!(faults(without), ["/overdue/mail"]);
    }
}
