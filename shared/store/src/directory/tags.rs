//! Tags, whose names are unique in an organization.

use std::future::ready;

use model::{Code, Error, OrganizationId, Tag, TagCreate, TagId, TagUpdate, words::fold};

use super::Directory;
use crate::{
    PendingWrite, WriteContext,
    key::{self, Gsi1, Key},
    page::{Page, Wanted},
    records::{NameOfTag, Subject},
    table::{Condition, IntoAttribute, Record, Stored, Write},
    tracked::Tracked,
    writes::Writes,
};

impl Record<crate::Workdesk> for Tag {
    const KIND: &'static str = "tag";

    fn key(&self) -> Key<Self> {
        key::tag(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        Some(key::tag_by_name(self))
    }
}

impl NameOfTag {
    fn of(tag: &Tag) -> Self {
        Self {
            organization_id: tag.organization_id,
            name: fold(&tag.name),
            tag_id: tag.id,
        }
    }

    /// Releases the name. A tag that is older than this kind of item has none to release.
    fn release(&self) -> Write {
        let is_its = "(attribute_not_exists(#) OR # = :)";
        let is_its = Condition::default().and(is_its, "tagId", [self.tag_id.into_attribute()]);
        Write::delete(self.key(), is_its)
    }
}

impl Record<crate::Workdesk> for NameOfTag {
    const KIND: &'static str = "tag_name";

    fn key(&self) -> Key<Self> {
        key::name_of_tag(self.organization_id, &self.name)
    }
}

impl Tracked for Tag {}

impl Directory<'_> {
    /// The organization's tags by name.
    pub async fn tags(
        &self,
        tenant: OrganizationId,
        wanted: &Wanted,
    ) -> Result<Page<Stored<Tag>>, Error> {
        self.0.table.page(key::tags(tenant), wanted).await
    }

    /// Creates a tag. 409 when another tag has its name.
    pub async fn create_tag(
        &self,
        pending: impl Into<PendingWrite>,
        new: TagCreate,
    ) -> Result<Stored<Tag>, Error> {
        let tag = |context: &WriteContext, id, (), now| {
            let tag = Tag {
                id,
                organization_id: context.tenant,
                name: new.name,
                created_at: now,
                updated_at: now,
            };
            let mut writes = Writes::default();
            writes.push_or(Write::create(&NameOfTag::of(&tag))?, name_is_taken());
            Ok((tag, writes))
        };
        let nothing = ready(Ok(()));
        self.0.create(pending, key::tag, nothing, tag).await
    }

    /// Changes a tag. 404 when it is not the tenant's, 409 when another tag has its new name.
    pub async fn update_tag(
        &self,
        pending: impl Into<PendingWrite>,
        id: TagId,
        update: TagUpdate,
    ) -> Result<Stored<Tag>, Error> {
        let change = |_: &WriteContext, tag: &mut Tag, now| {
            let old = NameOfTag::of(tag);
            update.clone().apply(tag);
            tag.updated_at = now;
            let new = NameOfTag::of(tag);
            let mut writes = Writes::default();
            if new.name != old.name {
                writes.push_or(Write::create(&new)?, name_is_taken());
                writes.push_or(old.release(), name_is_taken());
            }
            Ok(writes)
        };
        self.0.update(pending, key::tag, id, change).await
    }

    /// Deletes a tag and releases its name. No record shows it from then on, and the sweeper removes it
    /// from the records. 404 when it is not the tenant's.
    pub async fn delete_tag(
        &self,
        pending: impl Into<PendingWrite>,
        id: TagId,
    ) -> Result<(), Error> {
        let carriers = |tag: &Tag| (Subject::Tag(id), NameOfTag::of(tag).release().into());
        self.0.delete(pending, key::tag, id, carriers).await
    }
}

fn name_is_taken() -> Error {
    Error::conflict(Code::NameTaken, "Another tag has this name.")
}
