//! Projects, and whether they take work.

use model::{
    Code, Error, HistoryOf, Id, OrganizationId, Project, ProjectCreate, ProjectFilter, ProjectId,
    ProjectStatus, ProjectUpdate, UserId,
};

use super::{Directory, Reference, totals, words};
use crate::{
    Given, Permit,
    filter::Filter,
    key::{self, Gsi1, Key},
    once::id_of,
    page::{Page, Wanted},
    table::{Change, Condition, Read, Record, Stored, Write},
};

impl Record for Project {
    const KIND: &'static str = "project";

    fn key(&self) -> Key<Self> {
        key::project(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        Some(key::project_by_title(self))
    }

    fn words(&self) -> Option<String> {
        Some(words(&self.title).concat())
    }

    fn history(&self) -> Option<HistoryOf> {
        Some(HistoryOf::Project(self.id))
    }
}

impl Directory<'_> {
    /// One project. 404 when it is not the tenant's.
    pub async fn project(
        &self,
        tenant: OrganizationId,
        id: ProjectId,
    ) -> Result<Stored<Project>, Error> {
        let key = key::project(tenant, id);
        self.0.one(&key, ProjectId::NOUN).await
    }

    /// The projects that fit, by title; archived ones only where the filter names that status.
    pub async fn projects(
        &self,
        tenant: OrganizationId,
        caller: UserId,
        filter: &ProjectFilter,
        wanted: &Wanted,
    ) -> Result<Page<Stored<Project>>, Error> {
        let fits = Filter::of(caller).query(filter.query.as_ref());
        let fits = match &filter.status {
            None => fits.other_than("status", ProjectStatus::Archived),
            status => fits.any("status", status.as_ref())?,
        };
        let projects = key::projects(tenant).filter(fits.condition());
        self.0.table.page(projects, wanted).await
    }

    /// Creates a project, counts it if it is active, and lets reference search find it.
    pub async fn create_project(
        &self,
        permit: impl Into<Permit>,
        new: ProjectCreate,
    ) -> Result<Stored<Project>, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let create = async |permit: Permit| {
            let (given, id) = permit.beside(self.0.next_id()).await?;
            let now = self.0.clock.now();
            let project = Project::new(id, tenant, new, now);
            let reference = Reference::from(&project);
            let mut writes = vec![Write::create(&project)?, Write::create(&reference)?];
            writes.extend(count_active(tenant, None, project.status));
            writes.extend(given.created(&project, now)?);
            self.0.create_all(&given, writes, id).await?;
            Ok(Stored::created(project))
        };
        let again = async |made| self.project(tenant, id_of(made)?).await;
        permit.once(create, again).await
    }

    /// Changes a project, counts it among the active ones or no more, and lets reference search find
    /// it by its new title. 404 when it is not the tenant's.
    pub async fn update_project(
        &self,
        permit: impl Into<Permit>,
        id: ProjectId,
        update: ProjectUpdate,
    ) -> Result<Stored<Project>, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let table = &self.0.table;
        let key = key::project(tenant, id);
        let read = || table.get(&key, Read::Consistent);
        let update = &update;
        let write = |given: Given, project: Option<Stored<Project>>| async move {
            let before = given.current(project, ProjectId::NOUN)?;
            let mut after = before.clone();
            update.clone().apply(&mut after);
            after.updated_at = self.0.clock.now();
            let mut writes = vec![Write::replace(&after)?];
            if after.title != before.title {
                writes.push(Write::put(&Reference::from(&after.record))?);
            }
            writes.extend(count_active(tenant, Some(before.status), after.status));
            writes.extend(given.updated(&before.record, &after, after.updated_at)?);
            let done = table.transact(writes).await?;
            Ok(done.is_ok().then(|| after.replaced()))
        };
        permit.rewrite(read, write).await
    }
}

/// Counts a project in or out that was of one status, if it was there, and is of another.
fn count_active(
    tenant: OrganizationId,
    was: Option<ProjectStatus>,
    is: ProjectStatus,
) -> Option<Write> {
    let was = was == Some(ProjectStatus::Active);
    let by = match (was, is == ProjectStatus::Active) {
        (false, true) => 1,
        (true, false) => -1,
        _ => return None,
    };
    let change = Change::default().add(totals::ACTIVE_PROJECTS, by);
    Some(Write::update(
        key::totals(tenant),
        change,
        Condition::default(),
    ))
}

/// 409 when a project takes no new work. It is read for that, just before the write, and not checked
/// by it: a project is never deleted, and a check would make the writes of all who work in it stand
/// in each other's way. What is archived in that instant gets one record more.
pub(crate) fn takes_work(project: &Project) -> Result<(), Error> {
    if project.status == ProjectStatus::Archived {
        let detail = "The project is archived and takes no new work; change its status first.";
        return Err(Error::conflict(Code::ProjectArchived, detail));
    }
    Ok(())
}
