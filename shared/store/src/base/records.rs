//! Records of the table that `model` does not have: indexes by name, counters, cleanups and other
//! work, and partial views of an item.
//!
//! They are together so that [`key`](crate::key) can name them. Each resource's file says how its
//! records are keyed, with `record!`.

use std::collections::{BTreeMap, BTreeSet};

use agent::{action::AgentAction, connection::Excerpt, session::AgentSession};
use model::{
    base::{
        AgentSessionId, AlertId, CustomerId, Deleted, ExternalId, Fingerprint, InvitationId,
        JsonText, OrganizationId, ProjectId, RecordName, RecordType, ReferenceId, ReferenceType,
        Reminded, SearchedType, SourceName, TagId, Talk, Timestamp, TokenId, UserId,
    },
    people::{CustomerDomain, OrganizationHead, PasswordHash, PasswordSignIn},
    updates::{FeedEntry, NotificationKind, NotificationPreferences},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use table::Stored;

/// The schema: [`Record`](table::Record) is implemented for it, since that trait and most records
/// are of other crates.
#[derive(Clone, Copy, Debug)]
pub struct Workdesk;

/// The head of an organization's journal, as read; none for a journal without entries.
pub type ReadHead = Option<Stored<OrganizationHead>>;

/// Declares items as the table stores them.
macro_rules! items {
    ($($item:item)*) => {$(
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        $item
    )*};
}

items! {
    /// The author of a record's last write, in the attribute `writtenBy`. An item without one was
    /// written by the service itself, by the operator, or before authors were kept.
    #[derive(Copy, PartialEq, Eq)]
    pub(crate) struct Author {
        pub(crate) user_id: UserId,
        /// The token of the request, if it showed one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) token_id: Option<TokenId>,
    }

    /// Entries of the change feed that were appended together.
    pub(crate) struct FeedBatch {
        pub(crate) organization_id: OrganizationId,
        /// The end of the batch before, under which it is written.
        pub(crate) follows: i64,
        /// The number of the first entry. The others follow it.
        pub(crate) first: i64,
        /// The number after that of the last entry.
        pub(crate) end: i64,
        pub(crate) entries: Vec<FeedEntry>,
        /// The instant of the append.
        pub(crate) at: Timestamp,
    }

    /// The start of an organization's change feed, since its last batch before expired.
    pub(crate) struct FeedStart {
        pub(crate) organization_id: OrganizationId,
        /// The number of its first entry.
        pub(crate) first: i64,
        /// Raised by each restart, to its instant in milliseconds. Cursors of another epoch have
        /// expired.
        #[serde(default)]
        pub(crate) epoch: i64,
    }

    /// A record in the search index. It is written last of the index, so that it has the state of
    /// the whole index. A deleted record's stays for some time: no late delivery adds the record
    /// again.
    pub(crate) struct IndexedRecord {
        pub(crate) organization_id: OrganizationId,
        #[serde(rename = "type")]
        pub(crate) kind: SearchedType,
        pub(crate) id: i64,
        pub(crate) record_version: i64,
        /// The id as ` #17 `, then each word of the record with a space before it.
        pub(crate) words: String,
        /// The project of the record, or the project itself.
        pub(crate) project_id: Option<ProjectId>,
        /// The record that a comment or a message is on.
        pub(crate) parent: Option<RecordName>,
        /// Of a message: true for an internal note.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) internal: Option<bool>,
        pub(crate) created_at: Timestamp,
        pub(crate) updated_at: Timestamp,
        /// The instant of the delete. A deleted record has no words.
        pub(crate) deleted_at: Option<Timestamp>,
    }

    pub(crate) struct IndexedWord {
        pub(crate) organization_id: OrganizationId,
        pub(crate) word: String,
        #[serde(rename = "type")]
        pub(crate) kind: SearchedType,
        pub(crate) id: i64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) internal: Option<bool>,
    }

    /// The user of a username. Sign-in reads it without knowing the organization.
    pub struct Account {
        /// The username, case-folded, which is its key.
        pub username: String,
        pub organization_id: OrganizationId,
        pub user_id: UserId,
        pub password_hash: PasswordHash,
        /// The issuer of the provider by which the user signs in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) issuer: Option<String>,
    }

    /// The user of a provider's subject.
    pub(crate) struct SubjectHolder {
        pub(crate) organization_id: OrganizationId,
        /// SHA-256 of issuer and subject, which is its key.
        pub(crate) hash: String,
        pub(crate) user_id: UserId,
    }

    /// An organization's provider, as a sign-in finds it without knowing the organization.
    pub(crate) struct ListedProvider {
        pub(crate) organization_id: OrganizationId,
        pub(crate) issuer: String,
        pub(crate) passwords: PasswordSignIn,
        /// The admins who sign in by password all the same.
        #[serde(default)]
        pub(crate) password_admins: Vec<UserId>,
        /// The users of the organization when the provider was set, and those that a sign-in made
        /// since.
        pub(crate) users: i64,
        /// The users who signed in by this issuer.
        pub(crate) bound: i64,
        /// When its discovery document and keys were last read. None before version 2.1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) discovered_at: Option<Timestamp>,
        /// When an instance last began to read them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) discovery_tried_at: Option<Timestamp>,
        /// Until when sign-ins do not call the provider, since it did not answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) silent_until: Option<Timestamp>,
    }

    /// The state of a sign-in by a provider, once its callback was called.
    pub(crate) struct UsedState {
        /// SHA-256 of the state, which is its key.
        pub(crate) hash: String,
        pub(crate) ends_at: Timestamp,
    }

    /// The sign-ins to an account from a network. Neither needs to exist.
    #[derive(Default)]
    pub(crate) struct Failures {
        pub(crate) subject: String,
        /// The last one that succeeded.
        pub(crate) signed_in_at: Option<Timestamp>,
        /// The start of each of the newest ten, oldest first.
        pub(crate) at: Vec<Timestamp>,
        /// The start of each attempt that is still being verified. It counts as a failure until
        /// then, so that guesses sent all at once count as well.
        #[serde(default)]
        pub(crate) pending: Vec<Timestamp>,
    }

    /// The failed sign-ins of a quarter of an hour: to all accounts from a network, or to an
    /// account from all networks.
    pub(crate) struct FailureCount {
        pub(crate) subject: String,
        /// The start of the quarter.
        pub(crate) quarter: Timestamp,
        pub(crate) failures: i64,
        pub(crate) last_at: Timestamp,
        /// The account's user with the organization; none of a network and of an unknown account.
        pub(crate) organization_id: Option<OrganizationId>,
        pub(crate) user_id: Option<UserId>,
    }

    /// The owner of an access token, by the token's hash. It is read without knowing the
    /// organization.
    pub struct TokenHolder {
        /// SHA-256 of the token.
        pub(crate) hash: String,
        pub organization_id: OrganizationId,
        pub user_id: UserId,
        /// The token's place among the owner's.
        pub(crate) place: i64,
        pub(crate) ends_at: Timestamp,
    }

    /// The item that a deleted organization leaves.
    pub(crate) struct Tombstone {
        pub(crate) id: OrganizationId,
        pub(crate) deleted_at: Timestamp,
    }

    /// The invitation that was sent to an address last. All others of the address are dead.
    pub(crate) struct InvitedAddress {
        pub(crate) organization_id: OrganizationId,
        /// SHA-256 of the address in lower case, which is its key.
        pub(crate) hash: String,
        pub(crate) invitation_id: InvitationId,
        pub(crate) ends_at: Timestamp,
    }

    /// The user of an address in one organization.
    pub(crate) struct EmailHolder {
        /// The address in lower case, which is its key.
        pub(crate) email: String,
        pub(crate) organization_id: OrganizationId,
        pub(crate) user_id: UserId,
    }

    /// The mails of one kind in a period.
    pub(crate) struct MailCount {
        /// SHA-256 of what they are of or from, in hexadecimal.
        pub(crate) subject: String,
        /// The start of the period.
        pub(crate) since: Timestamp,
        pub(crate) count: i64,
    }

    /// A request that was done, by its idempotency key.
    pub(crate) struct Attempted {
        pub(crate) organization_id: OrganizationId,
        pub(crate) user_id: UserId,
        pub(crate) idempotency_key: String,
        /// The signed hash of the request.
        pub(crate) fingerprint: String,
        /// The id of the record that it created, if it created one.
        pub(crate) made: Option<i64>,
        pub(crate) at: Timestamp,
        /// The id of its write, which the table adds to the item.
        #[serde(default, skip_serializing)]
        pub(crate) write_id: Option<String>,
    }

    /// The service requests and tickets that were resolved on one day (UTC).
    pub(crate) struct Day {
        pub(crate) organization_id: OrganizationId,
        /// The day, as `2026-01-31`.
        pub(crate) date: String,
        /// The number of those that were not reopened since.
        pub(crate) count: i64,
        /// Milliseconds from creation to resolution, summed over them.
        pub(crate) millis: i64,
    }

    /// A project or an organization, as reference search reads it: small, so that a search costs
    /// little.
    pub(crate) struct Reference {
        pub(crate) organization_id: OrganizationId,
        pub(crate) refers_to: ReferenceType,
        pub(crate) id: ReferenceId,
        /// The words of the title, case-folded, each with a space before it: it contains ` ac` if
        /// and only if a word begins with `ac`.
        pub(crate) words: String,
        pub(crate) created_at: Timestamp,
    }

    /// The tag of a name. It is written and deleted in one transaction with the tag.
    pub(crate) struct NameOfTag {
        pub(crate) organization_id: OrganizationId,
        /// The name as a key.
        pub(crate) name: String,
        pub(crate) tag_id: TagId,
    }

    /// The customer of a name. It is written in one transaction with the customer.
    pub(crate) struct NameOfCustomer {
        pub(crate) organization_id: OrganizationId,
        /// The name as a key.
        pub(crate) name: String,
        pub(crate) customer_id: CustomerId,
    }

    /// The customer of a domain. It is written in one transaction with the customer.
    pub(crate) struct DomainOfCustomer {
        pub(crate) organization_id: OrganizationId,
        pub(crate) domain: CustomerDomain,
        pub(crate) customer_id: CustomerId,
    }

    /// A member of a project.
    pub(crate) struct ProjectMember {
        pub(crate) organization_id: OrganizationId,
        pub(crate) project_id: ProjectId,
        pub(crate) user_id: UserId,
        pub(crate) added_at: Timestamp,
        /// None if the service itself added the user.
        pub(crate) added_by: Option<UserId>,
    }

    /// The tags of a record. For some time, they include deleted tags.
    pub(crate) struct Tags {
        #[serde(default)]
        pub(crate) project_id: Option<ProjectId>,
        #[serde(default)]
        pub(crate) created_at: Option<Timestamp>,
        #[serde(default)]
        pub(crate) tag_ids: BTreeSet<TagId>,
    }

    #[derive(Default)]
    #[serde(default)]
    pub(crate) struct Inbox {
        /// The kinds that make no notification.
        pub(crate) off: BTreeSet<NotificationKind>,
        /// The kinds for which the user chose to get mails, or none.
        pub(crate) mail: BTreeMap<NotificationKind, bool>,
        /// All notifications up to this instant are read.
        pub(crate) read_before: Option<Timestamp>,
        /// The instant at which the user said so.
        pub(crate) read_before_at: Option<Timestamp>,
    }

    /// A visit of the sweeper, which notifies users if the record still gives reason for it.
    pub struct Reminder {
        pub(crate) organization_id: OrganizationId,
        pub(crate) of: Reminded,
        /// The version of the record from which it follows.
        pub(crate) of_version: i64,
        /// The instant of the visit. Without one, the item only keeps an older version from coming
        /// back.
        pub(crate) due_at: Option<Timestamp>,
        pub(crate) at: Timestamp,
    }

    pub(crate) struct NotifiedChange {
        pub(crate) organization_id: OrganizationId,
        pub(crate) cause: String,
        pub(crate) at: Timestamp,
    }

    /// A user who takes part in a thread, since they wrote in it.
    #[derive(Copy)]
    pub(crate) struct Participant {
        pub(crate) organization_id: OrganizationId,
        pub(crate) talk: Talk,
        pub(crate) user_id: UserId,
        /// The user's first comment or message.
        pub(crate) first_id: i64,
        pub(crate) at: Timestamp,
    }

    /// Work that is left to do after a delete.
    pub(crate) struct Cleanup {
        pub(crate) organization_id: OrganizationId,
        pub(crate) subject: Deleted,
        #[serde(default)]
        pub(crate) deleted_by: Option<UserId>,
        /// The id of the write that deleted it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) deleting_write: Option<String>,
        pub(crate) due_at: Timestamp,
        #[serde(default)]
        pub(crate) walked: Option<Walked>,
        /// The number of failures in a row.
        #[serde(default)]
        pub(crate) failures: u32,
    }

    /// A delete whose [`Cleanup`] is done.
    pub(crate) struct Deletion {
        pub(crate) organization_id: OrganizationId,
        pub(crate) subject: Deleted,
        pub(crate) deleted_by: Option<UserId>,
        /// The id of the write that deleted it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) deleting_write: Option<String>,
        /// The end of the cleanup.
        pub(crate) at: Timestamp,
    }

    /// The alert of a reporter's id.
    pub(crate) struct AlertSource {
        pub(crate) organization_id: OrganizationId,
        pub(crate) source: SourceName,
        pub(crate) external_id: ExternalId,
        pub(crate) alert_id: AlertId,
    }

    /// The last opened firing of a series. Reports leave no other one open.
    #[derive(PartialEq, Eq)]
    pub(crate) struct AlertSeries {
        pub(crate) organization_id: OrganizationId,
        pub(crate) source: SourceName,
        pub(crate) series: Fingerprint,
        pub(crate) alert_id: AlertId,
        /// Its start, by the reporter's clock.
        pub(crate) starts_at: Timestamp,
    }

    /// The occurrences of a class of alerts on one day (UTC).
    pub(crate) struct AlertDay {
        pub(crate) organization_id: OrganizationId,
        pub(crate) signal_type: String,
        /// The start of the day.
        pub(crate) day: Timestamp,
        /// Occurrences in the form of
        /// [`Occurrence::within_day`](agent::pattern::Occurrence::within_day). At most
        /// [`MOST_AN_HOUR`](agent::pattern::Occurrence::MOST_AN_HOUR) of each hour, and those that
        /// concurrent writes add.
        #[serde(default)]
        pub(crate) occurrences: Vec<i64>,
    }

    /// The instant since which an organization's alerts are recorded.
    pub(crate) struct AlertsSince {
        pub(crate) organization_id: OrganizationId,
        pub(crate) since: Timestamp,
    }

    /// The session of an alert: the item through which an alert finds its sessions.
    pub(crate) struct SessionOfAlert {
        pub(crate) organization_id: OrganizationId,
        pub(crate) alert_id: AlertId,
        pub(crate) session_id: AgentSessionId,
        pub(crate) created_at: Timestamp,
    }

    /// An excerpt of a target system's answer.
    pub(crate) struct KeptExcerpt {
        pub(crate) organization_id: OrganizationId,
        pub(crate) session_id: AgentSessionId,
        /// The action whose steps or journal name it; none if the session names it.
        pub(crate) action_id: Option<String>,
        /// The [hash](Excerpt::hash) by which it is named.
        pub(crate) hash: String,
        pub(crate) excerpt: JsonText<Excerpt>,
        pub(crate) at: Timestamp,
    }
}

/// The project of any record that has one.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Located {
    pub(crate) project_id: Option<ProjectId>,
    pub(crate) created_at: Option<Timestamp>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SearchedText {
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    /// The text of a comment or a message.
    pub(crate) content: Option<String>,
    pub(crate) status: Option<String>,
    pub(crate) project_id: Option<ProjectId>,
    pub(crate) created_at: Option<Timestamp>,
    /// Messages have none.
    pub(crate) updated_at: Option<Timestamp>,
    /// Of a comment that keeps its place in the thread.
    pub(crate) deleted_at: Option<Timestamp>,
    pub(crate) internal: bool,
}

/// The last id that was given out for a kind of record.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Counter {
    pub(crate) last: i64,
}

/// The running totals of an organization. Each is absent until something is added to it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Totals {
    pub(crate) active_projects: i64,
    pub(crate) minutes_saved: i64,
}

/// The deletable records that another one refers to. Any value reads, so that a damaged attribute
/// does not affect the others.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct DeletableNames {
    pub(crate) milestone_id: Value,
    pub(crate) phase_id: Value,
    pub(crate) tag_ids: Value,
}

impl Inbox {
    pub(crate) fn preferences(&self) -> NotificationPreferences {
        NotificationPreferences {
            off: self.off.clone(),
            mail: self.mail.clone(),
        }
    }
}

/// The owner of an account, without its other attributes.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccountOwner {
    pub(crate) organization_id: OrganizationId,
    pub(crate) user_id: UserId,
}

/// The users of any record, and its creation.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Involved {
    pub(crate) created_at: Option<Timestamp>,
    pub(crate) creator_id: Option<UserId>,
    pub(crate) assignee_id: Option<UserId>,
}

/// The attributes that name a record of any type to people.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Titled {
    pub(crate) title: Option<String>,
    /// Of an activity, which has no title.
    pub(crate) description: Option<String>,
    /// Of an agent session.
    pub(crate) signal_type: Option<String>,
    /// Of a webhook.
    pub(crate) url: Option<String>,
    pub(crate) project_id: Option<ProjectId>,
    pub(crate) created_at: Option<Timestamp>,
}

/// The author of a delete and its write, in its [`Cleanup`] or its [`Deletion`].
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Deleter {
    #[serde(default)]
    pub(crate) deleted_by: Option<UserId>,
    #[serde(default)]
    pub(crate) deleting_write: Option<String>,
}

/// The progress of a [`Cleanup`]: the position after which it goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Walked {
    /// Through tasks, up to this position.
    Tasks(String),
    /// Through all tasks, and through activities up to this position, if it has begun with them.
    Activities(Option<String>),
    /// Through all records with tags of the types before this one, and through those of this type
    /// up to this position.
    Tagged(RecordType, Option<String>),
    /// Through comments, up to this position.
    Comments(String),
}

/// Any item of an agent session's partition.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Part {
    AgentSession(Box<AgentSession>),
    AgentAction(Box<AgentAction>),
}

/// The claims of a day (UTC) for which the policy has caps: the number of actions, and the money by
/// currency. Its attributes are only added to and compared, never read.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentDay {}

/// The stack's random name, which is part of idempotency keys. A second stack with the same target
/// systems begins its ids at 1 again, and must not receive the first one's answers. A table that
/// was restored under another name is a second stack, too, until `after-restore` names it here.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stack {
    pub(crate) name: String,
    pub(crate) table: String,
    /// The instant to which the table was put back last, once the counters of ids were raised for
    /// it.
    #[serde(default)]
    pub(crate) restored_to: Option<Timestamp>,
}
