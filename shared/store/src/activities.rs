//! Activities.

use std::{collections::HashMap, iter};

use model::{
    Activity, ActivityCreate, ActivityId, ActivityUpdate, Error, Id, OrganizationId, ProjectId,
    ProjectRef, TagRef, Thread, UserId, UserRef,
};

use super::{
    Permit, Store,
    cleanup::Subject,
    id_is_taken,
    key::{self, AnyKey, Gsi1, Gsi2, Key},
    rewrite::rewrite,
    table::{Condition, OrNotFound, Read, Record, Stored, Write},
    tagging,
};

/// A tag that was deleted must not show on its activities, not even for the moment in which an
/// eventually consistent read still finds it.
const JOIN: Read = Read::Consistent;

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
    /// The tags that it carries, by id.
    pub tags: Vec<TagRef>,
}

/// An activity with its tags alone.
#[derive(Clone, Debug)]
pub struct TaggedActivity {
    /// The activity.
    pub activity: Activity,
    /// The tags that it carries, by id.
    pub tags: Vec<TagRef>,
}

impl Record for Activity {
    const KIND: &'static str = "activity";
    const NUMBER_SETS: &'static [&'static str] = &[tagging::TAG_IDS];

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

impl Activities<'_> {
    /// Records an activity. 404 when the project or the organization is not the tenant's.
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
        writes.extend(
            activity
                .project_id
                .map(|project| Write::check(key::project(tenant, project), Condition::exists())),
        );
        match self.0.table.transact(writes).await? {
            Err(refused) if refused.at(0) => Err(id_is_taken(Activity::KIND)),
            done => done.or_not_found(ProjectId::NOUN).map(|()| activity),
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

    /// Changes an activity, unless `allow` refuses when it hears who recorded it; a new timestamp
    /// moves it in the lists. 404 when it is not the tenant's, 409 when it kept changing.
    pub async fn update(
        &self,
        permit: impl Into<Permit>,
        id: ActivityId,
        update: ActivityUpdate,
        allow: impl AsyncFnOnce(UserId) -> Result<(), Error>,
    ) -> Result<TaggedActivity, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let table = &self.0.table;
        let key = &key::activity(tenant, id);
        let update = &update;
        let read = || table.get(key, Read::Consistent);
        let write = |found: Option<Stored<Activity>>| async move {
            let mut activity = found.or_not_found(ActivityId::NOUN)?;
            activity.change(update.clone(), self.0.clock.now());
            let tags = tagging::keys(tenant, iter::once(&activity.tag_ids));
            let (done, found) = tokio::try_join!(
                table.write(Write::replace(&activity)?),
                table.batch_get(tags, JOIN),
            )?;
            let there = tagging::found(tenant, iter::once(&activity.tag_ids), &found)?;
            Ok(done.is_ok().then(|| TaggedActivity {
                tags: tagging::carried(&activity.tag_ids, &there),
                activity: activity.record,
            }))
        };
        let found = permit
            .beside(read())
            .await?
            .or_not_found(ActivityId::NOUN)?;
        allow(found.creator_id).await?;
        let updated = rewrite(Some(found), read, write).await?;
        updated.ok_or_else(Error::contended)
    }

    /// Deletes an activity, unless `allow` refuses when it hears who recorded it. From that moment
    /// its comments are out of reach; the sweeper deletes them, whatever their number. 404 when it
    /// is not the tenant's.
    pub async fn delete(
        &self,
        permit: impl Into<Permit>,
        id: ActivityId,
        allow: impl AsyncFnOnce(UserId) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let key = key::activity(tenant, id);
        let found = self.0.table.get(&key, Read::Consistent);
        let activity = permit.beside(found).await?;
        allow(activity.or_not_found(ActivityId::NOUN)?.creator_id).await?;
        let comments = Subject::Thread(Thread::Activity(id));
        let deleted = self.0.delete_with_cleanup(tenant, key, comments).await?;
        deleted.or_not_found(ActivityId::NOUN)
    }

    /// Reads creators, projects and tags, each once.
    async fn join(
        &self,
        tenant: OrganizationId,
        activities: Vec<Activity>,
    ) -> Result<Vec<ActivityWithRefs>, Error> {
        let creators = || activities.iter().map(|activity| activity.creator_id);
        let projects = || activities.iter().filter_map(|activity| activity.project_id);
        let tags = || activities.iter().map(|activity| &activity.tag_ids);
        let user = |id| key::user(tenant, id);
        let project = |id| key::project(tenant, id);
        let keys = creators().map(user).map(AnyKey::from);
        let keys = keys.chain(projects().map(project).map(AnyKey::from));
        let keys = keys.chain(tagging::keys(tenant, tags()));
        let batch = self.0.table.batch_get(keys, JOIN).await?;
        let users: HashMap<_, UserRef> = batch.all(creators(), user)?;
        let projects: HashMap<_, ProjectRef> = batch.all(projects(), project)?;
        let there = tagging::found(tenant, tags(), &batch)?;
        let joined = |activity: Activity| ActivityWithRefs {
            creator: users.get(&activity.creator_id).cloned(),
            project: activity
                .project_id
                .and_then(|id| projects.get(&id).cloned()),
            tags: tagging::carried(&activity.tag_ids, &there),
            activity,
        };
        Ok(activities.into_iter().map(joined).collect())
    }
}
