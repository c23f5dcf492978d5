use std::{collections::HashMap, iter, ops::Deref};

use model::{
    Activity, ActivityCreate, ActivityFilter, ActivityId, ActivitySort, ActivityUpdate, Deleted,
    Error, Id, JsonObject, OrganizationId, Project, ProjectId, ProjectRef, RecordType, TagId,
    TagRef, UserId, UserRef,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    PendingWrite, WriteContext,
    directory::takes_work,
    filter::Filter,
    idempotency::{Created, id_of},
    key::{self, AnyKey, Index, List},
    page::{Page, Wanted},
    record::record,
    shown::Shown,
    store::resource,
    table::{OrNotFound, Read, Stored},
    tagging, texts,
    tracked::Tracked,
    writes::Writes,
};
use crate::versioned;

resource! {
    pub Activities as activities
}

/// The fields of the record. `ToSchema` takes no type arguments here.
type Fields = Shown<Activity>;

/// An activity.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Activity, examples(json!({
    "id": 5,
    "timestamp": "2026-01-14T08:30:00.000Z",
    "type": "meeting",
    "subtype": "kick_off",
    "description": "Agreed on the order in which customers move.",
    "projectId": 1,
    "organizationId": 1,
    "creatorId": 1,
    "metadata": {"participants": 6},
    "evidence": null,
    "tags": [],
    "createdAt": "2026-01-14T09:05:00.000Z",
    "updatedAt": "2026-01-14T09:05:00.000Z",
    "version": 1
})))]
pub struct TaggedActivity {
    #[serde(flatten)]
    #[schema(inline)]
    activity: Fields,
    metadata: Option<JsonObject>,
    evidence: Option<JsonObject>,
    /// The tags of the activity, by id.
    tags: Vec<TagRef>,
}

/// An activity with the records that it names.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ActivityWithRefs {
    #[serde(flatten)]
    activity: TaggedActivity,
    /// The user of `creatorId`; null if the account is gone.
    creator: Option<UserRef>,
    /// The project of `projectId`; null for an activity of the organization at large.
    project: Option<ProjectRef>,
}

versioned!(TaggedActivity: activity, ActivityWithRefs: activity);

impl Deref for TaggedActivity {
    type Target = Stored<Activity>;

    fn deref(&self) -> &Stored<Activity> {
        &self.activity
    }
}

impl TaggedActivity {
    fn new(mut stored: Stored<Activity>, tags: Vec<TagRef>) -> Self {
        Self {
            metadata: stored.record.metadata.take().map(|metadata| metadata.0),
            evidence: stored.record.evidence.take().map(|evidence| evidence.0),
            activity: stored.into(),
            tags,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ActivitiesQuery<'a> {
    /// The user that `me` stands for.
    pub caller: UserId,
    pub filter: &'a ActivityFilter,
    pub sort: ActivitySort,
    pub wanted: &'a Wanted,
}

/// The records that activities refer to. A reference to a record that is gone, or does not read, shows
/// as none.
struct Named {
    creators: HashMap<UserId, UserRef>,
    projects: HashMap<ProjectId, ProjectRef>,
    tags: HashMap<TagId, TagRef>,
}

impl Named {
    fn join(&self, activity: Stored<Activity>) -> ActivityWithRefs {
        let project = activity.project_id.and_then(|id| self.projects.get(&id));
        let tags = tagging::carried(&activity.tag_ids, &self.tags);
        ActivityWithRefs {
            creator: self.creators.get(&activity.creator_id).cloned(),
            project: project.cloned(),
            activity: TaggedActivity::new(activity, tags),
        }
    }
}

record! {
    activity: Activity = RecordType::Activity.name(),
    number_sets: [tagging::TAG_IDS],
    long_text: texts::DESCRIPTION,
    key: key::activity(activity.organization_id, activity.id),
    gsi1: Some(key::activity_in_time(activity)),
    gsi2: key::activity_in_project(activity),
}

impl Tracked for Activity {}

impl Activities<'_> {
    /// Records an activity. 404 when the project or the organization is not the tenant's, 409 when
    /// the project is archived.
    pub async fn create(
        &self,
        pending: impl Into<PendingWrite>,
        creator: UserId,
        new: ActivityCreate,
    ) -> Result<TaggedActivity, Error> {
        let pending = pending.into();
        let tenant = pending.tenant();
        let (organization, project) = (new.organization_id, new.project_id);
        let read = async {
            if organization.is_some_and(|named| named != tenant) {
                return Err(Error::NotFound(OrganizationId::NOUN));
            }
            match project {
                Some(id) => self
                    .0
                    .directory()
                    .project_to_work_in(tenant, id)
                    .await
                    .map(Some),
                None => Ok(None),
            }
        };
        let activity = |_: &WriteContext, id, project: Option<Stored<Project>>, now| {
            project.map_or(Ok(()), |project| takes_work(&project))?;
            let activity = Activity::new(id, tenant, creator, new, now);
            Ok((activity, Writes::default()))
        };
        match self.0.create_once(pending, read, activity).await? {
            Created::New(activity) => Ok(TaggedActivity::new(activity, Vec::new())),
            Created::Replayed(made) => Ok(self.get(tenant, id_of(made)?).await?.activity),
        }
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

    /// The organization's activities that match a filter, including those of its projects, by time.
    pub async fn of_organization(
        &self,
        tenant: OrganizationId,
        query: ActivitiesQuery<'_>,
    ) -> Result<Page<ActivityWithRefs>, Error> {
        let page = self.page(key::activities(tenant), query).await?;
        self.joined(tenant, page, query).await
    }

    /// A project's activities that match a filter, by time. 404 when the project is not the tenant's.
    pub async fn of_project(
        &self,
        tenant: OrganizationId,
        project: ProjectId,
        query: ActivitiesQuery<'_>,
    ) -> Result<Page<ActivityWithRefs>, Error> {
        let key = key::project(tenant, project);
        let activities = key::activities_of_project(tenant, project);
        let (project, page) = tokio::try_join!(
            self.0.table.get(&key, Read::Lasting),
            self.page(activities, query),
        )?;
        project.or_not_found(ProjectId::NOUN)?;
        self.joined(tenant, page, query).await
    }

    async fn page<I: Index>(
        &self,
        activities: List<Activity, I>,
        query: ActivitiesQuery<'_>,
    ) -> Result<Page<Stored<Activity>>, Error> {
        let ActivityFilter {
            r#type: kind,
            creator_id,
            tag_id,
            from,
            to,
        } = query.filter;
        if from.zip(*to).is_some_and(|(from, to)| from >= to) {
            return Ok(Page::empty());
        }
        let filter = Filter::of(query.caller)
            .any("type", kind.as_ref())?
            .any("creatorId", creator_id.as_ref())?
            .having(tagging::TAG_IDS, tag_id.as_ref())?;
        let mut activities = activities
            .filter(filter.condition())
            .descending_if(query.sort.is_descending());
        if let Some(from) = from {
            activities = activities.from(key::instant(*from));
        }
        if let Some(to) = to {
            activities = activities.up_to(key::instant(*to));
        }
        let page = self.0.table.page(activities, query.wanted).await?;
        self.0.whole_page(page).await
    }

    /// Joins activities with the records that they refer to. Drops rows that matched the filter by
    /// a deleted tag.
    async fn joined(
        &self,
        tenant: OrganizationId,
        page: Page<Stored<Activity>>,
        query: ActivitiesQuery<'_>,
    ) -> Result<Page<ActivityWithRefs>, Error> {
        let activities = page.records().map(|stored| &stored.record);
        let named = self.named(tenant, activities).await?;
        let query = query.filter.tag_id.as_ref();
        Ok(page.filter_map(|activity| {
            let joined = named.join(activity);
            let fits = query.is_none_or(|query| tagging::fits(query, &joined.activity.tags));
            fits.then_some(joined)
        }))
    }

    /// Changes an activity, unless `allow` refuses its creator. A new timestamp moves it in the lists. 404
    /// when it is not the tenant's, 409 when other requests kept changing it.
    pub async fn update<A: Future<Output = Result<(), Error>>>(
        &self,
        pending: impl Into<PendingWrite>,
        id: ActivityId,
        update: ActivityUpdate,
        allow: impl Fn(UserId) -> A,
    ) -> Result<TaggedActivity, Error> {
        let pending = pending.into();
        let tenant = pending.tenant();
        let table = &self.0.table;
        let key = key::activity(tenant, id);
        let read = || table.get(&key, Read::Consistent);
        let write = async |context: WriteContext, found: Option<Stored<Activity>>| {
            let activity = context.current(found, ActivityId::NOUN)?;
            allow(activity.creator_id).await?;
            let before = self.0.whole(activity).await?;
            let mut activity = before.clone();
            activity.change(update.clone(), self.0.clock.now());
            let tags: Vec<AnyKey> = tagging::keys(tenant, iter::once(&activity.tag_ids)).collect();
            let none = Writes::default();
            let (done, found) = tokio::try_join!(
                self.0.commit_change(&context, before, activity, none),
                table.batch_get(tags, Read::Consistent),
            )?;
            let tagged = |activity: Stored<Activity>| {
                let there = tagging::found(tenant, iter::once(&activity.tag_ids), &found);
                let tags = tagging::carried(&activity.tag_ids, &there);
                TaggedActivity::new(activity, tags)
            };
            Ok(done.map(|done| done.map(tagged)))
        };
        self.0.write(pending, read, write).await?.not_replayed()
    }

    /// Deletes an activity, unless `allow` refuses its creator. Its comments are unreachable from then on,
    /// and the sweeper deletes them. 404 when it is not the tenant's.
    pub async fn delete<A: Future<Output = Result<(), Error>>>(
        &self,
        pending: impl Into<PendingWrite>,
        id: ActivityId,
        allow: impl Fn(UserId) -> A,
    ) -> Result<(), Error> {
        let allow = |activity: &Activity| allow(activity.creator_id);
        let thread = Deleted::from(id);
        let comments = |_: &Activity| (thread, Writes::default());
        let delete = self
            .0
            .delete_if(pending, key::activity, id, allow, comments);
        delete.await
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
        let lasting = creators.clone().map(user).map(AnyKey::from);
        let lasting = lasting.chain(projects.clone().map(project).map(AnyKey::from));
        let deletable = tagging::keys(tenant, tags.clone());
        let found = self.0.joined(lasting, deletable).await?;
        Ok(Named {
            creators: found.all(creators, user),
            projects: found.all(projects, project),
            tags: tagging::found(tenant, tags, &found),
        })
    }
}
