//! The export of an organization: a header, and a line for each item.

use std::collections::BTreeMap;

use model::{
    base::{OrganizationId, RecordType, Timestamp},
    people::{PasswordHash, SignInProvider},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use table::{RawItem, Record};

use crate::{Result, Tenant, base::Account, key};

use super::{
    Tenants,
    kinds::{Export, Kind},
};

/// The first line of an export.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExportHeader {
    pub format: String,
    pub version: i64,
    pub organization: OrganizationId,
    pub at: Timestamp,
    /// The lines that follow, by kind.
    pub counts: BTreeMap<String, usize>,
}

impl ExportHeader {
    pub const FORMAT: &'static str = "workdesk-organization";
    pub const VERSION: i64 = 1;
}

/// An item of an export.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    pub kind: String,
    /// Its attributes as DynamoDB's JSON, with the types of their values.
    pub item: Value,
}

/// The ciphertext of a secret that was left out. It decrypts to nothing.
pub(super) const NO_SECRET: &str = "";

impl Tenants<'_> {
    /// Returns the header of an export at this instant. Reads all items.
    pub async fn export_header(&self, tenant: Tenant, at: Timestamp) -> Result<ExportHeader> {
        let mut counts = BTreeMap::new();
        self.export(tenant, at, None, &mut |line| {
            *counts.entry(line.kind).or_default() += 1;
        })
        .await?;
        Ok(ExportHeader {
            format: ExportHeader::FORMAT.to_owned(),
            version: ExportHeader::VERSION,
            organization: tenant,
            at,
            counts,
        })
    }

    /// Passes each item to `line`, always in the same order: all but derived items, sessions,
    /// tokens, ciphertexts, and those that have expired at this instant. `unusable` takes the place
    /// of password hashes.
    pub async fn export(
        &self,
        tenant: Tenant,
        at: Timestamp,
        unusable: Option<&PasswordHash>,
        line: &mut impl FnMut(Line),
    ) -> Result<()> {
        let all = key::partitions(tenant);
        let mut write = async |items: Vec<RawItem>| {
            let items = items.into_iter();
            for item in items.filter_map(|item| exported(item, at, unusable)) {
                let kind = kind_of(&item);
                let item = item.to_json();
                line(Line { kind, item });
            }
            Ok(())
        };
        self.walk(tenant, all, &mut write).await
    }
}

/// Returns an item without what stays behind. `None` if all of it does.
fn exported(mut item: RawItem, at: Timestamp, unusable: Option<&PasswordHash>) -> Option<RawItem> {
    let end = item.number("expiresAt");
    let has_expired = end.is_some_and(|end| end <= at.epoch_seconds());
    let kind = item.text("kind").and_then(Kind::named);
    let is_left_out = kind.is_some_and(|kind| kind.export == Export::LeavesOut);
    if has_expired || is_left_out {
        return None;
    }
    item.forget_write();
    match item.text("kind") {
        Some(kind) if kind == RecordType::Organization.name() => {
            item.remove("suspended");
            item.remove("importOf");
        }
        Some("connection") => item.set_in("secret", "ciphertext", NO_SECRET),
        Some(SignInProvider::KIND) => item.set_in("clientSecret", "ciphertext", NO_SECRET),
        Some(Account::KIND) => {
            if let Some(unusable) = unusable {
                item.set("passwordHash", unusable.expose());
            }
        }
        _ => {}
    }
    Some(item)
}

/// The kind of an item. Counters without one have the last name of their key.
pub(super) fn kind_of(item: &RawItem) -> String {
    if let Some(kind) = item.text("kind") {
        return kind.to_owned();
    }
    item.key()
        .map_or_else(String::new, |key| {
            let below = key.pk().split('#').nth(2);
            below.unwrap_or(key.sk()).to_lowercase()
        })
}
