//! Activities and the tags they carry.

use std::collections::HashMap;

use model::{
    Activity, ActivityCreate, ActivityId, Error, Id, OrganizationId, ProjectId, ProjectRef, TagId,
    UserId, UserRef,
};
use serde::{Deserialize, Serialize};

use super::{
    Permit, Store,
    directory::takes_work,
    id_is_taken,
    key::{self, AnyKey, Gsi1, Gsi2, Key},
    table::{Condition, OrNotFound, Read, Record, Write},
};

/// Activities.
#[derive(Clone, Copy, Debug)]
pub struct Activities<'a>(pub(super) &'a Store);

/// An activity with what it refers to.
#[derive(Clone, Debug)]
pub struct ActivityWithRefs {
    /// The activity.
    pub activity: Activity,
    /// Who recorded it; `None` when the account is gone.
    pub creator: Option<UserRef>,
    /// Its project, if it has one.
    pub project: Option<ProjectRef>,
}

impl Record for Activity {
    const KIND: &'static str = "activity";

    fn key(&self) -> Key<Self> {
        key::activity(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        Some(key::activity_in_time(self))
    }

    fn gsi2(&self) -> Option<Key<Self, Gsi2>> {
        key::activity_in_project(self)
    }
}

/// Says that an activity carries a tag, and nothing else, so that attaching repeats without harm.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_field_names,
    reason = "the table's attributes are named like everywhere else"
)]
pub(super) struct ActivityTag {
    organization_id: OrganizationId,
    activity_id: ActivityId,
    tag_id: TagId,
}

impl Record for ActivityTag {
    const KIND: &'static str = "activity_tag";

    fn key(&self) -> Key<Self> {
        key::activity_tag(self.organization_id, self.activity_id, self.tag_id)
    }
}

impl Activities<'_> {
    /// Records an activity. 404 when the project or the organization is not the tenant's, 409 when
    /// the project is archived.
    pub async fn create(
        &self,
        permit: impl Into<Permit>,
        creator: UserId,
        new: ActivityCreate,
    ) -> Result<Activity, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        if new.organization_id.is_some_and(|named| named != tenant) {
            return Err(Error::NotFound(OrganizationId::NOUN));
        }
        let id = permit.beside(self.0.next_id()).await?;
        let activity = Activity::new(id, tenant, creator, new, self.0.clock.now());
        let mut writes = vec![Write::create(&activity)?];
        let project = activity.project_id;
        writes.extend(project.map(|project| takes_work(tenant, project)));
        match (self.0.table.transact(writes).await?, project) {
            (Ok(()), _) => Ok(activity),
            (Err(refused), Some(project)) if !refused.at(0) => {
                Err(self.0.no_work_for(tenant, project).await)
            }
            (Err(_), _) => Err(id_is_taken(Activity::KIND)),
        }
    }

    /// One activity. 404 when it is not the tenant's.
    pub async fn get(
        &self,
        tenant: OrganizationId,
        id: ActivityId,
    ) -> Result<ActivityWithRefs, Error> {
        let key = key::activity(tenant, id);
        let activity = self.0.table.get(&key, Read::Consistent).await?;
        let activity = activity.or_not_found(ActivityId::NOUN)?;
        let mut joined = self.join(tenant, vec![activity.record]).await?;
        joined.pop().or_not_found(ActivityId::NOUN)
    }

    /// The organization's activities, those of its projects included, newest first.
    pub async fn of_organization(
        &self,
        tenant: OrganizationId,
    ) -> Result<Vec<ActivityWithRefs>, Error> {
        let newest_first = key::activities(tenant).descending();
        let activities = self.0.table.list(newest_first).await?;
        self.join(tenant, activities).await
    }

    /// A project's activities, newest first. 404 when the project is not the tenant's.
    pub async fn of_project(
        &self,
        tenant: OrganizationId,
        project: ProjectId,
    ) -> Result<Vec<ActivityWithRefs>, Error> {
        let table = &self.0.table;
        let key = key::project(tenant, project);
        let newest_first = key::activities_of_project(tenant, project).descending();
        let (project, activities) =
            tokio::try_join!(table.get(&key, Read::Eventual), table.list(newest_first))?;
        project.or_not_found(ProjectId::NOUN)?;
        self.join(tenant, activities).await
    }

    /// Attaches a tag, which may be attached already. 404 when the activity or the tag is not the
    /// tenant's.
    pub async fn attach_tag(
        &self,
        permit: impl Into<Permit>,
        activity: ActivityId,
        tag: TagId,
    ) -> Result<(), Error> {
        let tenant = permit.into().given().await?;
        let link = Write::put(&ActivityTag {
            organization_id: tenant,
            activity_id: activity,
            tag_id: tag,
        })?;
        self.change_tag(tenant, activity, tag, link).await
    }

    /// Detaches a tag, which may be detached already. 404 when the activity or the tag is not the
    /// tenant's.
    pub async fn detach_tag(
        &self,
        permit: impl Into<Permit>,
        activity: ActivityId,
        tag: TagId,
    ) -> Result<(), Error> {
        let tenant = permit.into().given().await?;
        let link = key::activity_tag(tenant, activity, tag);
        let unlink = Write::delete(link, Condition::default());
        self.change_tag(tenant, activity, tag, unlink).await
    }

    async fn change_tag(
        &self,
        tenant: OrganizationId,
        activity: ActivityId,
        tag: TagId,
        change: Write,
    ) -> Result<(), Error> {
        let writes = vec![
            Write::check(key::activity(tenant, activity), Condition::exists()),
            Write::check(key::tag(tenant, tag), Condition::exists()),
            change,
        ];
        match self.0.table.transact(writes).await? {
            Err(refused) if !refused.at(0) => Err(Error::NotFound(TagId::NOUN)),
            done => done.or_not_found(ActivityId::NOUN),
        }
    }

    /// Reads creators and projects, each once.
    async fn join(
        &self,
        tenant: OrganizationId,
        activities: Vec<Activity>,
    ) -> Result<Vec<ActivityWithRefs>, Error> {
        let creators = || activities.iter().map(|activity| activity.creator_id);
        let projects = || activities.iter().filter_map(|activity| activity.project_id);
        let user = |id| key::user(tenant, id);
        let project = |id| key::project(tenant, id);
        let keys = creators().map(user).map(AnyKey::from);
        let keys = keys.chain(projects().map(project).map(AnyKey::from));
        let batch = self.0.table.batch_get(keys, Read::Eventual).await?;
        let users: HashMap<_, UserRef> = batch.all(creators(), user)?;
        let projects: HashMap<_, ProjectRef> = batch.all(projects(), project)?;
        let joined = |activity: Activity| ActivityWithRefs {
            creator: users.get(&activity.creator_id).cloned(),
            project: activity
                .project_id
                .and_then(|id| projects.get(&id).cloned()),
            activity,
        };
        Ok(activities.into_iter().map(joined).collect())
    }
}
