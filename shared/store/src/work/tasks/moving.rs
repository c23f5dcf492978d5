//! Moves of a task beside another one of its project.

use crate::{
    Result, Tenant,
    base::{
        Pending,
        idempotency::{Created, id_of},
        named::Names,
    },
    key::{self, Keyed},
    work::Tasks,
};
use model::{
    base::{Code, Error, Fault, FaultCode, Id, Order, ProjectId, TaskId},
    work::{Neighbour, Task, TaskMove},
};

use super::{
    joined::JoinedTask,
    place::{Place, Room},
};

/// The most tasks that a move gives new orders.
const MOST_RENUMBERED: usize = 1_000;

/// The most tasks that one transaction gives new orders, beside the writes of the moved one.
const AT_ONCE: usize = 90;

impl Tasks<'_> {
    /// Moves a task beside another one, and sets its status if the move has one. If there is no
    /// room between two orders, the tasks after it get new ones, or those before it at the end of
    /// all orders. A task that is there already stays as it is. 404 when the task is not the
    /// tenant's; 400 when the other one is not, or is of another project; 409 when 1,000 tasks on
    /// both sides have no room.
    pub async fn move_beside(
        &self,
        pending: impl Pending,
        id: TaskId,
        to: TaskMove,
    ) -> Result<JoinedTask> {
        let (pending, reader) = pending.with_reader();
        let tenant = reader.tenant;
        let neighbour = to.neighbour();
        let other_key = neighbour.map(|neighbour| neighbour.id().key(tenant));
        let key = id.key(tenant);
        let keys = other_key.iter().chain([&key]);
        let mut plan = match self.0.plan_once(pending, keys).await? {
            Created::New(plan) => plan,
            Created::Replayed(made) => return self.get(&reader, id_of(made)?).await,
        };
        'attempts: loop {
            let read = plan.read().await?;
            let mut draft = plan.draft(&read, id).await?;
            let mut renumbered = Vec::new();
            if let (Some(neighbour), Some(other_key)) = (neighbour, &other_key) {
                let other = plan
                    .context
                    .see(read.get(other_key)?)
                    .map(|stored| stored.record);
                let unknown = || Fault::unknown(neighbour.field(), TaskId::NOUN);
                let other = other.ok_or_else(|| Error::invalid(unknown()))?;
                let room = self
                    .room(&draft.before, neighbour, &other)
                    .await?;
                draft.after.order = room.order;
                renumbered = room.renumbered;
            }
            if let Some(status) = to.status {
                draft.after.status = status.into();
            }
            let now = draft.now;
            draft.after.updated_at = now;
            // The farthest go first, so that the tasks keep their sequence if this ends midway.
            let later = renumbered.split_off(renumbered.len().min(AT_ONCE));
            for some in later.rchunks(AT_ONCE) {
                let writes = some
                    .iter()
                    .map(|moved| moved.write(tenant, now))
                    .collect();
                let done = Box::pin(
                    self.0
                        .transact(&plan.context, writes, &[]),
                )
                .await?;
                if done.is_err() {
                    continue 'attempts;
                }
            }
            let moves = renumbered
                .iter()
                .map(|moved| moved.write(tenant, now));
            draft.writes.extend(moves);
            draft.writes = draft.writes.making(id);
            let referred = Names::of_tasks([&draft.after.record]);
            let written = plan.write(draft);
            match tokio::try_join!(written, self.0.named(tenant, referred))? {
                (Some(Created::New(task)), named) => return Ok(JoinedTask::new(task, &named)),
                (Some(Created::Replayed(made)), _) => return self.get(&reader, id_of(made)?).await,
                (None, _) => {}
            }
        }
    }

    /// Finds room for a task beside another one. A task that is there already keeps its order.
    async fn room(&self, task: &Task, neighbour: Neighbour, other: &Task) -> Result<Room> {
        let tenant = task.organization_id;
        let project = task.project_id;
        let fault =
            |code, detail: &str| Err(Error::invalid(Fault::at(neighbour.field(), code, detail)));
        if other.id == task.id {
            return fault(FaultCode::Combination, "A task has no place beside itself.");
        }
        let Some(project) = project else {
            let detail = "The task has no project, and so no list. Send `order` with PATCH.";
            return fault(FaultCode::Project, detail);
        };
        if other.project_id != Some(project) {
            return fault(FaultCode::Project, "This task is of another project.");
        }
        let table = &self.0.table;
        let list = || key::tasks_of_project(tenant, project);
        let at_other = || key::task_order(other.order, other.id);
        // The task itself may be among them.
        let others = |mut tasks: Vec<Task>| {
            tasks.retain(|listed| ![task.id, other.id].contains(&listed.id));
            tasks
        };
        let at = |task: &Task| (task.order, task.id);
        let is_after = matches!(neighbour, Neighbour::After(_));
        let (before, after) = if is_after {
            let next = others(
                table
                    .list(list().from(at_other()).limit(3))
                    .await?,
            );
            (Some(at(other)), next.first().map(at))
        } else {
            let before_list = list()
                .up_to(at_other())
                .descending()
                .limit(3);
            let before = others(table.list(before_list).await?);
            (before.first().map(at), Some(at(other)))
        };
        let own = at(task);
        if before.is_none_or(|before| before < own) && after.is_none_or(|after| own < after) {
            return Ok(Room::of(task.order));
        }
        let place = Place {
            low: before.map(|(order, _)| order),
            next: after.map(|(order, _)| order),
        };
        if let Some(order) = place.order() {
            return Ok(Room::of(order));
        }
        let side = |mut tasks: Vec<Task>, has_other: bool| {
            let is_whole = tasks.len() < MOST_RENUMBERED;
            tasks.retain(|listed| listed.id != task.id && (has_other || listed.id != other.id));
            (tasks, is_whole)
        };
        let following_list = list()
            .from(at_other())
            .limit(MOST_RENUMBERED);
        let (following, is_whole) = side(table.list(following_list).await?, !is_after);
        if let Some(orders) = place.pushing_on(&orders(&following), is_whole) {
            return Room::with(orders, &following).ok_or_else(no_room);
        }
        let preceding_list = list().up_to(at_other()).descending();
        let preceding = table
            .list(preceding_list.limit(MOST_RENUMBERED))
            .await?;
        let (preceding, is_whole) = side(preceding, is_after);
        let orders = place.pushing_back(&orders(&preceding), is_whole);
        orders
            .and_then(|orders| Room::with(orders, &preceding))
            .ok_or_else(no_room)
    }

    /// Finds room for a new task at the end of a project's list. The index may lag behind a task
    /// that was just created; two tasks of the same order are sorted by id. 409 when no order is
    /// left.
    pub(super) async fn room_at_end(&self, tenant: Tenant, project: ProjectId) -> Result<Room> {
        let backwards = || key::tasks_of_project(tenant, project).descending();
        let last = self
            .0
            .table
            .list(backwards().limit(1))
            .await?;
        let low = last
            .first()
            .map_or(Order::at(0), |task| task.order);
        let place = Place {
            low: Some(low),
            next: None,
        };
        if let Some(order) = place.order() {
            return Ok(Room::of(order));
        }
        // All in one transaction with the new task.
        let preceding = self
            .0
            .table
            .list(backwards().limit(AT_ONCE))
            .await?;
        let orders = place.pushing_back(&orders(&preceding), preceding.len() < AT_ONCE);
        orders
            .and_then(|orders| Room::with(orders, &preceding))
            .ok_or_else(no_room)
    }
}

fn orders(tasks: &[Task]) -> Vec<Order> {
    tasks
        .iter()
        .map(|task| task.order)
        .collect()
}

fn no_room() -> Error {
    let detail = "There is no room between the orders of the tasks around this place. \
                  Give them new ones with PATCH /api/tasks/reorder.";
    Error::conflict(Code::NoRoom, detail)
}
