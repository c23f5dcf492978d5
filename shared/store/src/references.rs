//! Reference search: what a service request may refer to, by words of its title.

use model::{Error, Id, OrganizationId, ProjectId, ReferenceType};

use super::{
    Store,
    directory::{Reference, words},
    key::{self, AnyKey},
    table::{Batch, Condition, IntoAttribute, Read, Stored},
};

/// Rows of a search, and of a look at the most recent ones.
const FOUND: usize = 50;
const RECENT: usize = 20;

/// What to search for.
#[derive(Clone, Debug, Default)]
pub struct ReferenceSearch {
    /// Each of its words must begin a word of the title, without regard to case. Without a word
    /// in it, the 20 most recent are listed.
    pub text: String,
    /// Only those of this type.
    pub refers_to: Option<ReferenceType>,
}

/// A record that a service request may refer to.
#[derive(Clone, Debug)]
pub struct FoundReference {
    /// The record's id within its type.
    pub id: i64,
    /// What it is.
    pub refers_to: ReferenceType,
    /// A project's title or an organization's name.
    pub title: String,
    /// A project's description.
    pub description: Option<String>,
}

/// What a service request may refer to.
#[derive(Clone, Copy, Debug)]
pub struct References<'a>(pub(super) &'a Store);

impl References<'_> {
    /// What matches, newest first: at most 50, or the 20 most recent when there is no text.
    pub async fn search(
        &self,
        tenant: OrganizationId,
        search: &ReferenceSearch,
    ) -> Result<Vec<FoundReference>, Error> {
        let mut words = words(&search.text);
        words.sort_unstable();
        words.dedup();
        let limit = if words.is_empty() { RECENT } else { FOUND };
        let mut filter = Condition::default();
        for word in &words {
            filter = filter.and("contains(#, :)", "words", [word.as_str().into_attribute()]);
        }
        if let Some(refers_to) = search.refers_to {
            filter = filter.equals("refersTo", refers_to);
        }
        let matching = key::references(tenant)
            .descending()
            .limit(limit)
            .filter(filter);
        let matching = self.0.table.list(matching).await?;
        let keys = matching
            .iter()
            .filter_map(|reference| key_of(tenant, reference));
        let found = self.0.table.batch_get(keys, Read::Eventual).await?;
        let mut references = Vec::with_capacity(matching.len());
        for reference in &matching {
            references.extend(found_in(&found, tenant, reference)?);
        }
        Ok(references)
    }
}

/// Where the record itself lives.
fn key_of(tenant: OrganizationId, reference: &Reference) -> Option<AnyKey> {
    match reference.refers_to {
        ReferenceType::Project => {
            ProjectId::new(reference.id).map(|id| key::project(tenant, id).into())
        }
        // An organization refers to none but itself.
        ReferenceType::Organization => Some(key::organization(tenant).into()),
    }
}

/// The record as it is called now; none when it is gone.
fn found_in(
    found: &Batch,
    tenant: OrganizationId,
    reference: &Reference,
) -> Result<Option<FoundReference>, Error> {
    let titled = |title, description| FoundReference {
        id: reference.id,
        refers_to: reference.refers_to,
        title,
        description,
    };
    Ok(match reference.refers_to {
        ReferenceType::Project => ProjectId::new(reference.id)
            .map(|id| found.get(&key::project(tenant, id)))
            .transpose()?
            .flatten()
            .map(|Stored { record, .. }| titled(record.title, record.description)),
        ReferenceType::Organization => found
            .get(&key::organization(tenant))?
            .map(|Stored { record, .. }| titled(record.name, None)),
    })
}
