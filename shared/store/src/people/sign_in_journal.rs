//! Entries of sign-ins in the organization's journal. A sign-in never waits for the journal's head:
//! its entry stands beside the chain, and the sweeper names it there.

use std::collections::BTreeMap;

use model::{
    base::{OrganizationId, UserId},
    people::{EntryContent, Session, SignInEntry, SignInMethod},
};
use serde::de::DeserializeOwned;
use table::{
    Condition, Index, OrLeave, Record, Stored, UpdateExpression, Write, page::PageRequest,
};

use crate::{
    Result, Tenant,
    base::{
        WriteContext,
        record::record,
        records::{FailureCount, Workdesk},
    },
    key::{self, Gsi4},
    people::Journals,
    upkeep::{Shard, due},
};

/// Page size of due entries.
const AT_ONCE: usize = 200;

/// The most entries that one write names.
const NAMED: usize = 40;

record! {
    entry: SignInEntry = "sign_in_entry",
    key: key::sign_in_entry(entry.0.organization_id, entry.0.at, &entry.0.hash),
    gsi4: Some(key::due(entry.0.organization_id, entry.0.at)),
}

/// Returns the write of a sign-in's entry, for the transaction that creates its session.
pub(crate) fn signed_in(session: &Session, method: SignInMethod) -> Result<Write> {
    Write::create(&SignInEntry::signed_in(session, method))
}

impl Journals<'_> {
    /// Writes the entries of refused sign-ins, of accounts in a shard and quarters that have ended.
    /// Then names the shard's entries of sign-ins in the chains. `each` gets the outcome for an
    /// organization.
    pub async fn chain_sign_ins(
        &self,
        shard: Shard,
        mut each: impl FnMut(OrganizationId, Result<usize>),
    ) -> Result<()> {
        let refused = async |counts: Vec<Stored<FailureCount>>| {
            for count in counts {
                if let Some(of) = count.organization_id.zip(count.user_id) {
                    each(of.0, self.note_refused(of, &count).await);
                }
            }
        };
        self.each_due(shard, refused).await?;
        let unnamed = async |entries: Vec<Stored<SignInEntry>>| {
            let mut by_organization: BTreeMap<_, Vec<_>> = BTreeMap::new();
            for entry in entries {
                let organization = entry.0.organization_id;
                by_organization
                    .entry(organization)
                    .or_default()
                    .push(entry);
            }
            for (organization, entries) in by_organization {
                for some in entries.chunks(NAMED) {
                    each(
                        organization,
                        self.name_sign_ins(organization, some)
                            .await,
                    );
                }
            }
        };
        self.each_due(shard, unnamed).await
    }

    async fn each_due<R: Record<Workdesk> + DeserializeOwned>(
        &self,
        shard: Shard,
        mut work: impl AsyncFnMut(Vec<Stored<R>>),
    ) -> Result<()> {
        let now = self.0.now();
        let mut wanted = PageRequest::first(AT_ONCE);
        loop {
            let page = due::page::<R, R>(&self.0.table, shard, now, &wanted).await?;
            wanted.after = page.end;
            let readable = page
                .rows
                .into_iter()
                .filter_map(|row| row.record.yes());
            work(readable.collect()).await;
            if wanted.after.is_none() {
                return Ok(());
            }
        }
    }

    /// Writes the entry of a count with failures. A concurrent change leaves it for the next run.
    async fn note_refused(
        &self,
        of: (OrganizationId, UserId),
        count: &Stored<FailureCount>,
    ) -> Result<usize> {
        let as_read = Condition::version(count.version);
        let done = UpdateExpression::default().leave(Gsi4);
        let mut writes = vec![Write::update(count.key(), done, as_read)];
        if count.failures > 0 {
            let entry = SignInEntry::refused(of, count.failures, FailureCount::end(count.quarter));
            writes.push(Write::create(&entry)?);
        }
        self.0
            .table
            .transact(writes)
            .await?
            .or_leave();
        Ok(0)
    }

    /// Names entries of one organization in its chain. A concurrent run leaves all for the next
    /// one.
    async fn name_sign_ins(&self, tenant: Tenant, named: &[Stored<SignInEntry>]) -> Result<usize> {
        let chained = named.iter().map(|entry| &entry.record);
        let chained = [EntryContent::sign_ins_chained(chained)];
        let is_due = || Condition::default().and("attribute_exists(#)", Gsi4::PARTITION, []);
        let writes = named.iter().map(|entry| {
            let done = UpdateExpression::default().leave(Gsi4);
            Write::update(entry.key(), done, is_due())
        });
        let context = WriteContext::from(tenant);
        let done = self
            .0
            .transact(&context, writes.collect(), &chained);
        Ok(done.await?.map_or(0, |()| named.len()))
    }
}
