//! Moves of a task beside another one of its project.

use model::{
    Code, Error, Fault, FaultCode, Id, Neighbour, Order, OrganizationId, Task, TaskId, TaskMove,
    Timestamp,
};

use super::{Tasks, joined::JoinedTask, named::Names};
use crate::{
    PendingWrite, WriteContext,
    idempotency::id_of,
    key::{self, AnyKey},
    table::{Batch, Change, Condition, Read, Write},
    writes::Writes,
};

/// The most tasks that a move gives new orders.
const MOST_RENUMBERED: usize = 1_000;

/// The most tasks that one transaction gives new orders, beside the writes of the moved one.
const AT_ONCE: usize = 90;

/// The least distance between the orders that a move gives, so that the next moves find room.
const ROOM: i64 = 16;

/// The place of a moved task, and the tasks after it that need new orders for it.
struct Room {
    order: Order,
    renumbered: Vec<Renumbered>,
}

/// A task that gets a new order.
struct Renumbered {
    id: TaskId,
    from: Order,
    to: Order,
}

impl Tasks<'_> {
    /// Moves a task beside another one, and sets its status if the move has one. If there is no room
    /// between two orders, the tasks after it get new ones. 404 when the task is not the tenant's; 400 when
    /// the other one is not, or is of another project; 409 when 1,000 tasks follow without room.
    pub async fn move_beside(
        &self,
        pending: impl Into<PendingWrite>,
        id: TaskId,
        to: TaskMove,
    ) -> Result<JoinedTask, Error> {
        let pending = pending.into();
        let tenant = pending.tenant();
        let neighbour = to.neighbour();
        let other_key = neighbour.map(|neighbour| key::task(tenant, neighbour.id()));
        let key = key::task(tenant, id);
        let read = || {
            let keys = other_key.iter().chain([&key]).map(AnyKey::from);
            self.0.table.batch_get(keys, Read::Consistent)
        };
        let write = async |context: WriteContext, found: Batch| {
            let before = context.current(found.get(&key)?, TaskId::NOUN)?;
            let before = self.0.whole(before).await?;
            let mut task = before.clone();
            let mut renumbered = Vec::new();
            if let (Some(neighbour), Some(other_key)) = (neighbour, &other_key) {
                let other = found.get(other_key)?.map(|stored| stored.record);
                let other = other.ok_or_else(|| unknown(neighbour))?;
                let room = self.room(&before, neighbour, &other).await?;
                task.order = room.order;
                renumbered = room.renumbered;
            }
            if let Some(status) = to.status {
                task.status = status.into();
            }
            let now = self.0.clock.now();
            task.updated_at = now;
            // The last ones go first, so that the tasks keep their sequence if this ends midway.
            let later = renumbered.split_off(renumbered.len().min(AT_ONCE));
            for some in later.rchunks(AT_ONCE) {
                let writes = some.iter().map(|one| one.write(tenant, now)).collect();
                let done = Box::pin(self.0.transact(&context, writes, &[])).await?;
                if done.is_err() {
                    return Ok(None);
                }
            }
            let mut writes = Writes::default();
            writes.extend(renumbered.iter().map(|one| one.write(tenant, now)));
            writes.push(Write::replace(&task)?);
            writes.extend(context.updated(&before.record, &task, now)?);
            let (done, named) = tokio::try_join!(
                self.0.commit(&context, writes.making(id), ()),
                self.named(tenant, Names::of([&task.record])),
            )?;
            Ok(done.map(|done| done.map(|()| named.join(task.replaced()))))
        };
        let moved = self.0.write(pending, read, write).await?;
        let load = async |made| self.get(tenant, id_of(made)?).await;
        moved.or_load(load).await
    }

    /// Finds room for a task beside another one.
    async fn room(&self, task: &Task, neighbour: Neighbour, other: &Task) -> Result<Room, Error> {
        let (tenant, project) = (task.organization_id, task.project_id);
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
        let (table, list) = (&self.0.table, || key::tasks_of_project(tenant, project));
        let place = || key::task_order(other.order, other.id);
        // The task itself may be among them.
        let others = |tasks: Vec<Task>| {
            let others = tasks
                .into_iter()
                .filter(|one| ![task.id, other.id].contains(&one.id));
            others.collect::<Vec<_>>()
        };
        let (low, next) = match neighbour {
            Neighbour::After(_) => {
                let next = others(table.list(list().from(place()).limit(3)).await?);
                (Some(other.order), next.first().map(|next| next.order))
            }
            Neighbour::Before(_) => {
                let before = list().up_to(place()).descending().limit(3);
                let before = others(table.list(before).await?);
                (before.first().map(|one| one.order), Some(other.order))
            }
        };
        // The first place of all is 0.
        let low = low.map_or(-1, Order::get);
        if let Some(order) = between(low, next) {
            let renumbered = Vec::new();
            return Ok(Room { order, renumbered });
        }
        let following = list().from(place()).limit(MOST_RENUMBERED);
        let mut following = table.list(following).await?;
        let is_whole = following.len() < MOST_RENUMBERED;
        let stays = |one: &Task| one.id == other.id && matches!(neighbour, Neighbour::After(_));
        following.retain(|one| one.id != task.id && !stays(one));
        spread(low, &following, is_whole).ok_or_else(no_room)
    }
}

impl Renumbered {
    /// Gives the task its new order, unless it has another one than was read.
    fn write(&self, tenant: OrganizationId, now: Timestamp) -> Write {
        // The index's partition is the project, which stays the same.
        let change = Change::default()
            .set("order", self.to)
            .move_to(key::task_order(self.to, self.id))
            .set("updatedAt", now);
        let as_read = Condition::default().equals("order", self.from);
        Write::update(key::task(tenant, self.id), change, as_read)
    }
}

/// Returns an order between two, `None` if there is no room. Without a next one, the task is the last.
fn between(low: i64, next: Option<Order>) -> Option<Order> {
    let Some(next) = next else {
        return Some(Order::at(low.saturating_add(Task::ORDER_STEP)));
    };
    let middle = low + (next.get() - low) / 2;
    (low < middle && middle < next.get()).then(|| Order::at(middle))
}

/// Gives a task and as few of the following ones as possible new orders above `low`. `None` if all of these
/// are without room and more follow.
fn spread(low: i64, following: &[Task], is_whole: bool) -> Option<Room> {
    // The first task that keeps its order, and the distance of the new ones before it.
    let kept = following.iter().enumerate().find_map(|(place, task)| {
        let parts = i64::try_from(place).ok()? + 2;
        let distance = (task.order.get() - low) / parts;
        (distance >= ROOM).then_some((place, distance))
    });
    let (count, distance) = match kept {
        Some(found) => found,
        None if is_whole => (following.len(), Task::ORDER_STEP),
        None => return None,
    };
    let mut orders = (1..).map(|step| Order::at(low.saturating_add(distance.saturating_mul(step))));
    let order = orders.next()?;
    let renumbered = following.iter().take(count).zip(orders);
    let renumbered = renumbered.map(|(task, to)| Renumbered {
        id: task.id,
        from: task.order,
        to,
    });
    Some(Room {
        order,
        renumbered: renumbered.collect(),
    })
}

fn unknown(neighbour: Neighbour) -> Error {
    Error::invalid(Fault::unknown(neighbour.field(), TaskId::NOUN))
}

fn no_room() -> Error {
    let detail = "1,000 tasks follow without room between their orders. \
                  Give them new ones with PATCH /api/tasks/reorder.";
    Error::conflict(Code::NoRoom, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(orders: &[i64]) -> Vec<Task> {
        let task = |(place, order): (usize, &i64)| {
            let task = serde_json::json!({
                "id": place + 1, "title": "A", "organizationId": 1, "projectId": 1, "order": order,
                "status": "todo", "priority": "medium",
                "createdAt": "2026-01-15T12:00:00Z", "updatedAt": "2026-01-15T12:00:00Z",
            });
            serde_json::from_value(task).unwrap()
        };
        orders.iter().enumerate().map(task).collect()
    }

    /// The orders of the moved task and of those that follow it.
    fn spread_over(low: i64, orders: &[i64], is_whole: bool) -> Option<Vec<i64>> {
        let room = spread(low, &tasks(orders), is_whole)?;
        let renumbered = room.renumbered.iter().map(|one| one.to.get());
        let kept = orders.iter().skip(room.renumbered.len()).copied();
        Some(
            [room.order.get()]
                .into_iter()
                .chain(renumbered)
                .chain(kept)
                .collect(),
        )
    }

    #[test]
    fn a_task_comes_between_two_orders() {
        let order = |low, next: Option<i64>| between(low, next.map(Order::at)).map(Order::get);
        assert_eq!(order(-1, None), Some(1_023));
        assert_eq!(order(1_024, None), Some(2_048));
        assert_eq!(order(1_024, Some(2_048)), Some(1_536));
        assert_eq!(order(1, Some(3)), Some(2));
        assert_eq!(order(-1, Some(1)), Some(0));
        for (low, next) in [(-1, 0), (1, 2), (5, 5)] {
            assert_eq!(order(low, Some(next)), None, "{low} {next}");
        }
    }

    #[test]
    fn as_few_tasks_as_possible_get_new_orders() {
        let found = spread_over(1_024, &[1_025, 1_026, 2_048, 3_072], true);
        assert_eq!(found.unwrap(), [1_280, 1_536, 1_792, 2_048, 3_072]);
        // At the front and up to the end of the list.
        let found = spread_over(-1, &[0, 0, 1], true);
        assert_eq!(found.unwrap(), [1_023, 2_047, 3_071, 4_095]);
        // More follow than were read.
        assert_eq!(spread_over(-1, &[0, 0, 1], false), None);
    }
}
