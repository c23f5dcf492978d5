//! The kinds of items of an organization: how each reads, and its part in an export.

use agent::{
    action::{AgentAction, LastOutcome, RecordGuard, Saving},
    alert::Alert,
    connection::{AgentPause, Connection, ConnectionTraffic},
    journal::JournalEntry,
    policy::AgentPolicy,
    session::{AgentSession, PlaybookRuns},
};
use model::{
    base::{HistoryEntry, NamedRecord, named_records},
    people::{
        Customer, Invitation, Link, Organization, OrganizationEntry, OrganizationHead, Scopes,
        Session, SignInEntry, SignInProvider, Tag, Token, User,
    },
    updates::{Mail, Notification, Webhook, WebhookDelivery, WebhookHealth},
    work::{
        Activity, Comment, Milestone, Phase, Project, ServiceRequest, Task, Ticket, TicketMessage,
    },
};
use table::{RawItem, Record, Write};

use crate::{
    Result,
    base::{
        Account, TokenHolder,
        records::{
            AlertDay, AlertSeries, AlertSource, AlertsSince, Attempted, Cleanup, Day, Deletion,
            DomainOfCustomer, EmailHolder, FailureCount, Failures, FeedBatch, FeedStart,
            IndexedRecord, IndexedWord, InvitedAddress, KeptExcerpt, ListedProvider, MailCount,
            NameOfCustomer, NameOfTag, NotifiedChange, Participant, ProjectMember, Reference,
            Reminder, SessionOfAlert, Stack, SubjectHolder, Tombstone, UsedState, Workdesk,
        },
    },
};

/// Reads the record of an item.
type RecordCheck = fn(&RawItem) -> Result<Checked>;

/// Returns the write of the present form. `None` for an item that has it.
type Renewal = fn(&RawItem) -> Result<Option<Write>>;

/// A kind of item.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) export: Export,
    /// `None` for a kind without a record.
    check: Option<RecordCheck>,
    /// `None` for a kind whose attributes are only updated, one by one: sign-ins leave the due work
    /// so.
    renewal: Option<Renewal>,
}

/// The part of a kind in an export.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Export {
    /// The export has its items.
    Has,
    /// The export has its items, which outlive the records that they name.
    Outlives,
    /// The export leaves its items out: they are of the service, are credentials, follow from
    /// others, or end within days.
    LeavesOut,
}

/// The record of an item, compared with the item's keys.
pub(super) struct Checked {
    /// An attribute of a key that the record does not give.
    pub(super) wrong_key: Option<&'static str>,
    /// The records that it names.
    pub(super) named: Vec<NamedRecord>,
}

macro_rules! kinds {
    ($($export:ident: $($record:ident)*;)*) => {
        &[$($(Kind {
            renewal: Some(Write::in_present_form::<Workdesk, $record>),
            ..Kind::updated::<$record>(Export::$export)
        }),*),*]
    };
}

const KINDS: &[Kind] = kinds! {
    Has: Account Activity AgentAction AgentPause AgentPolicy AgentSession Alert AlertDay AlertSeries AlertSource
        AlertsSince Cleanup Comment Connection Customer Day Deletion DomainOfCustomer EmailHolder HistoryEntry Invitation JournalEntry
        KeptExcerpt LastOutcome Milestone NameOfCustomer NameOfTag Organization OrganizationEntry OrganizationHead Phase PlaybookRuns
        Project ProjectMember RecordGuard Reference Saving Scopes ServiceRequest SessionOfAlert SignInProvider SubjectHolder Tag Task
        Ticket TicketMessage User Webhook;
    Outlives: InvitedAddress Notification Participant WebhookDelivery WebhookHealth;
    LeavesOut: Attempted ConnectionTraffic FeedBatch FeedStart IndexedRecord IndexedWord Link ListedProvider Mail
        NotifiedChange Reminder Session Token TokenHolder Tombstone UsedState;
};

/// Kinds whose items get no other form as a whole.
const FORMLESS: [Kind; 9] = [
    Kind::updated::<SignInEntry>(Export::Has),
    Kind::updated::<FailureCount>(Export::LeavesOut),
    Kind::updated::<Failures>(Export::LeavesOut),
    Kind::updated::<MailCount>(Export::LeavesOut),
    Kind::updated::<Stack>(Export::LeavesOut),
    Kind::without_record("inbox", Export::Has),
    Kind::without_record("text", Export::Outlives),
    Kind::without_record("used_quota", Export::LeavesOut),
    Kind::without_record("waiting_calls", Export::LeavesOut),
];

impl Kind {
    /// A kind whose attributes are updated.
    const fn updated<R: Record<Workdesk>>(export: Export) -> Self {
        Self {
            check: Some(checked::<R>),
            ..Self::without_record(R::KIND, export)
        }
    }

    const fn without_record(name: &'static str, export: Export) -> Self {
        Self {
            name,
            export,
            check: None,
            renewal: None,
        }
    }

    /// Returns the kind of that name. `None` for one that this version does not know.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        let mut kinds = KINDS.iter().chain(&FORMLESS);
        kinds.find(|kind| kind.name == name)
    }

    /// Reads the record of an item of the kind.
    pub(super) fn check(&self, item: &RawItem) -> Option<Result<Checked>> {
        self.check.map(|check| check(item))
    }

    /// Returns the write that gives an item of an older form the present one.
    pub(super) fn renewal(&self, item: &RawItem) -> Result<Option<Write>> {
        self.renewal
            .map_or(Ok(None), |renewal| renewal(item))
    }
}

fn checked<R: Record<Workdesk>>(item: &RawItem) -> Result<Checked> {
    let record: R = item.record()?;
    Ok(Checked {
        wrong_key: item.wrong_key::<Workdesk, R>(&record)?,
        named: named_records(&record),
    })
}
