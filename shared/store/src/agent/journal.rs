//! Journals of sessions. Entries are written in the transactions that they describe, and stay as
//! they are.

use agent::{
    journal::{JournalEntry, JournalPeriod},
    session::{JournalCheck, check_journal},
};
use model::base::AgentSessionId;
use table::{
    Stored,
    page::{Page, PageRequest},
};

use crate::{Result, Tenant, base::record::record, key};

use super::Agent;

/// The number of reads of a journal that does not match its session.
const CHECKS: usize = 3;

record! {
    entry: JournalEntry = "journal_entry",
    key: key::journal_entry(entry),
    gsi1: Some(key::journal_entry_in_time(entry)),
    hidden: ["organizationId", "detail", "chainedAs", "version"],
}

impl Agent<'_> {
    /// Returns a page of a session's journal, oldest entry first. 404 if the session is another
    /// tenant's.
    pub async fn journal(
        &self,
        tenant: Tenant,
        id: AgentSessionId,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<JournalEntry>>> {
        let entries = key::journal(tenant, id).consistent();
        let page = self.0.table.page(entries, wanted);
        let (_, page) = tokio::try_join!(self.session(tenant, id), page)?;
        self.with_excerpts(page).await
    }

    /// Checks a session's whole journal. 404 if the session is another tenant's. Records and
    /// entries are read concurrently, so a write in between looks like a break. Both are then read
    /// again.
    pub async fn check_journal(&self, tenant: Tenant, id: AgentSessionId) -> Result<JournalCheck> {
        let mut check = self.journal_check(tenant, id).await?;
        for _ in 1..CHECKS {
            if check.verified {
                break;
            }
            check = self.journal_check(tenant, id).await?;
        }
        Ok(check)
    }

    async fn journal_check(&self, tenant: Tenant, id: AgentSessionId) -> Result<JournalCheck> {
        let entries = key::journal(tenant, id).consistent();
        let (entries, whole) = tokio::try_join!(self.0.table.list(entries), self.get(tenant, id))?;
        let actions = whole
            .actions
            .known
            .iter()
            .map(|action| &action.record);
        Ok(check_journal(&whole.session, actions, &entries))
    }

    /// Returns a page of the organization's journals, oldest entry first.
    pub async fn journals(
        &self,
        tenant: Tenant,
        period: &JournalPeriod,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<JournalEntry>>> {
        let both = period.from.zip(period.to);
        if both.is_some_and(|(from, to)| from >= to) {
            return Ok(Page::empty());
        }
        let from = period.from.map(key::instant);
        let to = period.to.map(key::instant);
        let entries = key::journals(tenant).within(from, to);
        let page = self
            .0
            .table
            .page(entries, wanted)
            .await?;
        self.with_excerpts(page).await
    }
}
