//! The import of an organization, as its export has it.

use std::io::{BufRead, Seek};

use agent::journal::JournalEntry;
use futures::{StreamExt, TryStreamExt, stream};
use model::{
    base::{Id, OrganizationId, OrganizationName, RecordType},
    people::{ImportOf, Organization, OrganizationEntry, SignInEntry, Suspension, SuspensionCause},
};
use table::{AnyKey, Condition, OrLeave, RawItem, Record, UpdateExpression, Write};

use crate::{
    Result, Tenant,
    base::records::{EmailHolder, Reference},
    key,
};

use super::{
    CONCURRENCY, ImportError, Tenants,
    checking::{CHAINED_AS, Check, Contents, Counters, records_in},
    import_file::ImportFile,
};

/// The attributes of partition keys, in the table and in the indexes.
const PARTITIONS: [&str; 5] = ["pk", "gsi1pk", "gsi2pk", "gsi3pk", "gsi4pk"];

/// Usernames that are looked up at the same time.
const NAMES_AT_ONCE: usize = 100;

/// The outcome of an import. The organization is suspended.
#[derive(Clone, Debug)]
pub struct Imported {
    pub organization: OrganizationId,
    pub items: usize,
    /// The connections, and the provider, whose secret is to be set: `connection billing`.
    pub without_secret: Vec<String>,
}

impl Tenants<'_> {
    /// Imports an organization under its own id, or under a new one with a new name. Checks all
    /// lines first: writes nothing if one is not the organization's, or if a username is taken.
    /// Goes on after an interruption, with the same file.
    pub async fn import(
        &self,
        file: impl BufRead + Seek,
        as_new: Option<&OrganizationName>,
    ) -> Result<Imported, ImportError> {
        let mut file = ImportFile::new(file);
        let header = file.header()?;
        let import_of = ImportOf {
            organization: header.organization,
            at: header.at,
        };
        let begun = match as_new {
            Some(_) => self.begun_as_new(import_of).await?,
            None => self.begun(import_of).await?,
        };
        let counters = self.counters().await?;
        let is_new = as_new.is_some();
        let mut check = Check::begin(header.organization, is_new, &counters)?;
        let own = AnyKey::from(key::organization(header.organization));
        let mut organization = None;
        while let Some((place, kind, item)) = file.next_item()? {
            check.line(place, kind, &item)?;
            if item.key().as_ref() == Some(&own) {
                organization = Some(item);
            }
        }
        let contents = check.end(&header.counts)?;
        let no_line = || ImportError::line(1, "its organization has no line");
        let mut organization = organization.ok_or_else(no_line)?;
        self.are_free(begun, &contents.accounts)
            .await?;

        let tenant = match (begun, as_new) {
            (Some(begun), _) => begun,
            (None, Some(_)) => self.0.next_id().await?.used(),
            (None, None) => header.organization,
        };
        let to_write = Import {
            from: header.organization,
            tenant,
            is_new,
        };
        to_write.moves(&mut organization);
        if let Some(name) = as_new {
            organization.set("name", &**name);
        }
        organization.set("importOf", import_of);
        let import = SuspensionCause::Import;
        let operator = SuspensionCause::Operator;
        let first = self.put_organization(&mut organization, import, Condition::absent());
        first.await?;
        let items = self
            .put_items(&mut file, &to_write)
            .await?;
        self.raise_counters(tenant, &contents)
            .await?;
        if is_new {
            let reference = Reference::from(&organization.record::<Organization>()?);
            self.0
                .table
                .write(Write::put(&reference)?)
                .await?
                .or_leave();
        }
        let gone = Write::delete(key::tombstone(tenant), Condition::default());
        self.0
            .table
            .write(gone)
            .await?
            .or_leave();
        organization.remove("importOf");
        let again = self.put_organization(&mut organization, operator, Condition::exists());
        again.await?;
        Ok(Imported {
            organization: tenant,
            items: items + 1,
            without_secret: contents.without_secret,
        })
    }

    /// The organization of an interrupted import of the same export under its own id. 409 if
    /// another organization has the id.
    async fn begun(&self, import_of: ImportOf) -> Result<Option<OrganizationId>, ImportError> {
        let tenant = import_of.organization;
        let Some(half) = self
            .0
            .read(&key::organization(tenant))
            .await?
        else {
            return Ok(None);
        };
        let is_half = |suspension: Suspension| suspension.cause == SuspensionCause::Import;
        if !half.suspended.is_some_and(is_half) {
            return Err(ImportError::Exists(tenant));
        }
        match half.import_of {
            Some(other) if other != import_of => Err(ImportError::HalfImported(
                tenant,
                other.organization,
                other.at,
            )),
            // An earlier release noted none.
            _ => Ok(Some(tenant)),
        }
    }

    /// The organization of an interrupted import of the same export under a new id.
    async fn begun_as_new(
        &self,
        import_of: ImportOf,
    ) -> Result<Option<OrganizationId>, ImportError> {
        let organizations = self
            .0
            .directory()
            .organizations()
            .await?
            .into_iter();
        let mut readable = organizations.filter_map(|(_, organization)| organization.ok());
        let half = readable.find(|organization| {
            let is_new = organization.id != import_of.organization;
            is_new && organization.import_of == Some(import_of)
        });
        Ok(half.map(|half| half.id))
    }

    /// The last ids of all types.
    async fn counters(&self) -> Result<Counters> {
        let keys = || {
            RecordType::ALL
                .iter()
                .map(|kind| (kind.name(), key::counter(kind.name())))
        };
        let batch = self
            .0
            .batch(keys().map(|(_, key)| key))
            .await?;
        let last = keys().filter_map(|(name, key)| Some((name, batch.named(&key)?.last)));
        Ok(last.collect())
    }

    /// Refuses usernames of other users.
    async fn are_free(
        &self,
        begun: Option<OrganizationId>,
        accounts: &[(String, i64)],
    ) -> Result<(), ImportError> {
        let mut taken = Vec::new();
        for some in accounts.chunks(NAMES_AT_ONCE) {
            let batch = self
                .0
                .batch(
                    some.iter()
                        .map(|(name, _)| key::account(name)),
                )
                .await?;
            let is_taken = |(name, user): &&(String, i64)| {
                let key = key::account(name);
                let is_same = batch.named(&key).is_some_and(|owner| {
                    Some(owner.organization_id) == begun && owner.user_id.get() == *user
                });
                batch.has(&key) && !is_same
            };
            taken.extend(
                some.iter()
                    .filter(is_taken)
                    .map(|(name, _)| name.clone()),
            );
        }
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
        self.0
            .table
            .put_raw(item, expected)
            .await?
            .or_leave();
        Ok(())
    }

    /// Writes all items but the organization's own. Returns their number.
    async fn put_items<R: BufRead + Seek>(
        &self,
        file: &mut ImportFile<R>,
        import: &Import,
    ) -> Result<usize, ImportError> {
        file.header()?;
        let own = AnyKey::from(key::organization(import.tenant));
        let items = std::iter::from_fn(|| file.next_item().transpose());
        let items = items.filter_map(|line| {
            let moved = line.and_then(|(place, _, item)| import.moved(place, item));
            moved.transpose()
        });
        let items = items.filter(|item| {
            let is_own = |item: &RawItem| item.key().as_ref() == Some(&own);
            !item.as_ref().is_ok_and(is_own)
        });
        let puts = stream::iter(items).map(async |item| self.put_once(&item?).await);
        let puts = puts.buffer_unordered(CONCURRENCY);
        puts.try_fold(0, async |items, ()| Ok(items + 1))
            .await
    }

    /// Writes an item, unless an interrupted import did.
    async fn put_once(&self, item: &RawItem) -> Result<(), ImportError> {
        let table = &self.0.table;
        let done = table
            .put_raw(item, Condition::absent())
            .await?;
        let Some(key) = item.key().filter(|_| done.is_err()) else {
            return Ok(());
        };
        let existing = table.raw_item(&key).await?;
        let is_same = existing.is_some_and(|mut existing| {
            existing.forget_write();
            existing == *item
        });
        is_same
            .then_some(())
            .ok_or(ImportError::Occupied(key))
    }

    /// Raises the counters of ids beyond all ids that the items have or name.
    async fn raise_counters(&self, tenant: Tenant, contents: &Contents) -> Result<()> {
        let mut newest = contents.newest.clone();
        // An id that was just given out is not beyond its counter.
        newest.insert(RecordType::Organization, tenant.get());
        for (kind, id) in newest {
            let is_lower = Condition::default().absent_or("last", "# < :", id);
            let raised = UpdateExpression::default().set("last", id);
            let write = Write::update(key::counter(kind.name()), raised, is_lower);
            // A refused one is higher.
            self.0
                .table
                .write(write)
                .await?
                .or_leave();
        }
        Ok(())
    }
}

/// The ids of an import: of the file's organization and of the table's.
struct Import {
    from: OrganizationId,
    tenant: OrganizationId,
    is_new: bool,
}

impl Import {
    /// Returns the item as the table gets it. `None` for one that follows from the new
    /// organization. A moved item is checked again.
    fn moved(&self, place: usize, mut item: RawItem) -> Result<Option<RawItem>, ImportError> {
        if !self.is_new {
            return Ok(Some(item));
        }
        // Reference search finds the organization itself by another item then.
        if item.text("refersTo") == Some(RecordType::Organization.name()) {
            return Ok(None);
        }
        self.moves(&mut item);
        let checked = records_in(&item, self.tenant);
        checked.map_err(|why| ImportError::line(place, why))?;
        Ok(Some(item))
    }

    /// Moves an item with its keys to another organization. Entries of journals keep the id of
    /// their chain.
    fn moves(&self, item: &mut RawItem) {
        if !self.is_new {
            return;
        }
        for name in PARTITIONS {
            let moved = item
                .text(name)
                .and_then(|pk| key::moved(pk, self.from, self.tenant));
            if let Some(moved) = moved {
                item.set(name, moved);
            }
        }
        let kind = item
            .text("kind")
            .unwrap_or_default()
            .to_owned();
        if kind == EmailHolder::KIND
            && let Some(key) = item
                .text("email")
                .map(|email| key::email_holder(self.tenant, email))
        {
            item.set("sk", AnyKey::from(key).sk());
        }
        let own = [OrganizationEntry::KIND, SignInEntry::KIND];
        let is_entry = own.contains(&&*kind) || kind == JournalEntry::KIND;
        if is_entry && item.number(CHAINED_AS).is_none() {
            item.set(CHAINED_AS, self.from);
        }
        if kind == RecordType::Organization.name() {
            item.set("id", self.tenant);
        }
        if item.text("referenceType") == Some(RecordType::Organization.name()) {
            item.set("referenceId", self.tenant);
        }
        item.replace_numbers("organizationId", self.tenant.get());
        let of_organization = [
            RecordType::Organization.name(),
            RecordType::AgentPolicy.name(),
        ];
        item.replace_ids_of(&of_organization, self.tenant.get());
    }
}
