//! The import of an organization, as its export has it.

use futures::{StreamExt, TryStreamExt, stream};
use serde_json::Value;

use super::{CONCURRENCY, ExportHeader, Line, Tenants, exporting::NO_SECRET};
use crate::prelude::*;

/// The attributes of partition keys, in the table and in the indexes.
const PARTITIONS: [&str; 5] = ["pk", "gsi1pk", "gsi2pk", "gsi3pk", "gsi4pk"];

/// The attribute of an entry with the id of the organization in whose journal it was chained.
const CHAINED_AS: &str = "chainedAs";

/// The outcome of an import. The organization is suspended.
#[derive(Clone, Debug)]
pub struct Imported {
    pub organization: OrganizationId,
    pub items: usize,
    /// The connections, and the provider, whose secret is to be set: `connection billing`.
    pub without_secret: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The text is no export, or a part of one.
    #[error("line {0}: {1}")]
    Line(usize, &'static str),
    /// The export has another format or version.
    #[error("the format {0} version {1} is not known here")]
    Format(String, i64),
    #[error("the lines are not those that line 1 counts")]
    Counts,
    #[error("organization {0} exists")]
    Exists(OrganizationId),
    /// Usernames of other users of the service.
    #[error("taken usernames: {}", .0.join(", "))]
    Taken(Vec<String>),
    /// Another item has its key.
    #[error("{0} exists, and is another item")]
    Occupied(AnyKey),
    #[error(transparent)]
    Store(#[from] Error),
}

impl Tenants<'_> {
    /// Imports an organization under its own id, or under a new one with a new name. Writes nothing if
    /// a username is taken. Can begin again after an interruption.
    pub async fn import(
        &self,
        text: &str,
        as_new: Option<&OrganizationName>,
    ) -> Result<Imported, ImportError> {
        let (header, mut items) = parsed(text)?;
        let mut tenant = header.organization;
        if as_new.is_some() {
            let id = self.0.next_id().await?.used();
            // Reference search finds the organization itself by another item then.
            let own = Some(RecordType::Organization.name());
            items.retain(|item| item.text("refersTo") != own);
            for item in &mut items {
                move_to(item, tenant, id);
            }
            tenant = id;
        }
        let own = AnyKey::from(key::organization(tenant));
        let is_own = |item: &RawItem| item.key().as_ref() == Some(&own);
        let Some(place) = items.iter().position(is_own) else {
            return Err(ImportError::Line(1, "its organization has no line"));
        };
        let mut organization = items.swap_remove(place);
        if let Some(name) = as_new {
            organization.set("name", &**name);
        }
        self.is_free(tenant).await?;
        self.are_free(tenant, &items).await?;
        let (import, operator) = (SuspensionCause::Import, SuspensionCause::Operator);
        let first = self.put_organization(&mut organization, import, Condition::absent());
        first.await?;
        let puts = stream::iter(&items).map(|item| self.put_once(item));
        let puts = puts.buffer_unordered(CONCURRENCY);
        puts.try_collect::<()>().await?;
        self.raise_counters(tenant, &items).await?;
        let again = self.put_organization(&mut organization, operator, Condition::exists());
        again.await?;
        if as_new.is_some() {
            let organization = self.0.directory().organization(tenant).await?;
            let reference = Write::put(&Reference::from(&organization.record))?;
            self.0.table.write(reference).await?.or_leave();
        }
        let gone = Write::delete(key::tombstone(tenant), Condition::default());
        self.0.table.write(gone).await?.or_leave();
        Ok(Imported {
            organization: tenant,
            items: items.len() + 1,
            without_secret: items.iter().filter_map(without_secret).collect(),
        })
    }

    /// 409 if another organization has the id. An import that was interrupted goes on.
    async fn is_free(&self, tenant: Tenant) -> Result<(), ImportError> {
        let found = self.0.read(&key::organization(tenant)).await?;
        let goes_on = found.is_none_or(|one| {
            let suspended = one.suspended;
            suspended.is_some_and(|one| one.cause == SuspensionCause::Import)
        });
        goes_on.then_some(()).ok_or(ImportError::Exists(tenant))
    }

    /// Refuses usernames of other users.
    async fn are_free(&self, tenant: Tenant, items: &[RawItem]) -> Result<(), ImportError> {
        let is_account = |item: &&RawItem| item.text("kind") == Some(Account::KIND);
        let accounts = items.iter().filter(is_account);
        let accounts = accounts.filter_map(|item| Some((item.text("username")?, item)));
        let accounts: Vec<_> = accounts.collect();
        let keys = accounts.iter().map(|(name, _)| key::account(name));
        let found = self.0.batch(keys).await?;
        let is_taken = |(name, item): &&(&str, &RawItem)| {
            let key = key::account(name);
            let is_same = found.named(&key).is_some_and(|owner| {
                owner.organization_id == tenant
                    && Some(owner.user_id.get()) == item.number("userId")
            });
            found.has(&key) && !is_same
        };
        let taken = accounts.iter().filter(is_taken);
        let taken: Vec<String> = taken.map(|(name, _)| (*name).to_owned()).collect();
        if !taken.is_empty() {
            return Err(ImportError::Taken(taken));
        }
        Ok(())
    }

    async fn put_organization(
        &self,
        item: &mut RawItem,
        cause: SuspensionCause,
        expected: Condition,
    ) -> Result<(), ImportError> {
        let since = self.0.now();
        item.set("suspended", Suspension { since, cause });
        // A refused one is that of an interrupted import.
        self.0.table.put_raw(item, expected).await?.or_leave();
        Ok(())
    }

    /// Writes an item, unless an interrupted import did.
    async fn put_once(&self, item: &RawItem) -> Result<(), ImportError> {
        let table = &self.0.table;
        let done = table.put_raw(item, Condition::absent()).await?;
        let Some(key) = item.key().filter(|_| done.is_err()) else {
            return Ok(());
        };
        let found = table.raw_item(&key).await?;
        let is_same = found.is_some_and(|mut found| {
            found.forget_write();
            found == *item
        });
        is_same.then_some(()).ok_or(ImportError::Occupied(key))
    }

    /// Raises the counters of ids beyond all ids that the items have or name.
    async fn raise_counters(&self, tenant: Tenant, items: &[RawItem]) -> Result<()> {
        let mut newest: BTreeMap<&'static str, i64> = BTreeMap::new();
        let mut note = |kind: RecordType, id: i64| {
            let most = newest.entry(kind.name()).or_default();
            *most = id.max(*most);
        };
        note(RecordType::Organization, tenant.get());
        for item in items {
            let plain = item.plain().unwrap_or(Value::Null);
            let kind = plain["kind"].as_str().and_then(RecordType::named);
            if let Some((kind, id)) = kind.zip(plain["id"].as_i64()) {
                note(kind, id);
            }
            // A deleted record, and the subjects of journal entries.
            if let Ok(deleted) = serde_json::from_value::<Deleted>(plain["subject"].clone()) {
                note(deleted.kind, deleted.id.get());
            }
            let subjects = plain["subjects"].as_array().into_iter().flatten();
            let names = subjects.filter_map(|name| name.as_str()?.split_once(':'));
            for (kind, id) in names {
                if let Some((kind, id)) = RecordType::named(kind).zip(id.parse().ok()) {
                    note(kind, id);
                }
            }
        }
        for (kind, id) in newest {
            let is_lower = Condition::default().absent_or("last", "# < :", id);
            let raised = Change::default().set("last", id);
            let write = Write::update(key::counter(kind), raised, is_lower);
            // A refused one is higher.
            self.0.table.write(write).await?.or_leave();
        }
        Ok(())
    }
}

fn parsed(text: &str) -> Result<(ExportHeader, Vec<RawItem>), ImportError> {
    let mut lines = text.lines().enumerate();
    let Some((_, first)) = lines.next() else {
        return Err(ImportError::Line(1, "there is none"));
    };
    let header: ExportHeader = serde_json::from_str(first)
        .map_err(|_| ImportError::Line(1, "it is not the header of an export"))?;
    if (header.format.as_str(), header.version) != (ExportHeader::FORMAT, ExportHeader::VERSION) {
        return Err(ImportError::Format(header.format, header.version));
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut items = Vec::new();
    for (place, line) in lines {
        let wrong = ImportError::Line(place + 1, "it is not an item of an export");
        let Ok(Line { kind, item }) = serde_json::from_str(line) else {
            return Err(wrong);
        };
        *counts.entry(kind).or_default() += 1;
        let own = RawItem::from_json(&item).filter(|item| belongs(item, header.organization));
        items.push(own.ok_or(wrong)?);
    }
    if counts != header.counts {
        return Err(ImportError::Counts);
    }
    Ok((header, items))
}

/// True for an item of the organization or of one of its accounts, so that no line writes elsewhere.
fn belongs(item: &RawItem, tenant: Tenant) -> bool {
    let Some(key) = item.key() else {
        return false;
    };
    let organization = AnyKey::from(key::organization(tenant));
    let account = item.text("username");
    let account = account.map(|name| AnyKey::from(key::account(name)));
    let email = item.text("email");
    let email = email.map(|email| AnyKey::from(key::email_holder(tenant, email)));
    key.pk() == organization.pk()
        || (email.as_ref() == Some(&key) && item.text("kind") == Some(EmailHolder::KIND))
        || key.pk().starts_with(&key::tenant_prefix(tenant))
        || Some(key) == account
}

/// Returns the name of a connection whose secret was left out.
fn without_secret(item: &RawItem) -> Option<String> {
    let plain = item.plain()?;
    let is_left_out = |name: &str| plain[name]["ciphertext"] == NO_SECRET;
    if is_left_out("clientSecret") {
        return Some("provider".to_owned());
    }
    let name = plain["name"].as_str().filter(|_| is_left_out("secret"));
    name.map(|name| format!("connection {name}"))
}

/// Moves an item with its keys to another organization. Entries of journals keep the id of their chain.
fn move_to(item: &mut RawItem, from: OrganizationId, to: OrganizationId) {
    for name in PARTITIONS {
        let moved = item.text(name).and_then(|pk| key::moved(pk, from, to));
        if let Some(moved) = moved {
            item.set(name, moved);
        }
    }
    let kind = item.text("kind").unwrap_or_default().to_owned();
    if kind == EmailHolder::KIND
        && let Some(key) = item.text("email").map(|email| key::email_holder(to, email))
    {
        item.set("sk", AnyKey::from(key).sk());
    }
    let own = [OrganizationEntry::KIND, SignInEntry::KIND];
    let is_entry = own.contains(&&*kind) || kind == JournalEntry::KIND;
    if is_entry && item.number(CHAINED_AS).is_none() {
        item.set(CHAINED_AS, from);
    }
    if kind == RecordType::Organization.name() {
        item.set("id", to);
    }
    if item.text("referenceType") == Some(RecordType::Organization.name()) {
        item.set("referenceId", to);
    }
    item.replace_numbers("organizationId", to.get());
}
