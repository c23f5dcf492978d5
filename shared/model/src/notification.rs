//! Notifications of users, and the kinds that each user wants.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Not,
};

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, Ref, RefOr, Schema, schema::Type},
};

use crate::{
    AnyOf, CommentId, FaultCode, NotificationId, NotificationSubject, OrganizationId, Timestamp,
    UserId, input,
    input::{Field, Fields, Input, List, Place, Property, Reading, at_least_one, object_schema},
    names::names,
    span,
};

names! {
    /// The kind of a notification.
    pub enum NotificationKind = "a kind of notification" {
        /// A comment, a message or a description names the user as `@username`.
        Mentioned,
        /// A manual action of the agent was handed over to the user.
        ActionNeeded,
        /// The user became the assignee.
        Assigned,
        /// A proposal of the agent awaits the user's approval.
        ApprovalNeeded,
        /// A comment or message on what the user created, is assigned to or commented on.
        Commented,
        /// The user's open task is due within 24 hours.
        DueSoon,
        /// The user's open task is past its due date.
        Overdue,
        /// The service disabled a webhook.
        WebhookDisabled,
        /// The agent's policy allows more than before.
        PolicyLoosened,
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

    /// Returns the id of a notification that is made at an instant. It sorts by time. `cause` names what
    /// the notification follows from.
    pub fn id_of(at: Timestamp, cause: &str) -> String {
        format!("{}-{cause}", Self::beginning_at(at))
    }

    /// Returns the beginning of the ids of an instant.
    pub fn beginning_at(at: Timestamp) -> String {
        format!("{:013}", at.millis())
    }

    /// Returns the cause in an id. `None` for another text.
    pub fn cause_in(id: &str) -> Option<&str> {
        id.split_once('-').map(|(_, cause)| cause)
    }
}

input! {
    pub struct NotificationFilter {
        /// `true` for notifications that were not read, `false` for the others.
        unread: Option<bool>,
        kind: Option<AnyOf<NotificationKind>>,
    }
}

input! {
    /// Notifications that were read: some of them, or all up to an instant.
    pub struct NotificationsRead {
        /// Their ids. Others than the caller's are ignored.
        ids: Option<List<NotificationId, 1, 50>>,
        /// The `at` of the newest one that was read. All notifications of this instant, and all before
        /// it, count as read.
        before: Option<Timestamp>,
    }
    check(ids, before) one_of_both;
    schema any_given(ids, before);
    example {"before": "2026-01-15T12:00:00Z"};
}

fn one_of_both(
    ids: Reading<&Option<List<NotificationId, 1, 50>>>,
    before: Reading<&Option<Timestamp>>,
    body: &mut Place<'_>,
) {
    let detail = "Send either `ids` or `before`.";
    match (ids, before) {
        (Some(None), Some(None)) => body.report(FaultCode::Required, detail),
        (Some(Some(_)), Some(Some(_))) => body.at("ids").report(FaultCode::Combination, detail),
        _ => {}
    }
}

/// The kinds of notifications that a user gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotificationPreferences {
    /// The kinds that the user switched off.
    pub off: BTreeSet<NotificationKind>,
}

impl NotificationPreferences {
    pub fn set(&mut self, sent: &NotificationPreferencesSet) {
        for (kind, is_on) in &sent.0 {
            if *is_on {
                self.off.remove(kind);
            } else {
                self.off.insert(*kind);
            }
        }
    }
}

/// `true` or `false` by kind.
impl Serialize for NotificationPreferences {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kinds = NotificationKind::ALL.iter();
        serializer.collect_map(kinds.map(|kind| (kind.name(), !self.off.contains(kind))))
    }
}

impl PartialSchema for NotificationPreferences {
    fn schema() -> RefOr<Schema> {
        let mut object = ObjectBuilder::new()
            .description(Some(
                "For each kind of notification, whether the user gets it.",
            ))
            .examples([serde_json::json!(Self::default())]);
        for kind in NotificationKind::ALL {
            let is_on = ObjectBuilder::new().schema_type(Type::Boolean);
            object = object.property(kind.name(), is_on).required(kind.name());
        }
        object.into()
    }
}

impl ToSchema for NotificationPreferences {
    fn name() -> std::borrow::Cow<'static, str> {
        "NotificationPreferences".into()
    }
}

/// A change of preferences: at least one kind. The others keep their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationPreferencesSet(BTreeMap<NotificationKind, bool>);

impl Field for NotificationPreferencesSet {
    fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        match value.as_object() {
            Some(object) => Self::read_object(object, place),
            None => place.wrong(value, "an object"),
        }
    }

    fn field_schema() -> RefOr<Schema> {
        Ref::from_schema_name("NotificationPreferencesSet").into()
    }

    fn field_schemas(all: &mut Vec<(String, RefOr<Schema>)>) {
        let properties = Self::properties();
        let rules = input::any_sent(&properties);
        let example = serde_json::json!({"commented": false, "due_soon": true});
        let about = "A change of preferences: at least one kind. The others keep their values.";
        let schema = object_schema(properties, &rules, Some(example), &[about]);
        all.push(("NotificationPreferencesSet".to_owned(), schema));
    }
}

impl Input for NotificationPreferencesSet {
    fn read_object(object: &Fields, place: &mut Place<'_>) -> Reading<Self> {
        at_least_one(object, &Self::names(), place);
        let kinds = NotificationKind::ALL.iter();
        let sent = kinds.filter_map(|kind| Some((*kind, object.get(kind.name())?)));
        let read = sent.map(|(kind, value)| {
            let is_on = bool::read(value, &mut place.at(kind.name()))?;
            Some((kind, is_on))
        });
        // Each fault is reported.
        let read: Vec<_> = read.collect();
        read.into_iter().collect::<Option<_>>().map(Self)
    }

    fn properties() -> Vec<Property> {
        let kinds = NotificationKind::ALL.iter();
        let property = |kind: &NotificationKind| Property {
            name: kind.name().to_owned(),
            required: false,
            schema: bool::field_schema(),
        };
        kinds.map(property).collect()
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
    fn all_kinds_are_on_until_they_are_switched_off() {
        let mut preferences = NotificationPreferences::default();
        assert_eq!(json!(preferences)["due_soon"], true);
        let sent = json!({"due_soon": false, "mentioned": true});
        preferences.set(&input::from_value(&sent).unwrap());
        let shown = json!(preferences);
        assert_eq!(shown["due_soon"], false);
        assert_eq!(shown["mentioned"], true);
        assert_eq!(
            shown.as_object().unwrap().len(),
            NotificationKind::ALL.len()
        );
        let back = input::from_value(&json!({"due_soon": true})).unwrap();
        preferences.set(&back);
        assert_eq!(preferences, NotificationPreferences::default());
    }

    #[test]
    fn preferences_have_at_least_one_kind_and_no_null() {
        let faults = |sent: Value| {
            let faults = input::from_value::<NotificationPreferencesSet>(&sent).unwrap_err();
            let pointers = faults.into_iter().map(|fault| fault.pointer);
            pointers.collect::<Vec<_>>()
        };
        assert_eq!(faults(json!({"dueSoon": true})), [""]);
        assert_eq!(
            faults(json!({"due_soon": null, "overdue": 1})),
            ["/due_soon", "/overdue"]
        );
        assert_eq!(faults(json!([])), [""]);
    }
}
