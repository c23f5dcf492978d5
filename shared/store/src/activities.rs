//! Activities.

use std::{collections::HashMap, iter};

use model::{
    Activity, ActivityCreate, ActivityFilter, ActivityId, ActivitySort, ActivityUpdate, Error, Id,
    OrganizationId, ProjectId, ProjectRef, TagId, TagRef, Thread, UserId, UserRef,
};

use super::{
    Permit, Store,
    cleanup::Subject,
    directory::takes_work,
    filter::Filter,
    key::{self, AnyKey, Gsi1, Gsi2, Index, Key, List},
    once::id_of,
    page::{Page, Wanted},
    rewrite::rewrite,
    table::{OrNotFound, Read, Record, Stored, Write},
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
    pub activity: Stored<Activity>,
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
    pub activity: Stored<Activity>,
    /// The tags that it carries, by id.
    pub tags: Vec<TagRef>,
}

/// Which activities are asked for, and by whom.
#[derive(Clone, Copy, Debug)]
pub struct ActivitiesAsked<'a> {
    /// Who `me` is.
    pub caller: UserId,
    /// Which of them.
    pub filter: &'a ActivityFilter,
    /// In which order.
    pub sort: ActivitySort,
    /// Which page.
    pub wanted: &'a Wanted,
}

/// What some activities name, of which what is gone, or does not read, is named by none.
struct Named {
    creators: HashMap<UserId, UserRef>,
    projects: HashMap<ProjectId, ProjectRef>,
    tags: HashMap<TagId, TagRef>,
}

impl Named {
    fn join(&self, activity: Stored<Activity>) -> ActivityWithRefs {
        let project = activity.project_id.and_then(|id| self.projects.get(&id));
        ActivityWithRefs {
            creator: self.creators.get(&activity.creator_id).cloned(),
            project: project.cloned(),
            tags: tagging::carried(&activity.tag_ids, &self.tags),
            activity,
        }
    }
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
    /// Records an activity. 404 when the project or the organization is not the tenant's, 409 when
    /// the project is archived.
    pub async fn create(
        &self,
        permit: impl Into<Permit>,
        creator: UserId,
        new: ActivityCreate,
    ) -> Result<TaggedActivity, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let create = async |permit| self.create_new(permit, creator, new).await;
        let again = async |made| {
            let ActivityWithRefs { activity, tags, .. } = self.get(tenant, id_of(made)?).await?;
            Ok(TaggedActivity { activity, tags })
        };
        permit.once(create, again).await
    }

    async fn create_new(
        &self,
        permit: Permit,
        creator: UserId,
        new: ActivityCreate,
    ) -> Result<TaggedActivity, Error> {
        let tenant = permit.tenant();
        if new.organization_id.is_some_and(|named| named != tenant) {
            return Err(Error::NotFound(OrganizationId::NOUN));
        }
        let project = async {
            match new.project_id {
                Some(id) => self.0.directory().project(tenant, id).await.map(Some),
                None => Ok(None),
            }
        };
        let read = async { tokio::try_join!(self.0.next_id(), project) };
        let (given, (id, project)) = permit.beside(read).await?;
        project.map_or(Ok(()), |project| takes_work(&project))?;
        let activity = Activity::new(id, tenant, creator, new, self.0.clock.now());
        let writes = vec![Write::create(&activity)?];
        self.0.create_all(&given, writes, id).await?;
        Ok(TaggedActivity {
            activity: Stored::created(activity),
            tags: Vec::new(),
        })
    }

    /// One activity. 404 when it is not the tenant's.
    pub async fn get(
        &self,
        tenant: OrganizationId,
        id: ActivityId,
    ) -> Result<ActivityWithRefs, Error> {
        let key = key::activity(tenant, id);
        let activity = self.0.one(&key, ActivityId::NOUN).await?;
        let named = self.named(tenant, iter::once(&activity.record)).await?;
        Ok(named.join(activity))
    }

    /// The organization's activities that fit, those of its projects included, by time.
    pub async fn of_organization(
        &self,
        tenant: OrganizationId,
        asked: ActivitiesAsked<'_>,
    ) -> Result<Page<ActivityWithRefs>, Error> {
        let page = self.page(key::activities(tenant), asked).await?;
        self.joined(tenant, page, asked).await
    }

    /// A project's activities that fit, by time. 404 when the project is not the tenant's.
    pub async fn of_project(
        &self,
        tenant: OrganizationId,
        project: ProjectId,
        asked: ActivitiesAsked<'_>,
    ) -> Result<Page<ActivityWithRefs>, Error> {
        let key = key::project(tenant, project);
        let activities = key::activities_of_project(tenant, project);
        let (project, page) = tokio::try_join!(
            self.0.table.get(&key, Read::Eventual),
            self.page(activities, asked),
        )?;
        project.or_not_found(ProjectId::NOUN)?;
        self.joined(tenant, page, asked).await
    }

    async fn page<I: Index>(
        &self,
        activities: List<Activity, I>,
        asked: ActivitiesAsked<'_>,
    ) -> Result<Page<Stored<Activity>>, Error> {
        let ActivityFilter {
            r#type: kind,
            creator_id,
            tag_id,
            from,
            to,
        } = asked.filter;
        if from.zip(*to).is_some_and(|(from, to)| from >= to) {
            return Ok(Page::empty());
        }
        let filter = Filter::of(asked.caller)
            .any("type", kind.as_ref())?
            .any("creatorId", creator_id.as_ref())?
            .having(tagging::TAG_IDS, tag_id.as_ref())?;
        let mut activities = activities
            .filter(filter.condition())
            .descending_if(asked.sort.is_descending());
        if let Some(from) = from {
            activities = activities.from(key::instant(*from));
        }
        if let Some(to) = to {
            activities = activities.up_to(key::instant(*to));
        }
        self.0.table.page(activities, asked.wanted).await
    }

    /// The page with what its activities name, without those that fitted by a tag that is gone.
    async fn joined(
        &self,
        tenant: OrganizationId,
        page: Page<Stored<Activity>>,
        asked: ActivitiesAsked<'_>,
    ) -> Result<Page<ActivityWithRefs>, Error> {
        let activities = page.records().map(|stored| &stored.record);
        let named = self.named(tenant, activities).await?;
        let asked = asked.filter.tag_id.as_ref();
        Ok(page.filter_map(|activity| {
            let joined = named.join(activity);
            let fits = asked.is_none_or(|asked| tagging::fits(asked, &joined.tags));
            fits.then_some(joined)
        }))
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
        let (given, found) = permit.beside(read()).await?;
        let given = &given;
        let write = |found: Option<Stored<Activity>>| async move {
            let mut activity = given.current(found, ActivityId::NOUN)?;
            activity.change(update.clone(), self.0.clock.now());
            let tags = tagging::keys(tenant, iter::once(&activity.tag_ids));
            let (done, found) = tokio::try_join!(
                table.write(Write::replace(&activity)?),
                table.batch_get(tags, JOIN),
            )?;
            let there = tagging::found(tenant, iter::once(&activity.tag_ids), &found);
            Ok(done.is_ok().then(|| TaggedActivity {
                tags: tagging::carried(&activity.tag_ids, &there),
                activity: activity.replaced(),
            }))
        };
        let found = given.current(found, ActivityId::NOUN)?;
        allow(found.creator_id).await?;
        rewrite(Some(found), read, write).await
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
        let key = key::activity(permit.tenant(), id);
        let comments = |_: &Activity| Subject::Thread(Thread::Activity(id));
        let allow = async |activity: &Activity| allow(activity.creator_id).await;
        self.0
            .delete_with_cleanup(permit, key, ActivityId::NOUN, comments, allow)
            .await
    }

    /// Reads creators, projects and tags, each once.
    async fn named<'a>(
        &self,
        tenant: OrganizationId,
        activities: impl Iterator<Item = &'a Activity> + Clone,
    ) -> Result<Named, Error> {
        let creators = activities.clone().map(|activity| activity.creator_id);
        let projects = activities
            .clone()
            .filter_map(|activity| activity.project_id);
        let tags = activities.map(|activity| &activity.tag_ids);
        let user = |id| key::user(tenant, id);
        let project = |id| key::project(tenant, id);
        let keys = creators.clone().map(user).map(AnyKey::from);
        let keys = keys.chain(projects.clone().map(project).map(AnyKey::from));
        let keys = keys.chain(tagging::keys(tenant, tags.clone()));
        let found = self.0.table.batch_get(keys, JOIN).await?;
        Ok(Named {
            creators: found.all(creators, user),
            projects: found.all(projects, project),
            tags: tagging::found(tenant, tags, &found),
        })
    }
}
