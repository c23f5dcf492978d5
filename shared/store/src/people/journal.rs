//! The organization's journal. The transaction of a change writes its entries, and replaces the
//! head of the chain, which must be as it was read. Entries are never changed or deleted.

use futures::{FutureExt, future::OptionFuture};
use model::{
    base::{Timestamp, UserId},
    people::{
        EntryActor, EntryActorType, EntryContent, JournalFlaw, OrganizationEntry, OrganizationHead,
        OrganizationJournalCheck, OrganizationJournalFilter, journal::Chained,
    },
};
use serde::de::DeserializeOwned;
use table::{
    AnyKey, Batch, Condition, IntoAttribute, Key, Refused, Stored, Write, attribute, back_off,
    note_write,
    page::{Page, PageRequest},
    unavailable,
};

use crate::{
    Result, Tenant,
    base::{
        Store, WriteContext,
        filter::Filter,
        record::{any_keys, record},
        records::ReadHead,
        store::resource,
    },
    key,
};

/// The most entries of one check, with those of sessions that they name.
const CHECKED: usize = 5_000;

/// The attempts to append to a journal while other requests do: up to three seconds, since a client
/// waits.
const ATTEMPTS: u32 = 12;

/// The checks of a journal that does not match its head. A write between two reads looks like a
/// break.
const CHECKS: usize = 3;

resource! { pub Journals as journals }

record! { entry: OrganizationEntry = "organization_entry", key: key::organization_entry(entry), }

record! {
    head: OrganizationHead = "organization_head",
    key: key::organization_head(head.organization_id),
}

pub(crate) fn head_in(batch: &Batch, tenant: Tenant) -> Result<ReadHead> {
    batch.get(&key::organization_head(tenant))
}

impl WriteContext {
    /// Adds the head that was read with the records of the write.
    pub(crate) fn with_head(mut self, head: ReadHead) -> Self {
        self.head = Some(Box::new(head));
        self
    }
}

impl Store {
    pub(crate) async fn head(&self, tenant: Tenant) -> Result<ReadHead> {
        self.read(&key::organization_head(tenant))
            .await
    }

    /// Reads a record and the head of the organization's journal in one request.
    pub(crate) async fn with_head<R: DeserializeOwned>(
        &self,
        key: &Key<R>,
        tenant: Tenant,
    ) -> Result<(Option<Stored<R>>, ReadHead)> {
        let keys = any_keys![key, key::organization_head(tenant)];
        let batch = self.batch(keys).await?;
        Ok((batch.get(key)?, head_in(&batch, tenant)?))
    }

    /// Does all of the writes or none, in the name of their author, with an entry for each of
    /// `contents`. Appends to a newer head when that alone was refused; 503 after 12 times. The log
    /// line of the request has the id of the write.
    pub(crate) async fn transact(
        &self,
        context: &WriteContext,
        writes: Vec<Write>,
        contents: &[EntryContent],
    ) -> Result<Result<(), Refused>> {
        let written = self
            .write_with_entries(context, writes, contents)
            .await?;
        if written.is_ok() {
            note_write(&context.write_id);
        }
        Ok(written)
    }

    async fn write_with_entries(
        &self,
        context: &WriteContext,
        writes: Vec<Write>,
        contents: &[EntryContent],
    ) -> Result<Result<(), Refused>> {
        let author = context.author();
        let author = author
            .map(|author| attribute(&author))
            .transpose()?;
        let writes = writes
            .into_iter()
            .map(|write| write.by(author.clone()));
        let writes: Vec<_> = writes.collect();
        let id = &context.write_id;
        if contents.is_empty() {
            return self.table.transact_as(writes, id).await;
        }
        let mut head = match &context.head {
            Some(head) => ReadHead::clone(head),
            None => self.head(context.tenant).await?,
        };
        for attempt in 1..=ATTEMPTS {
            let mut with_entries = writes.clone();
            with_entries.extend(entries(context, contents, head, self.clock.now())?);
            match self
                .table
                .transact_as(with_entries, id)
                .await?
            {
                Err(refused) if !(0..writes.len()).any(|place| refused.at(place)) => {
                    back_off(attempt.min(5)).await;
                    head = self.head(context.tenant).await?;
                }
                done => return Ok(done),
            }
        }
        Err(unavailable("other requests kept appending to the journal"))
    }
}

fn entries(
    context: &WriteContext,
    contents: &[EntryContent],
    read_head: ReadHead,
    now: Timestamp,
) -> Result<Vec<Write>> {
    let head = read_head
        .as_ref()
        .map(|stored| stored.record.clone());
    let mut head = head.unwrap_or_else(|| OrganizationHead::none(context.tenant, now));
    let mut writes = Vec::with_capacity(contents.len() + 1);
    let actor = match context.actor {
        Some(user) => EntryActor::user(user),
        None if context.is_operator => EntryActor::of(EntryActorType::Operator),
        None => EntryActor::of(EntryActorType::Service),
    };
    for (place, content) in contents.iter().enumerate() {
        let by = (actor, context.credential.as_deref().cloned());
        let mut entry = head.append(content.clone(), by, now);
        entry.guards = context.guards && place == 0;
        writes.push(Write::create(&entry)?);
    }
    writes.push(Write::create_or_replace(read_head, head)?);
    Ok(writes)
}

impl Journals<'_> {
    /// Returns a page of the organization's journal, oldest entry first.
    pub async fn list(
        &self,
        tenant: Tenant,
        caller: UserId,
        filter: &OrganizationJournalFilter,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<OrganizationEntry>>> {
        let period = filter.from.zip(filter.to);
        if period.is_some_and(|(from, to)| from >= to) {
            return Ok(Page::empty());
        }
        let fits = Filter::of(caller).and("contains(#, :)", "subjects", filter.subject.as_deref());
        let entries = key::organization_journal(tenant)
            .consistent()
            .within(filter.from.map(key::instant), filter.to.map(key::instant))
            .filter(fits.condition());
        self.0.table.page(entries, wanted).await
    }

    /// Checks up to 5,000 entries of the organization's journal, from the first one of that instant
    /// or later. Head and entries are read concurrently, so that both are read again after a break.
    pub async fn check(
        &self,
        tenant: Tenant,
        from: Option<Timestamp>,
    ) -> Result<OrganizationJournalCheck> {
        let mut check = self.check_once(tenant, from).await?;
        for _ in 1..CHECKS {
            if check.verified {
                break;
            }
            check = self.check_once(tenant, from).await?;
        }
        Ok(check)
    }

    async fn check_once(
        &self,
        tenant: Tenant,
        from: Option<Timestamp>,
    ) -> Result<OrganizationJournalCheck> {
        let journal = || key::organization_journal(tenant).consistent();
        let table = &self.0.table;
        let before = from.map(|from| {
            let chained = Condition::default().and("# > :", "seq", [0.into_attribute()]);
            let newest = journal()
                .up_to(key::instant(from))
                .descending();
            table.list(newest.filter(chained).limit(1))
        });
        let before = OptionFuture::from(before).map(Option::transpose);
        // One more shows that there are more.
        let entry_list = journal().within(from.map(key::instant), None);
        let entries = table.list(entry_list.limit(CHECKED + 1));
        let (head, before, mut entries) = tokio::try_join!(self.0.head(tenant), before, entries)?;
        let newest = head
            .map(|head| head.record.newest)
            .unwrap_or_default();
        let checks = entries.iter().scan(0, |checks, entry| {
            *checks += 1 + entry.ended_sessions().len() + entry.named_sign_ins().len();
            Some(*checks)
        });
        // One entry names far fewer sessions than one check reads.
        let within = checks
            .take_while(|checks| *checks <= CHECKED)
            .count();
        let has_more = entries.len() > within;
        entries.truncate(within);
        let before = before.iter().flatten().next();
        let now = self.0.now();
        let mut check = OrganizationJournalCheck::of(before, &entries, &newest, has_more, now);
        self.check_sessions(tenant, &entries, &mut check)
            .await?;
        self.check_sign_ins(tenant, &entries, &mut check)
            .await?;
        self.check_erased(tenant, &entries, &mut check)
            .await?;
        Ok(check)
    }

    /// Compares the rests of erased entries with the digests in later entries.
    async fn check_erased(
        &self,
        tenant: Tenant,
        entries: &[OrganizationEntry],
        check: &mut OrganizationJournalCheck,
    ) -> Result<()> {
        let named = entries.iter().filter_map(|entry| {
            let by = entry.erased_by?;
            Some((key::organization_entry_at(tenant, by.at, by.seq), entry))
        });
        for (by, entry) in self.found(named).await? {
            let is_as_named = |by: Stored<OrganizationEntry>| {
                let rest = by
                    .after
                    .as_ref()?
                    .0
                    .0
                    .get(&entry.seq.to_string())?;
                Some(by.computed_hash() == by.hash && *rest == entry.digest_of_rest())
            };
            if !by
                .and_then(is_as_named)
                .unwrap_or(false)
            {
                check.breaks_at(entry.seq, None, JournalFlaw::Changed);
            }
        }
        Ok(())
    }

    /// Checks that the journals of ended sessions have the named entries.
    async fn check_sessions(
        &self,
        tenant: Tenant,
        entries: &[OrganizationEntry],
        check: &mut OrganizationJournalCheck,
    ) -> Result<()> {
        let named = entries.iter().flat_map(|entry| {
            let heads = entry.ended_sessions().into_iter();
            heads.map(|head| (key::named_entry(tenant, &head), (entry.seq, head)))
        });
        for (entry, (seq, head)) in self.found(named).await? {
            let named = entry.filter(|entry| entry.hash == head.hash);
            if named.is_none_or(|entry| entry.computed_hash() != head.hash) {
                check.breaks_at(seq, Some(head.id), JournalFlaw::SessionMissing);
            }
        }
        Ok(())
    }

    /// Checks that the entries of sign-ins are there as they are named.
    async fn check_sign_ins(
        &self,
        tenant: Tenant,
        entries: &[OrganizationEntry],
        check: &mut OrganizationJournalCheck,
    ) -> Result<()> {
        let named = entries.iter().flat_map(|entry| {
            entry
                .named_sign_ins()
                .into_iter()
                .map(|sign_in| {
                    let key = key::sign_in_entry(tenant, sign_in.at, &sign_in.hash);
                    (key, (entry.seq, sign_in.hash))
                })
        });
        for (entry, (seq, hash)) in self.found(named).await? {
            if entry.is_none_or(|entry| entry.0.computed_hash() != hash) {
                check.breaks_at(seq, None, JournalFlaw::SignInMissing);
            }
        }
        Ok(())
    }

    /// Reads named entries, as far as they are there.
    async fn found<R: DeserializeOwned, N>(
        &self,
        named: impl Iterator<Item = (Key<R>, N)>,
    ) -> Result<Vec<(Option<Stored<R>>, N)>> {
        let named: Vec<_> = named.collect();
        let keys = named
            .iter()
            .map(|(key, _)| AnyKey::from(key));
        let batch = self.0.batch(keys).await?;
        let named = named.into_iter();
        Ok(named
            .map(|(key, name)| (batch.named(&key), name))
            .collect())
    }
}
