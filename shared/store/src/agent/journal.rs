//! Journals of sessions: entries are written in the transactions that they tell of, and nothing
//! changes or deletes one.

use std::collections::BTreeMap;

use model::{
    ActionState, AgentAction, AgentSessionId, Error, JournalActor, JournalActorType, JournalCheck,
    JournalEntry, JournalEvent, JournalPeriod, Note, OrganizationId, check_journal,
};
use serde_json::{Value, json};

use super::Agent;
use crate::{
    key::{self, Gsi1, Key},
    page::{Page, Wanted},
    table::{Record, Stored, Write},
};

/// How often a journal is read that does not fit its session.
const LOOKS: usize = 3;

impl Record for JournalEntry {
    const KIND: &'static str = "journal_entry";

    fn key(&self) -> Key<Self> {
        key::journal_entry(self)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        Some(key::journal_entry_in_time(self))
    }
}

/// What runs actions.
pub(super) const WORKER: JournalActor = JournalActor::of(JournalActorType::Worker);

/// What comes by for what was left.
pub(super) const SWEEPER: JournalActor = JournalActor::of(JournalActorType::Sweeper);

/// That an action has ended, and why it did not succeed.
pub(super) fn ended(actor: JournalActor, from: ActionState, action: &AgentAction) -> Note {
    let note = Note::new(actor, JournalEvent::Ended, Some(from.name()));
    match &action.error {
        Some(error) => note.with(json!({ "error": error })),
        None => note,
    }
}

/// The heads of actions' chains, which the session's chain names when all of them have ended.
pub(super) fn heads(actions: &[Stored<AgentAction>]) -> Value {
    let heads = actions
        .iter()
        .map(|action| (&action.action_id, &action.journal));
    let heads: BTreeMap<_, _> = heads.filter(|(_, head)| head.seq > 0).collect();
    json!({ "heads": heads })
}

/// The writes of entries.
pub(super) fn entries(
    entries: impl IntoIterator<Item = JournalEntry>,
) -> Result<Vec<Write>, Error> {
    entries
        .into_iter()
        .map(|entry| Write::create(&entry))
        .collect()
}

impl Agent<'_> {
    /// A page of a session's journal, the oldest entry first. 404 when the session is not the
    /// tenant's.
    pub async fn journal(
        &self,
        tenant: OrganizationId,
        id: AgentSessionId,
        wanted: &Wanted,
    ) -> Result<Page<Stored<JournalEntry>>, Error> {
        let entries = key::journal(tenant, id).consistent();
        let (_, page) =
            tokio::try_join!(self.session(tenant, id), self.0.table.page(entries, wanted),)?;
        Ok(page)
    }

    /// Checks all of a session's journal. 404 when the session is not the tenant's. Records and
    /// entries are read side by side: where a write came in between, a break is none, and both are
    /// read again.
    pub async fn check_journal(
        &self,
        tenant: OrganizationId,
        id: AgentSessionId,
    ) -> Result<JournalCheck, Error> {
        let mut check = self.look_at_journal(tenant, id).await?;
        for _ in 1..LOOKS {
            if check.verified {
                break;
            }
            check = self.look_at_journal(tenant, id).await?;
        }
        Ok(check)
    }

    async fn look_at_journal(
        &self,
        tenant: OrganizationId,
        id: AgentSessionId,
    ) -> Result<JournalCheck, Error> {
        let entries = key::journal(tenant, id).consistent();
        let (entries, whole) = tokio::try_join!(self.0.table.list(entries), self.get(tenant, id))?;
        let actions = whole.actions.known.iter().map(|action| &action.record);
        Ok(check_journal(&whole.session, actions, &entries))
    }

    /// A page of the organization's journals, the oldest entry first.
    pub async fn journals(
        &self,
        tenant: OrganizationId,
        period: &JournalPeriod,
        wanted: &Wanted,
    ) -> Result<Page<Stored<JournalEntry>>, Error> {
        if period
            .from
            .zip(period.to)
            .is_some_and(|(from, to)| from >= to)
        {
            return Ok(Page::empty());
        }
        let mut entries = key::journals(tenant);
        if let Some(from) = period.from {
            entries = entries.from(key::instant(from));
        }
        if let Some(to) = period.to {
            entries = entries.up_to(key::instant(to));
        }
        self.0.table.page(entries, wanted).await
    }
}
