//! Search for the projects and the organization that a service request may refer to, by words of
//! their titles.

use model::{
    base::{Description, Id, ProjectId, ReferenceId, ReferenceType},
    updates::ReferenceSearch,
    work::Project,
};
use serde::Serialize;
use table::{
    AnyKey, Batch, Condition, Read, Stored,
    page::{Page, PageRequest},
};
use utoipa::ToSchema;

use crate::{
    Result, Tenant,
    base::{Reader, records::Reference, scope::Placed, store::resource, words::having_words},
    key::{self, Keyed},
};

/// The most rows of a page.
const MOST: usize = 50;
/// Rows of a page without a query, unless the client asks for another number.
const RECENT: usize = 20;

/// The most records that a search reads for a page. They are small.
const MOST_READ: usize = 10_000;

/// A record that a service request may refer to.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ReferenceItem)]
pub struct FoundReference {
    id: ReferenceId,
    #[serde(rename = "type")]
    refers_to: ReferenceType,
    /// A project's title or an organization's name.
    title: String,
    /// A project's description.
    description: Option<Description>,
}

resource! { pub References as references }

impl References<'_> {
    /// The records that match, newest first, at most 50 a page. Without a query and a number of
    /// rows, the 20 most recent.
    pub async fn search(
        &self,
        reader: &Reader,
        search: &ReferenceSearch,
        wanted: &PageRequest,
    ) -> Result<Page<FoundReference>> {
        let tenant = reader.tenant;
        let query = search
            .query
            .as_deref()
            .unwrap_or_default();
        let mut filter = having_words(Condition::default(), query);
        let usual = if filter.is_empty() { RECENT } else { MOST };
        let wanted = PageRequest {
            rows: Some(wanted.rows.unwrap_or(usual).min(MOST)),
            after: wanted.after.clone(),
        };
        if let Some(refers_to) = search.r#type {
            filter = filter.equals("refersTo", refers_to);
        }
        let matching_list = key::references(tenant)
            .descending()
            .filter((!filter.is_empty()).then_some(filter))
            .reading(MOST_READ);
        let matching = self
            .0
            .table
            .page(matching_list, &wanted)
            .await?;
        let keys = matching.records();
        let keys =
            keys.filter_map(|reference| referred_to(tenant, reference.refers_to, reference.id));
        let batch = self
            .0
            .table
            .batch_get(keys, Read::Lasting)
            .await?;
        let scope = reader.scope().await?;
        let rows = matching.filter_map(|reference| {
            let (row, project) = found_in(&batch, tenant, &reference)?;
            let is_seen = |project: &Stored<Project>| scope.sees(project.place());
            project
                .as_ref()
                .is_none_or(is_seen)
                .then_some((row, project))
        });
        let projects = rows
            .records()
            .filter_map(|(_, project)| project.as_ref());
        let texts = self.0.texts(projects).await?;
        Ok(rows.filter_map(|(row, project)| {
            let project = project.map(|project| texts.complete(project));
            let project = project.transpose().ok()?;
            Some(FoundReference {
                description: project.and_then(|project| project.record.description),
                ..row
            })
        }))
    }
}

/// The key of the record that a reference names; `None` for another organization.
pub(crate) fn referred_to(tenant: Tenant, kind: ReferenceType, id: ReferenceId) -> Option<AnyKey> {
    if kind == ReferenceType::Project {
        return ProjectId::new(id.get()).map(|id| id.key(tenant).into());
    }
    (id == tenant.into()).then(|| key::organization(tenant).into())
}

/// The record with its current title, without its description, and the project that has one; `None`
/// when the record is gone or does not read.
fn found_in(
    batch: &Batch,
    tenant: Tenant,
    reference: &Reference,
) -> Option<(FoundReference, Option<Stored<Project>>)> {
    let titled = |title| FoundReference {
        id: reference.id,
        refers_to: reference.refers_to,
        title,
        description: None,
    };
    if reference.refers_to == ReferenceType::Project {
        let project_id = ProjectId::new(reference.id.get())?;
        let project = batch.named(&project_id.key(tenant))?;
        return Some((titled(project.title.clone().into()), Some(project)));
    }
    let Stored { record, .. } = batch.named(&key::organization(tenant))?;
    Some((titled(record.name), None))
}
