use std::ops::Deref;

use futures::future::OptionFuture;
use model::{
    base::{ActivityId, Error, Id, JsonObject, OrganizationId, ProjectId, UserId},
    people::{TagRef, UserRef},
    work::{
        Activity, ActivityCreate, ActivityFilter, ActivitySort, ActivityUpdate, Project, ProjectRef,
    },
};
use serde::Serialize;
use table::{
    Index, OrNotFound, Read, RecordList, Stored,
    page::{Page, PageRequest},
};
use utoipa::ToSchema;

use crate::{
    Result, Tenant,
    base::{
        InScope, Pending, Reader, Shown, WriteContext,
        filter::Filter,
        idempotency::{Created, id_of},
        named::{Named, Names},
        record::record,
        store::resource,
        texts,
        tracked::Tracked,
        writes::Writes,
    },
    key::{self, Keyed},
    people::directory::takes_work,
    versioned,
    work::tagging,
};

resource! { pub Activities as activities }

/// The fields of the record. `ToSchema` takes no type arguments here.
type Fields = Shown<Activity>;

/// An activity.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Activity)]
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
    fn new(mut stored: InScope<Activity>, named: &Named) -> Self {
        Self {
            tags: named.tags(&stored.tag_ids),
            metadata: stored
                .record
                .metadata
                .take()
                .map(|metadata| metadata.0),
            evidence: stored
                .record
                .evidence
                .take()
                .map(|evidence| evidence.0),
            activity: stored.into(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ActivitiesQuery<'a> {
    /// The user that `me` stands for.
    pub caller: UserId,
    pub filter: &'a ActivityFilter,
    pub sort: ActivitySort,
    pub wanted: &'a PageRequest,
}

impl ActivityWithRefs {
    fn new(activity: InScope<Activity>, named: &Named) -> Self {
        let project = activity
            .project_id
            .and_then(|id| named.projects.get(&id));
        Self {
            creator: named
                .users
                .get(&activity.creator_id)
                .cloned(),
            project: project.cloned(),
            activity: TaggedActivity::new(activity, named),
        }
    }
}

record! {
    activity: Activity, id: ActivityId,
    number_sets: [tagging::TAG_IDS],
    long_text: texts::DESCRIPTION,
    gsi1: Some(key::activity_in_time(activity)),
    gsi2: key::activity_in_project(activity),
    hidden: ["metadata", "evidence", "tagIds"],
}

impl Tracked for Activity {}

impl Activities<'_> {
    /// Records an activity. 404 when the project or the organization is not the tenant's, 409 when
    /// the project is archived.
    pub async fn create(
        &self,
        pending: impl Pending,
        creator: UserId,
        new: ActivityCreate,
    ) -> Result<TaggedActivity> {
        let (pending, reader) = pending.with_reader();
        let tenant = reader.tenant;
        let organization = new.organization_id;
        let project = new.project_id;
        let directory = self.0.directory();
        let read = async {
            if organization.is_some_and(|named| named != tenant) {
                return Err(Error::NotFound(OrganizationId::NOUN));
            }
            let project = project.map(|id| directory.project_to_work_in(tenant, id));
            OptionFuture::from(project)
                .await
                .transpose()
        };
        let activity = |context: &WriteContext, id, project: Option<Stored<Project>>, now| {
            if let Some(project) = project {
                takes_work(
                    &*context
                        .see(Some(project))
                        .or_not_found(ProjectId::NOUN)?,
                )?;
            }
            let activity = Activity::new(id, tenant, creator, new, now);
            Ok((activity, Writes::default()))
        };
        match self
            .0
            .create_once(pending, read, activity)
            .await?
        {
            Created::New(activity) => Ok(TaggedActivity::new(activity, &Named::default())),
            Created::Replayed(made) => Ok(self
                .get(&reader, id_of(made)?)
                .await?
                .activity),
        }
    }

    /// One activity. 404 when it is not the tenant's.
    pub async fn get(&self, reader: &Reader, id: ActivityId) -> Result<ActivityWithRefs> {
        let activity = self.0.scoped().get(reader, id).await?;
        let ids = Names::of_activities([&activity.record]);
        let named = self.0.named(reader.tenant, ids).await?;
        Ok(ActivityWithRefs::new(activity, &named))
    }

    /// The organization's activities that match a filter, including those of its projects, by time.
    pub async fn of_organization(
        &self,
        reader: &Reader,
        query: ActivitiesQuery<'_>,
    ) -> Result<Page<ActivityWithRefs>> {
        let tenant = reader.tenant;
        let read = |wanted: PageRequest| async move {
            let activities = key::activities(tenant);
            self.page(activities, query, &wanted)
                .await
        };
        let page = self
            .0
            .scoped()
            .filled_page(reader, query.wanted, read)
            .await?;
        self.joined(tenant, page, query).await
    }

    /// A project's activities that match a filter, by time. 404 when the project is not the
    /// tenant's.
    pub async fn of_project(
        &self,
        reader: &Reader,
        project: ProjectId,
        query: ActivitiesQuery<'_>,
    ) -> Result<Page<ActivityWithRefs>> {
        let tenant = reader.tenant;
        let key = project.key(tenant);
        let activities = key::activities_of_project(tenant, project);
        let project = self.0.table.get(&key, Read::Lasting);
        let page = self.page(activities, query, query.wanted);
        let (project, page) = tokio::try_join!(project, page)?;
        let project = self
            .0
            .scoped()
            .place(reader, project, ProjectId::NOUN)
            .await?;
        self.joined(tenant, project.rows(page), query)
            .await
    }

    async fn page<I: Index>(
        &self,
        activities: RecordList<Activity, I>,
        query: ActivitiesQuery<'_>,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<Activity>>> {
        let filter = query.filter;
        let from = query.filter.from;
        let to = query.filter.to;
        if from
            .zip(to)
            .is_some_and(|(from, to)| from >= to)
        {
            return Ok(Page::empty());
        }
        let filter = Filter::of(query.caller)
            .any("type", filter.r#type.as_ref())?
            .any("creatorId", filter.creator_id.as_ref())?
            .having(tagging::TAG_IDS, filter.tag_id.as_ref())?;
        let activities = activities
            .filter(filter.condition())
            .within(from.map(key::instant), to.map(key::instant))
            .descending_if(query.sort == ActivitySort::NewestFirst);
        let page = self
            .0
            .table
            .page(activities, wanted)
            .await?;
        self.0.whole_page(page).await
    }

    /// Joins activities with the records that they refer to. Drops rows that matched the filter by
    /// a deleted tag.
    async fn joined(
        &self,
        tenant: Tenant,
        page: Page<InScope<Activity>>,
        query: ActivitiesQuery<'_>,
    ) -> Result<Page<ActivityWithRefs>> {
        let ids = Names::of_activities(page.records().map(|seen| &seen.record));
        let named = self.0.named(tenant, ids).await?;
        let query = query.filter.tag_id.as_ref();
        Ok(page.filter_map(|activity| {
            let joined = ActivityWithRefs::new(activity, &named);
            let fits = query.is_none_or(|query| tagging::fits(query, &joined.activity.tags));
            fits.then_some(joined)
        }))
    }

    /// Changes an activity, unless `allow` refuses its creator. A new timestamp moves it in the
    /// lists. 404 when it is not the tenant's, 409 when other requests kept changing it.
    pub async fn update<A: Future<Output = Result<()>>>(
        &self,
        pending: impl Pending,
        id: ActivityId,
        update: ActivityUpdate,
        allow: impl Fn(UserId) -> A,
    ) -> Result<TaggedActivity> {
        let (pending, tenant) = pending.with_tenant();
        let mut plan = self
            .0
            .plan(pending, [id.key(tenant)])
            .await?;
        loop {
            let read = plan.read().await?;
            let mut draft = plan.draft(&read, id).await?;
            allow(draft.before.creator_id).await?;
            draft
                .after
                .change(update.clone(), draft.now);
            let tags = Names::of_tags([&draft.after.tag_ids]);
            let written = plan.write(draft);
            let (done, named) = tokio::try_join!(written, self.0.named(tenant, tags))?;
            if let Some(done) = done {
                return Ok(TaggedActivity::new(done.not_replayed()?, &named));
            }
        }
    }

    /// Deletes an activity, unless `allow` refuses its creator. Its comments are unreachable from
    /// then on, and the sweeper deletes them. 404 when it is not the tenant's.
    pub async fn delete<A: Future<Output = Result<()>>>(
        &self,
        pending: impl Pending,
        id: ActivityId,
        allow: impl Fn(UserId) -> A,
    ) -> Result<()> {
        let allow = |activity: &Activity| allow(activity.creator_id);
        let comments = |_: &Activity| (id.into(), Writes::default());
        self.0
            .delete_if(pending, id, allow, comments)
            .await
    }
}
