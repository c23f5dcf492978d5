//! Phases of projects.

use model::{
    Error, Id, Order, OrganizationId, Phase, PhaseCreate, PhaseId, PhaseUpdate, ProjectId, Task,
};

use super::{Directory, projects::takes_work};
use crate::{
    Given, Permit,
    cleanup::Subject,
    key::{self, Gsi1, Key},
    once::id_of,
    page::{Page, Wanted},
    table::{OrNotFound, Read, Record, Stored, Write},
};

impl Record for Phase {
    const KIND: &'static str = "phase";

    fn key(&self) -> Key<Self> {
        key::phase(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        Some(key::phase_in_project(self))
    }
}

impl Directory<'_> {
    /// A project's phases by order, ties by id. 404 when the project is not the tenant's.
    pub async fn phases(
        &self,
        tenant: OrganizationId,
        project: ProjectId,
        wanted: &Wanted,
    ) -> Result<Page<Stored<Phase>>, Error> {
        let table = &self.0.table;
        let key = key::project(tenant, project);
        let phases = key::phases_of_project(tenant, project);
        let (project, page) =
            tokio::try_join!(table.get(&key, Read::Eventual), table.page(phases, wanted),)?;
        project.or_not_found(ProjectId::NOUN)?;
        Ok(page)
    }

    /// Creates a phase of a project, at the end unless it says where. 404 when the project is not
    /// the tenant's, 409 when it is archived.
    pub async fn create_phase(
        &self,
        permit: impl Into<Permit>,
        project: ProjectId,
        new: PhaseCreate,
    ) -> Result<Stored<Phase>, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let create = async |permit| self.create_new_phase(permit, project, new).await;
        let again = async |made| {
            let key = key::phase(tenant, id_of(made)?);
            self.0.one(&key, PhaseId::NOUN).await
        };
        permit.once(create, again).await
    }

    async fn create_new_phase(
        &self,
        permit: Permit,
        project: ProjectId,
        new: PhaseCreate,
    ) -> Result<Stored<Phase>, Error> {
        let tenant = permit.tenant();
        let place = self.place_of(tenant, project, new.order);
        let of = self.project(tenant, project);
        let read = async { tokio::try_join!(self.0.next_id(), place, of) };
        let (given, (id, order, of)) = permit.beside(read).await?;
        takes_work(&of)?;
        let now = self.0.clock.now();
        let phase = Phase {
            id,
            organization_id: tenant,
            project_id: project,
            title: new.title,
            order,
            created_at: now,
            updated_at: now,
        };
        let writes = vec![Write::create(&phase)?];
        self.0.create_all(&given, writes, id).await?;
        Ok(Stored::created(phase))
    }

    /// The place that was asked for, or else one behind the project's last phase. The index may lag
    /// behind that; two of the same order are told apart by id.
    async fn place_of(
        &self,
        tenant: OrganizationId,
        project: ProjectId,
        asked: Option<Order>,
    ) -> Result<Order, Error> {
        if let Some(order) = asked {
            return Ok(order);
        }
        let last = key::phases_of_project(tenant, project)
            .descending()
            .limit(1);
        let last = self.0.table.list(last).await?;
        let largest = last.first().map_or(0, |phase| phase.order.get());
        Ok(Order::at(largest.saturating_add(Task::ORDER_STEP)))
    }

    /// Changes a phase. 404 when it is not the tenant's.
    pub async fn update_phase(
        &self,
        permit: impl Into<Permit>,
        id: PhaseId,
        update: PhaseUpdate,
    ) -> Result<Stored<Phase>, Error> {
        let permit = permit.into();
        let table = &self.0.table;
        let key = key::phase(permit.tenant(), id);
        let read = || table.get(&key, Read::Consistent);
        let update = &update;
        let write = |given: Given, phase: Option<Stored<Phase>>| async move {
            let mut phase = given.current(phase, PhaseId::NOUN)?;
            update.clone().apply(&mut phase);
            phase.updated_at = self.0.clock.now();
            let done = table.write(Write::replace(&phase)?).await?;
            Ok(done.is_ok().then(|| phase.replaced()))
        };
        permit.rewrite(read, write).await
    }

    /// Deletes a phase. From that moment its tasks read as being in none; the sweeper takes them out
    /// of it, whatever their number. 404 when it is not the tenant's.
    pub async fn delete_phase(&self, permit: impl Into<Permit>, id: PhaseId) -> Result<(), Error> {
        let permit = permit.into();
        let key = key::phase(permit.tenant(), id);
        let subject = |phase: &Phase| Subject::Phase(phase.project_id, id);
        self.0
            .delete_with_cleanup(permit, key, PhaseId::NOUN, subject, async |_| Ok(()))
            .await
    }
}
