//! Items of older forms, which get the form of this version.
//!
//! An item has an older form if this version writes its record otherwise: without a field, or in
//! other places of the indexes. It reads as before, and changes with its next write. Until then,
//! lists by a new index lack it.

use std::collections::{BTreeMap, BTreeSet};

use table::{RawItem, Write};

use crate::{Result, Tenant, key};

use super::{Tenants, kinds::Kind};

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
        let name = item.text("kind")?;
        let Some(kind) = Kind::named(name) else {
            self.unknown.insert(name.to_owned());
            return None;
        };
        match kind.renewal(item) {
            Ok(older) => {
                let write = older?;
                *self.older.entry(kind.name).or_default() += 1;
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
        let mut note = async |items: Vec<RawItem>| {
            for item in &items {
                let older = forms.note(item);
                if let Some(write) = older.filter(|_| rewrites) {
                    // A refused one was written meanwhile, in the form of its writer.
                    let _ = self.0.table.rewrite(write).await?;
                }
            }
            each(&forms).await;
            Ok(())
        };
        let all = key::partitions(tenant);
        self.walk(tenant, all, &mut note)
            .await?;
        Ok(forms)
    }
}
