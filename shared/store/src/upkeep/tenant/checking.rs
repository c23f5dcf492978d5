//! The check of an import: each line is an item of the organization, and lies where the service
//! itself would write it.
//!
//! A file may come from anyone. So its keys are not believed: the code that writes a record
//! computes them again.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
};

use model::{
    base::{Deleted, Id, NamedRecord, RecordType, unique_name},
    people::Organization,
};
use serde::Deserialize;
use serde_json::Value;
use table::{AnyKey, RawItem, Record};

use crate::{
    Result, Tenant,
    base::{
        Account,
        records::{Cleanup, Deletion, EmailHolder},
    },
    key,
};

use super::{
    ImportError,
    exporting::{NO_SECRET, kind_of},
    kinds::{Checked, Export, Kind},
};

/// Ids beyond the service's newest that a file may use. A file never uses up the ids of a type.
const IDS_AHEAD: i64 = 10_000_000;

/// Ids of organizations beyond the newest. The operator's list of organizations reads every id.
const ORGANIZATIONS_AHEAD: i64 = 100_000;

/// The attribute of an entry with the id of the organization in whose journal it was chained.
pub(super) const CHAINED_AS: &str = "chainedAs";

/// The last id that the table gave out, by the name of the type.
pub(super) type Counters = HashMap<&'static str, i64>;

/// A file as far as it was checked.
pub(super) struct Check<'a> {
    tenant: Tenant,
    /// True if the organization gets another id than in the file.
    is_new: bool,
    counters: &'a Counters,
    counts: BTreeMap<String, usize>,
    keys: HashSet<u64>,
    /// The users of the file by id.
    users: HashMap<i64, FileUser>,
    /// The records of the file, with those that it says were deleted.
    records: HashSet<(RecordType, i64)>,
    /// Records that other lines name, each with the first of them.
    named: BTreeMap<(RecordType, i64), (usize, String)>,
    accounts: Vec<Holder>,
    emails: Vec<Holder>,
    newest: BTreeMap<RecordType, i64>,
    without_secret: Vec<String>,
}

/// A user of the file.
struct FileUser {
    username: String,
    email: Option<String>,
}

/// A username or an address, which belongs to one user.
struct Holder {
    place: usize,
    name: String,
    user: Option<i64>,
}

/// The content of a file whose lines are all of one organization.
pub(super) struct Contents {
    /// The usernames, each with the id of its user.
    pub(super) accounts: Vec<(String, i64)>,
    /// The largest id of each type.
    pub(super) newest: BTreeMap<RecordType, i64>,
    pub(super) without_secret: Vec<String>,
}

impl<'a> Check<'a> {
    /// Begins a check. Refuses an organization's id that lies too far ahead.
    pub(super) fn begin(
        tenant: Tenant,
        is_new: bool,
        counters: &'a Counters,
    ) -> Result<Self, ImportError> {
        let mut check = Self {
            tenant,
            is_new,
            counters,
            counts: BTreeMap::new(),
            keys: HashSet::new(),
            users: HashMap::new(),
            records: HashSet::new(),
            named: BTreeMap::new(),
            accounts: Vec::new(),
            emails: Vec::new(),
            newest: BTreeMap::new(),
            without_secret: Vec::new(),
        };
        let noted = check.note_id(RecordType::Organization, tenant.get());
        noted.map_err(|why| ImportError::line(1, why))?;
        Ok(check)
    }

    /// Checks a line by itself, and notes what others need of it.
    pub(super) fn line(
        &mut self,
        place: usize,
        kind: String,
        item: &RawItem,
    ) -> Result<(), ImportError> {
        let noted = self.note(place, &kind, item);
        noted.map_err(|why| ImportError::Line(place, why))?;
        *self.counts.entry(kind).or_default() += 1;
        Ok(())
    }

    fn note(&mut self, place: usize, kind: &str, item: &RawItem) -> Result<(), String> {
        if kind != kind_of(item) {
            return Err(format!("its item is not of the kind {kind}"));
        }
        let bytes = item.bytes();
        if bytes > RawItem::MOST {
            let most = RawItem::MOST;
            return Err(format!(
                "its item has {bytes} bytes; an item has at most {most}"
            ));
        }
        let mut hasher = DefaultHasher::new();
        item.key().hash(&mut hasher);
        if !self.keys.insert(hasher.finish()) {
            return Err("an earlier line has the same key".to_owned());
        }
        let named = records_in(item, self.tenant)?;
        self.note_content(place, kind, item)?;
        for name in named {
            self.note_name(place, kind, name)?;
        }
        Ok(())
    }

    /// Notes the item's own id, its user, and what its journal or its deletion names.
    fn note_content(&mut self, place: usize, kind: &str, item: &RawItem) -> Result<(), String> {
        let record_type = RecordType::named(kind);
        if let Some((record_type, id)) = record_type.zip(item.number("id")) {
            self.note_record(record_type, id)?;
        }
        let holder = |name: &str| Holder {
            place,
            name: item
                .text(name)
                .unwrap_or_default()
                .to_owned(),
            user: item.number("userId"),
        };
        let text = |name: &str| item.text(name).map(str::to_owned);
        if kind == Account::KIND {
            self.accounts.push(holder("username"));
        } else if kind == EmailHolder::KIND {
            self.emails.push(holder("email"));
        } else if record_type == Some(RecordType::User) {
            let user = FileUser {
                username: text("username").unwrap_or_default(),
                email: text("email"),
            };
            self.users
                .extend(item.number("id").map(|id| (id, user)));
        }
        let plain = item.plain().unwrap_or_default();
        if has_secret(&plain) {
            return Err("it has the ciphertext of a secret, which no export has".to_owned());
        }
        self.without_secret
            .extend(without_secret(&plain));
        if [Cleanup::KIND, Deletion::KIND].contains(&kind)
            && let Ok(deleted) = Deleted::deserialize(&plain["subject"])
        {
            self.note_record(deleted.kind, deleted.id.get())?;
        }
        let subjects = plain["subjects"]
            .as_array()
            .into_iter()
            .flatten();
        let subjects = subjects.filter_map(|name| name.as_str()?.split_once(':'));
        for (name, id) in subjects {
            if let Some((record_type, id)) = RecordType::named(name).zip(id.parse().ok()) {
                self.note_id(record_type, id)?;
            }
        }
        Ok(())
    }

    fn note_record(&mut self, kind: RecordType, id: i64) -> Result<(), String> {
        self.records.insert((kind, id));
        self.note_id(kind, id)
    }

    fn note_id(&mut self, kind: RecordType, id: i64) -> Result<(), String> {
        let is_organization = kind == RecordType::Organization;
        if is_organization && self.is_new {
            return Ok(());
        }
        let last = self
            .counters
            .get(kind.name())
            .copied()
            .unwrap_or_default();
        let ahead = if is_organization {
            ORGANIZATIONS_AHEAD
        } else {
            IDS_AHEAD
        };
        let most = last.saturating_add(ahead);
        if !(1..=most).contains(&id) {
            let noun = kind.facts().noun;
            let instead = if is_organization {
                ". Send --as-new"
            } else {
                ""
            };
            return Err(format!(
                "{noun} {id} is beyond {most}, the most that this table takes{instead}"
            ));
        }
        let newest = self.newest.entry(kind).or_default();
        *newest = id.max(*newest);
        Ok(())
    }

    fn note_name(&mut self, place: usize, kind: &str, name: NamedRecord) -> Result<(), String> {
        let NamedRecord {
            kind: record_type,
            id,
            field,
        } = name;
        let is_gone = match record_type {
            // Nothing tells of their deletion.
            RecordType::Comment | RecordType::Token => true,
            RecordType::Organization | RecordType::AgentPolicy => {
                let tenant = self.tenant;
                let noun = record_type.facts().noun;
                let is_own = id == tenant.get() || field == CHAINED_AS;
                let why =
                    || format!("{field} names the {noun} {id}; line 1 has organization {tenant}");
                return is_own.then_some(()).ok_or_else(why);
            }
            RecordType::User => false,
            _ => Kind::named(kind).is_some_and(|kind| kind.export == Export::Outlives),
        };
        if !is_gone {
            self.named
                .entry((record_type, id))
                .or_insert((place, field));
        }
        Ok(())
    }

    /// Checks the lines against each other, and against the counts of line 1.
    pub(super) fn end(self, counts: &BTreeMap<String, usize>) -> Result<Contents, ImportError> {
        let named = self.named.iter();
        let missing = named.filter(|(record, _)| !self.records.contains(record));
        if let Some(((kind, id), (place, field))) = missing.min_by_key(|(_, (place, _))| *place) {
            let noun = kind.facts().noun;
            let why = format!("{field} names the {noun} {id}, which no line of the file has");
            return Err(ImportError::line(*place, why));
        }
        let is_username = |name: &str, user: &FileUser| unique_name::key(&user.username) == name;
        let is_email = |name: &str, user: &FileUser| {
            let email = user
                .email
                .as_deref()
                .map(str::to_ascii_lowercase);
            email.as_deref() == Some(name)
        };
        self.are_of_users(&self.accounts, is_username)?;
        self.are_of_users(&self.emails, is_email)?;
        if self.counts != *counts {
            return Err(ImportError::Counts);
        }
        let accounts = self.accounts.into_iter();
        Ok(Contents {
            accounts: accounts
                .filter_map(|account| Some((account.name, account.user?)))
                .collect(),
            newest: self.newest,
            without_secret: self.without_secret,
        })
    }

    fn are_of_users(
        &self,
        holders: &[Holder],
        has: impl Fn(&str, &FileUser) -> bool,
    ) -> Result<(), ImportError> {
        for holder in holders {
            let user = holder
                .user
                .and_then(|id| self.users.get(&id));
            if !user.is_some_and(|user| has(&holder.name, user)) {
                let why = format!("{:?} is not of its user in the file", holder.name);
                return Err(ImportError::line(holder.place, why));
            }
        }
        Ok(())
    }
}

/// Returns the records that an item of the tenant names. Refuses an item that lies elsewhere, does
/// not read, or is of another organization.
pub(super) fn records_in(item: &RawItem, tenant: Tenant) -> Result<Vec<NamedRecord>, String> {
    let kind = item.text("kind");
    let key = item
        .key()
        .ok_or("its item has no key")?;
    let known = kind.and_then(Kind::named);
    if let Some(Kind { name, .. }) = known.filter(|kind| kind.export == Export::LeavesOut) {
        return Err(format!("no export has items of the kind {name}"));
    }
    let plain = item.plain().unwrap_or_default();
    if let Some(other) = other_organization(&plain, tenant) {
        return Err(format!(
            "organizationId is {other}; line 1 has organization {tenant}"
        ));
    }
    let mut named = match known.and_then(|known| known.check(item)) {
        Some(Ok(Checked {
            wrong_key: None,
            named,
        })) => named,
        Some(Ok(Checked {
            wrong_key: Some(name),
            ..
        })) => {
            return Err(format!(
                "{name} of {key} is not what its record gives. If an earlier version wrote it, run migrate \
                 and export it again"
            ));
        }
        Some(Err(error)) => return Err(error.chain()),
        None => {
            let formless = key::formless(tenant, kind, &key);
            let formless = formless.filter(|_| item.index_key().is_none());
            formless.ok_or_else(|| match kind {
                Some(kind) => format!(
                    "an item of the kind {kind} has not the key {key}, or is not known here"
                ),
                None => format!("no item without a kind has the key {key}"),
            })?
        }
    };
    let own = key::organization(tenant);
    if kind == Some(Organization::KIND) && key != AnyKey::from(own) {
        return Err(format!("it is not organization {tenant} of line 1"));
    }
    if let Some(id) = plain["writtenBy"]["userId"].as_i64() {
        let kind = RecordType::User;
        let field = "writtenBy".to_owned();
        named.push(NamedRecord { kind, id, field });
    }
    // A set of ids has the plural of their type as its kind.
    let listed = kind_of(item);
    let listed = listed
        .strip_suffix('s')
        .and_then(RecordType::named);
    let ids = plain["ids"]
        .as_array()
        .into_iter()
        .flatten();
    let ids = ids.filter_map(Value::as_i64);
    named.extend(listed.into_iter().flat_map(|kind| {
        ids.clone().map(move |id| NamedRecord {
            kind,
            id,
            field: "ids".to_owned(),
        })
    }));
    Ok(named)
}

/// Returns the first `organizationId` that is not the tenant's, at any depth.
fn other_organization(value: &Value, tenant: Tenant) -> Option<Value> {
    match value {
        Value::Object(members) => members
            .iter()
            .find_map(|(name, value)| {
                let is_other = name == "organizationId" && !value.is_null();
                if is_other && value.as_i64() != Some(tenant.get()) {
                    return Some(value.clone());
                }
                other_organization(value, tenant)
            }),
        Value::Array(values) => values
            .iter()
            .find_map(|value| other_organization(value, tenant)),
        _ => None,
    }
}

/// Returns true if an object has a ciphertext.
fn has_secret(plain: &Value) -> bool {
    let mut members = plain.as_object().into_iter().flatten();
    members.any(|(_, value)| {
        let ciphertext = value.get("ciphertext");
        ciphertext.is_some_and(|ciphertext| ciphertext != NO_SECRET)
    })
}

/// Returns the name of a connection whose secret was left out.
fn without_secret(plain: &Value) -> Option<String> {
    let is_left_out = |name: &str| plain[name]["ciphertext"] == NO_SECRET;
    if is_left_out("clientSecret") {
        return Some("provider".to_owned());
    }
    let name = plain["name"]
        .as_str()
        .filter(|_| is_left_out("secret"));
    name.map(|name| format!("connection {name}"))
}
