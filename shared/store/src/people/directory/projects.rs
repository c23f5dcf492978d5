use model::{
    base::{
        Code, Error, HistoryOf, Id, OrOther, ProjectId, UserId,
        words::{spaced, words},
    },
    people::{EntryContent, OrganizationEvent},
    work::{Project, ProjectCreate, ProjectFilter, ProjectStatus, ProjectUpdate},
};
use table::{
    Batch, Condition, OrNotFound, Stored, UpdateExpression, Write,
    page::{Page, PageRequest},
};

use crate::{
    Result, Tenant,
    base::{
        InScope, Pending, Reader, WriteContext, filter::Filter, record::record, records::Reference,
        texts, tracked::Tracked, writes::Writes,
    },
    key::{self, Keyed},
    people::journal::head_in,
};

use super::{Directory, NamedCustomer, members, totals};

record! {
    project: Project, id: ProjectId,
    number_sets: [members::MEMBERS],
    long_text: texts::DESCRIPTION,
    gsi1: Some(key::project_by_title(project)),
    words: Some(spaced(words(&project.title))),
    hidden: ["organizationId", "members"],
}

impl Tracked for Project {
    fn history(&self) -> Option<HistoryOf> {
        Some(self.id.into())
    }

    /// A project that all see has none, unless it has a customer.
    fn entry_of_new(&self) -> Option<EntryContent> {
        let has_access = self.is_restricted() || self.customer_id.is_some();
        let event = OrganizationEvent::ProjectAccessChanged;
        has_access.then(|| EntryContent::created(event, self))
    }

    fn entry_of_change(before: &Self, after: &Self) -> Option<EntryContent> {
        EntryContent::changed(OrganizationEvent::ProjectAccessChanged, before, after)
    }
}

impl Directory<'_> {
    /// One project. 404 when it is not the tenant's.
    pub async fn project(&self, reader: &Reader, id: ProjectId) -> Result<InScope<Project>> {
        self.0.scoped().get(reader, id).await
    }

    /// As [`project`](Self::project), of which a long description is not read.
    pub(crate) async fn project_to_work_in(
        &self,
        tenant: Tenant,
        id: ProjectId,
    ) -> Result<Stored<Project>> {
        let project = self.0.read(&id.key(tenant)).await?;
        project.or_not_found(ProjectId::NOUN)
    }

    /// The projects that match a filter, by title. Archived ones only where the filter names that
    /// status.
    pub async fn projects(
        &self,
        reader: &Reader,
        caller: UserId,
        filter: &ProjectFilter,
        wanted: &PageRequest,
    ) -> Result<Page<InScope<Project>>> {
        let fits = Filter::of(caller)
            .query(filter.query.as_ref())
            .any("customerId", filter.customer_id.as_ref())?;
        let fits = match &filter.status {
            None => fits.and("# <> :", "status", Some(ProjectStatus::Archived)),
            status => fits.any("status", status.as_ref())?,
        };
        let projects = key::projects(reader.tenant).filter(fits.condition());
        let read = |wanted: PageRequest| {
            let projects = projects.clone();
            async move {
                let page = self.0.table.page(projects, &wanted);
                self.0.whole_page(page.await?).await
            }
        };
        self.0
            .scoped()
            .filled_page(reader, wanted, read)
            .await
    }

    /// Creates a project, and counts it if it is active. Reference search finds it.
    pub async fn create_project(
        &self,
        pending: impl Pending,
        new: ProjectCreate,
    ) -> Result<InScope<Project>> {
        let (pending, tenant) = pending.with_tenant();
        let customer = NamedCustomer::new(tenant, new.customer_id.as_ref());
        let customers = self.0.batch(customer.key());
        let project = |context: &WriteContext, id, customers: Batch, now| {
            customer.known(&customers, None)?;
            let mut project = Project::new(id, context.tenant, new, now);
            let mut writes = Writes::from(Write::create(&Reference::from(&project))?);
            if project.is_restricted() {
                writes.append(members::restrict(&project));
                writes.append(members::join_as_writer(context, &mut project, now)?);
            }
            writes.extend(count_active(context.tenant, None, &project.status));
            Ok((project, writes))
        };
        let created = self
            .0
            .create(pending, customers, project)
            .await?;
        if created.is_restricted() {
            self.0.recent.forget(tenant);
        }
        Ok(created)
    }

    /// Changes a project, and updates the count of active ones. Reference search finds it by its
    /// new title. 404 when it is not the tenant's, 400 when its customer is not, 409 when that one
    /// is archived, and at a limit of members.
    pub async fn update_project(
        &self,
        pending: impl Pending,
        id: ProjectId,
        update: ProjectUpdate,
    ) -> Result<InScope<Project>> {
        let (pending, tenant) = pending.with_tenant();
        let customer = NamedCustomer::new(tenant, update.customer_id.value());
        let changes_access = update.visibility.is_sent() || update.customer_id.is_sent();
        let head = changes_access.then(|| key::organization_head(tenant).into());
        let keys = customer
            .key()
            .into_iter()
            .chain([id.key(tenant).into()])
            .chain(head);
        let mut plan = self.0.plan(pending, keys).await?;
        loop {
            let read = plan.read().await?;
            if changes_access {
                plan.context.head = Some(Box::new(head_in(&read, tenant)?));
            }
            let mut draft = plan.draft(&read, id).await?;
            customer.known(&read, draft.before.customer_id)?;
            let project = &mut draft.after.record;
            update.clone().apply(project);
            project.updated_at = draft.now;
            if project.title != draft.before.title {
                let reference = Reference::from(&*project);
                draft
                    .writes
                    .push(Write::put(&reference)?);
            }
            let was = Some(&draft.before.status);
            let counted = count_active(tenant, was, &project.status);
            draft.writes.extend(counted);
            match (draft.before.is_restricted(), project.is_restricted()) {
                (false, true) => {
                    let restricted = members::restrict(project);
                    let joined = members::join_as_writer(&plan.context, project, draft.now)?;
                    draft.writes.append(restricted);
                    draft.writes.append(joined);
                }
                (true, false) => draft
                    .writes
                    .push(members::open(project)),
                _ => {}
            }
            if let Some(done) = plan.write(draft).await? {
                if changes_access {
                    self.0.recent.forget(tenant);
                }
                return done.not_replayed();
            }
        }
    }
}

/// Counts a project as active, or no more, after a change of status. A new project had none.
fn count_active(
    tenant: Tenant,
    was: Option<&OrOther<ProjectStatus>>,
    is: &OrOther<ProjectStatus>,
) -> Option<Write> {
    let is_active = |status: &OrOther<_>| *status == ProjectStatus::Active;
    let by = match (was.is_some_and(is_active), is_active(is)) {
        (false, true) => 1,
        (true, false) => -1,
        _ => return None,
    };
    let change = UpdateExpression::default().add(totals::ACTIVE_PROJECTS, by);
    let totals = key::totals(tenant);
    Some(Write::update(totals, change, Condition::default()))
}

/// 409 for an archived project, which takes no new work.
///
/// The project is read just before the write, and not checked by the write. A project is never
/// deleted, and a check would make all writes in the project conflict with each other. A project
/// archived in that instant gets one more record.
pub(crate) fn takes_work(project: &Project) -> Result<()> {
    if project.status == ProjectStatus::Archived {
        let detail = "The project is archived and takes no new work. Change its status first.";
        return Err(Error::conflict(Code::ProjectArchived, detail));
    }
    Ok(())
}
