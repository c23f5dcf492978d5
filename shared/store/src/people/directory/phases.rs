use model::{
    base::{AnyOf, Code, Error, Id, MAX_ID, Order, PhaseId, ProjectId},
    work::{Phase, PhaseCreate, PhaseFilter, PhaseUpdate, Project, Task},
};
use table::{
    OrNotFound, Read, Stored,
    page::{Page, PageRequest},
};

use crate::{
    Result, Tenant,
    base::{
        InScope, Pending, Reader, WriteContext, reads::in_first_index, record::record,
        tracked::Tracked, writes::Writes,
    },
    key::{self, Keyed},
};

use super::{Directory, projects::takes_work};

record! {
    phase: Phase, id: PhaseId,
    gsi1: Some(key::phase_in_project(phase)),
    hidden: ["organizationId", "createdAt", "updatedAt"],
}

impl Tracked for Phase {}

impl Directory<'_> {
    /// A project's phases that match a filter, by order, then id. 404 when the project is another
    /// tenant's.
    pub async fn phases(
        &self,
        reader: &Reader,
        project: ProjectId,
        filter: &PhaseFilter,
        wanted: &PageRequest,
    ) -> Result<Page<InScope<Phase>>> {
        let tenant = reader.tenant;
        let table = &self.0.table;
        let key = project.key(tenant);
        let phases = async {
            let Some(AnyOf(ids)) = &filter.id else {
                let phases = key::phases_of_project(tenant, project);
                return table.page(phases, wanted).await;
            };
            let keys = ids.iter().map(|id| id.key(tenant));
            let store = self.0;
            let is_in = |phase: &Phase| phase.project_id == project;
            let rows = store.rows_by_id(keys, is_in, in_first_index, false, wanted);
            rows.await
        };
        let (project, page) = tokio::try_join!(table.get(&key, Read::Lasting), phases)?;
        let project = self
            .0
            .scoped()
            .place(reader, project, ProjectId::NOUN)
            .await?;
        Ok(project.rows(page))
    }

    /// Creates a phase of a project, at the end unless the request names an order. 404 when the
    /// project is not the tenant's, 409 when it is archived, or when no order is left.
    pub async fn create_phase(
        &self,
        pending: impl Pending,
        project: ProjectId,
        new: PhaseCreate,
    ) -> Result<InScope<Phase>> {
        let (pending, tenant) = pending.with_tenant();
        let place = self.place_of(tenant, project, new.order);
        let read = async { tokio::try_join!(place, self.project_to_work_in(tenant, project)) };
        let phase = |context: &WriteContext, id, (order, of): (_, Stored<Project>), now| {
            let of = context.see(Some(of));
            takes_work(&*of.or_not_found(ProjectId::NOUN)?)?;
            let phase = Phase {
                id,
                organization_id: tenant,
                project_id: project,
                title: new.title,
                order,
                created_at: now,
                updated_at: now,
            };
            Ok((phase, Writes::default()))
        };
        Box::pin(self.0.create(pending, read, phase)).await
    }

    /// The requested order, or one behind the project's last phase. The index may lag behind a
    /// phase that was just created. Two phases of the same order are sorted by id.
    async fn place_of(
        &self,
        tenant: Tenant,
        project: ProjectId,
        wanted: Option<Order>,
    ) -> Result<Order> {
        if let Some(order) = wanted {
            return Ok(order);
        }
        let newest_first = key::phases_of_project(tenant, project).descending();
        let last = self
            .0
            .table
            .list(newest_first.limit(1))
            .await?;
        let largest = last
            .first()
            .map_or(0, |phase| phase.order.get());
        let behind = largest
            .saturating_add(Task::ORDER_STEP)
            .min(MAX_ID);
        if behind <= largest {
            let detail = "The last phase has the largest order. Give it a smaller one first.";
            return Err(Error::conflict(Code::NoRoom, detail));
        }
        Ok(Order::at(behind))
    }

    /// Changes a phase. 404 when it is not the tenant's.
    pub async fn update_phase(
        &self,
        pending: impl Pending,
        id: PhaseId,
        update: PhaseUpdate,
    ) -> Result<InScope<Phase>> {
        let change = |_: &WriteContext, phase: &mut Phase, now| {
            update.clone().apply(phase);
            phase.updated_at = now;
            Ok(Writes::default())
        };
        self.0.update(pending, id, change).await
    }

    /// Deletes a phase. Its tasks show no phase from then on, and the sweeper removes the
    /// references. 404 when it is not the tenant's.
    pub async fn delete_phase(&self, pending: impl Pending, id: PhaseId) -> Result<()> {
        let tasks = |phase: &Phase| ((phase.project_id, id).into(), Writes::default());
        self.0.delete(pending, id, tasks).await
    }
}
