//! Items of older forms, which get the form of this version.
//!
//! An item has an older form if this version writes its record otherwise: without a field, or in
//! other places of the indexes. It reads as before, and changes with its next write. Until then,
//! lists by a new index lack it.

use std::collections::{BTreeMap, BTreeSet};

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
        Invitation, Link, Organization, OrganizationEntry, OrganizationHead, Session, SignInEntry,
        SignInProvider, Tag, Token, User,
    },
    updates::{Mail, Notification, Webhook, WebhookDelivery, WebhookHealth},
    work::{
        Activity, Comment, Milestone, Phase, Project, ServiceRequest, Task, Ticket, TicketMessage,
    },
};
use table::{RawItem, Record, Write};

use crate::{
    Result, Tenant,
    base::{
        Account, TokenHolder,
        records::{
            AlertDay, AlertSeries, AlertSource, AlertsSince, Attempted, Cleanup, Day, Deletion,
            EmailHolder, FailureCount, FeedBatch, FeedStart, IndexedRecord, IndexedWord,
            InvitedAddress, KeptExcerpt, ListedProvider, NameOfTag, NotifiedChange, Participant,
            Reference, Reminder, SessionOfAlert, SubjectHolder, UsedState, Workdesk,
        },
    },
};

use super::{Found, Tenants};

/// Returns the write of the present form; `None` for an item that has it.
type Form = fn(&RawItem) -> Result<Option<Write>>;

/// Reads the record of an item of its kind.
type RecordCheck = fn(&RawItem) -> Result<Checked>;

/// The record of an item, compared with the item's keys.
pub(super) struct Checked {
    /// An attribute of a key that the record does not give.
    pub(super) wrong_key: Option<&'static str>,
    /// The records that it names.
    pub(super) named: Vec<NamedRecord>,
}

macro_rules! forms {
    ($($record:ident)*) => {
        &[$((
            <$record as Record<Workdesk>>::KIND,
            Write::in_present_form::<Workdesk, $record>,
            checked::<$record>,
        )),*]
    };
}

/// The form of each kind of item of an organization.
const FORMS: &[(&str, Form, RecordCheck)] = forms![
    Account Activity AgentAction AgentPause AgentPolicy AgentSession Alert AlertDay AlertSeries AlertSource
    AlertsSince Attempted Cleanup Comment Connection ConnectionTraffic Day Deletion EmailHolder FeedBatch
    FeedStart HistoryEntry IndexedRecord IndexedWord Invitation InvitedAddress JournalEntry KeptExcerpt LastOutcome Link
    ListedProvider Mail Milestone NameOfTag Notification NotifiedChange Organization OrganizationEntry
    OrganizationHead Participant Phase PlaybookRuns Project RecordGuard Reference Reminder Saving
    ServiceRequest Session SessionOfAlert SignInEntry SignInProvider SubjectHolder Tag Task Ticket
    TicketMessage Token TokenHolder UsedState User Webhook WebhookDelivery WebhookHealth
];

/// Kinds of items whose attributes are only updated, one by one. Sign-ins leave the due work so.
const FORMLESS: [&str; 6] = [
    FailureCount::KIND,
    "inbox",
    SignInEntry::KIND,
    "text",
    "used_quota",
    "waiting_calls",
];

/// The forms of an organization's items.
#[derive(Clone, Debug, Default)]
pub struct Forms {
    pub items: usize,
    /// Items of an older form, by kind. A migration rewrote them, but for those that were written
    /// meanwhile.
    pub older: BTreeMap<&'static str, usize>,
    /// Reasons of items that do not read, with their keys.
    pub unreadable: Vec<String>,
    /// Kinds that this version does not know.
    pub unknown: BTreeSet<String>,
}

fn checked<R: Record<Workdesk>>(item: &RawItem) -> Result<Checked> {
    let record: R = item.record()?;
    Ok(Checked {
        wrong_key: item.wrong_key::<Workdesk, R>(&record)?,
        named: named_records(&record),
    })
}

/// Reads the record of an item. `None` for an item of a kind without a record, or of an unknown
/// one.
pub(super) fn check_record(item: &RawItem) -> Option<Result<Checked>> {
    let kind = item.text("kind")?;
    let (.., check) = FORMS
        .iter()
        .find(|(form_kind, ..)| *form_kind == kind)?;
    Some(check(item))
}

impl Forms {
    pub fn older(&self) -> usize {
        self.older.values().sum()
    }

    /// Returns true if all items have the form of this version.
    pub fn are_present(&self) -> bool {
        self.older.is_empty() && self.unreadable.is_empty() && self.unknown.is_empty()
    }

    /// Counts an item. Returns the write that gives it the form of this version, if it has an older
    /// one.
    fn note(&mut self, item: &RawItem) -> Option<Write> {
        self.items += 1;
        // Counters have no kind.
        let kind = item
            .text("kind")
            .filter(|kind| !FORMLESS.contains(kind))?;
        let Some((kind, form, _)) = FORMS
            .iter()
            .find(|(form_kind, ..)| *form_kind == kind)
        else {
            self.unknown.insert(kind.to_owned());
            return None;
        };
        match form(item) {
            Ok(older) => {
                let write = older?;
                *self.older.entry(kind).or_default() += 1;
                Some(write)
            }
            Err(error) => {
                self.unreadable.push(error.chain());
                None
            }
        }
    }
}

impl Tenants<'_> {
    /// Reads the forms of all items of an organization. `each` gets them after each page of items.
    /// If it `rewrites`, items of an older form get that of this version. They keep their versions,
    /// and nothing tells of it. Can begin again after an interruption.
    pub async fn forms(
        &self,
        tenant: Tenant,
        rewrites: bool,
        each: &mut impl AsyncFnMut(&Forms),
    ) -> Result<Forms> {
        let mut forms = Forms::default();
        let mut note = async |partition: Found| {
            for item in &partition.items {
                let older = forms.note(item);
                if let Some(write) = older.filter(|_| rewrites) {
                    // A refused one was written meanwhile, in the form of its writer.
                    let _ = self.0.table.rewrite(write).await?;
                }
            }
            each(&forms).await;
            Ok(())
        };
        self.walk(tenant, &mut note).await?;
        Ok(forms)
    }
}
