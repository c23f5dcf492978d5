//! Tags, and their names, each of which an organization has once.

use model::{Code, Error, Id, OrganizationId, Tag, TagCreate, TagId, TagUpdate};
use serde::{Deserialize, Serialize};

use super::{Directory, fold};
use crate::{
    Given, Permit,
    cleanup::Subject,
    id_is_taken,
    key::{self, Gsi1, Key},
    once::id_of,
    page::{Page, Wanted},
    table::{Condition, IntoAttribute, Read, Record, Stored, Write},
};

impl Record for Tag {
    const KIND: &'static str = "tag";

    fn key(&self) -> Key<Self> {
        key::tag(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        Some(key::tag_by_name(self))
    }
}

/// Holds a tag's name: it is written and deleted in one transaction with the tag.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NameOfTag {
    organization_id: OrganizationId,
    /// In folded form.
    name: String,
    tag_id: TagId,
}

impl NameOfTag {
    fn of(tag: &Tag) -> Self {
        Self {
            organization_id: tag.organization_id,
            name: fold(&tag.name),
            tag_id: tag.id,
        }
    }

    /// Gives the name free, which nobody holds where the tag is older than this item's kind.
    fn release(&self) -> Write {
        let is_its = "(attribute_not_exists(#) OR # = :)";
        let is_its = Condition::default().and(is_its, "tagId", [self.tag_id.into_attribute()]);
        Write::delete(self.key(), is_its)
    }
}

impl Record for NameOfTag {
    const KIND: &'static str = "tag_name";

    fn key(&self) -> Key<Self> {
        key::name_of_tag(self.organization_id, &self.name)
    }
}

impl Directory<'_> {
    /// The organization's tags by name.
    pub async fn tags(
        &self,
        tenant: OrganizationId,
        wanted: &Wanted,
    ) -> Result<Page<Stored<Tag>>, Error> {
        self.0.table.page(key::tags(tenant), wanted).await
    }

    /// Creates a tag. 409 when another one has its name.
    pub async fn create_tag(
        &self,
        permit: impl Into<Permit>,
        new: TagCreate,
    ) -> Result<Stored<Tag>, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let create = async |permit| self.create_new_tag(permit, new).await;
        let again = async |made| {
            let key = key::tag(tenant, id_of(made)?);
            self.0.one(&key, TagId::NOUN).await
        };
        permit.once(create, again).await
    }

    async fn create_new_tag(&self, permit: Permit, new: TagCreate) -> Result<Stored<Tag>, Error> {
        let tenant = permit.tenant();
        let (given, id) = permit.beside(self.0.next_id()).await?;
        let now = self.0.clock.now();
        let tag = Tag {
            id,
            organization_id: tenant,
            name: new.name,
            created_at: now,
            updated_at: now,
        };
        let writes = vec![Write::create(&tag)?, Write::create(&NameOfTag::of(&tag))?];
        match self.0.commit(&given, writes, Some(id.get())).await? {
            Ok(()) => Ok(Stored::created(tag)),
            Err(refused) if refused.at(0) => Err(id_is_taken(Tag::KIND)),
            Err(_) => Err(name_is_taken()),
        }
    }

    /// Changes a tag. 404 when it is not the tenant's, 409 when another one has its new name.
    pub async fn update_tag(
        &self,
        permit: impl Into<Permit>,
        id: TagId,
        update: TagUpdate,
    ) -> Result<Stored<Tag>, Error> {
        let permit = permit.into();
        let table = &self.0.table;
        let key = key::tag(permit.tenant(), id);
        let read = || table.get(&key, Read::Consistent);
        let update = &update;
        let write = |given: Given, tag: Option<Stored<Tag>>| async move {
            let mut tag = given.current(tag, TagId::NOUN)?;
            let old = NameOfTag::of(&tag);
            update.clone().apply(&mut tag);
            tag.updated_at = self.0.clock.now();
            let new = NameOfTag::of(&tag);
            let mut writes = vec![Write::replace(&tag)?];
            if new.name != old.name {
                writes.extend([Write::create(&new)?, old.release()]);
            }
            match table.transact(writes).await? {
                Ok(()) => Ok(Some(tag.replaced())),
                Err(refused) if refused.at(0) => Ok(None),
                Err(_) => Err(name_is_taken()),
            }
        };
        permit.rewrite(read, write).await
    }

    /// Deletes a tag, whose name is free again. From that moment nothing carries it; the sweeper
    /// takes it off the records, whatever their number. 404 when it is not the tenant's.
    pub async fn delete_tag(&self, permit: impl Into<Permit>, id: TagId) -> Result<(), Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let key = key::tag(tenant, id);
        let read = || self.0.table.get(&key, Read::Consistent);
        let write = |given: Given, tag: Option<Stored<Tag>>| async move {
            let tag = given.current(tag, TagId::NOUN)?;
            let writes = vec![
                Write::delete(tag.key(), Condition::version(tag.version)),
                NameOfTag::of(&tag).release(),
                self.0.cleanup_of(tenant, Subject::Tag(id))?,
            ];
            let done = self.0.table.transact(writes).await?;
            Ok(done.is_ok().then_some(()))
        };
        permit.rewrite(read, write).await
    }
}

fn name_is_taken() -> Error {
    Error::conflict(Code::NameTaken, "Another tag has this name.")
}
