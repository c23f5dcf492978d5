//! Tags, whose names are unique in an organization.

use std::future::ready;

use model::{
    base::{AnyOf, Code, Error, TagId, unique_name},
    people::{Tag, TagCreate, TagFilter, TagUpdate},
};
use table::{
    Condition, Record, Stored, Write,
    page::{Page, PageRequest},
};

use crate::{
    Result, Tenant,
    base::{
        InScope, Pending, WriteContext, reads::in_first_index, record::record, records::NameOfTag,
        tracked::Tracked, unique::take_keys, writes::Writes,
    },
    key::{self, Keyed},
};

use super::Directory;

record! {
    tag: Tag, id: TagId,
    gsi1: Some(key::tag_by_name(tag)),
    hidden: ["organizationId", "createdAt", "updatedAt"],
}

impl NameOfTag {
    fn of(tag: &Tag) -> Self {
        Self {
            organization_id: tag.organization_id,
            name: unique_name::key(&tag.name),
            tag_id: tag.id,
        }
    }

    /// The writes of a tag's new name; `had` is the tag before. 409 if another tag has it.
    fn take(tag: &Tag, had: Option<&Tag>) -> Result<Writes> {
        let had: Vec<Self> = had.map(Self::of).into_iter().collect();
        take_keys(
            &[Self::of(tag)],
            &had,
            &is_free_or_of(tag.id),
            name_is_taken,
        )
    }
}

/// Expects that no other tag has the name.
fn is_free_or_of(tag: TagId) -> Condition {
    Condition::default().absent_or("tagId", "# = :", tag)
}

record! { name: NameOfTag = "tag_name", key: key::name_of_tag(name.organization_id, &name.name), }

impl Tracked for Tag {}

impl Directory<'_> {
    /// The organization's tags that match a filter, by name.
    pub async fn tags(
        &self,
        tenant: Tenant,
        filter: &TagFilter,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<Tag>>> {
        let Some(AnyOf(ids)) = &filter.id else {
            return self
                .0
                .table
                .page(key::tags(tenant), wanted)
                .await;
        };
        let keys = ids.iter().map(|id| id.key(tenant));
        let any_tag = |_: &Tag| true;
        let rows = self
            .0
            .rows_by_id(keys, any_tag, in_first_index, false, wanted);
        rows.await
    }

    /// Creates a tag. 409 when another tag has its name.
    pub async fn create_tag(&self, pending: impl Pending, new: TagCreate) -> Result<InScope<Tag>> {
        let tag = |context: &WriteContext, id, (), now| {
            let tag = Tag {
                id,
                organization_id: context.tenant,
                name: new.name,
                created_at: now,
                updated_at: now,
            };
            let writes = NameOfTag::take(&tag, None)?;
            Ok((tag, writes))
        };
        let nothing = ready(Ok(()));
        self.0
            .create(pending, nothing, tag)
            .await
    }

    /// Changes a tag. 404 when it is not the tenant's, 409 when another tag has its new name.
    pub async fn update_tag(
        &self,
        pending: impl Pending,
        id: TagId,
        update: TagUpdate,
    ) -> Result<InScope<Tag>> {
        let change = |_: &WriteContext, tag: &mut Tag, now| {
            let had = tag.clone();
            update.clone().apply(tag);
            tag.updated_at = now;
            if tag.name == had.name {
                return Ok(Writes::default());
            }
            NameOfTag::take(tag, Some(&had))
        };
        self.0.update(pending, id, change).await
    }

    /// Deletes a tag and releases its name. No record shows it from then on, and the sweeper
    /// removes it from the records. 404 when it is not the tenant's.
    pub async fn delete_tag(&self, pending: impl Pending, id: TagId) -> Result<()> {
        let carriers = |tag: &Tag| {
            let release = Write::delete(NameOfTag::of(tag).key(), is_free_or_of(tag.id));
            (id.into(), release.into())
        };
        self.0
            .delete(pending, id, carriers)
            .await
    }
}

fn name_is_taken() -> Error {
    Error::conflict(Code::NameTaken, "Another tag has this name.")
}
