//! Places in a list of tasks, and the orders that fit there.

use model::{
    base::{Error, MAX_ID, Order, TaskId, Timestamp},
    work::Task,
};
use table::{Condition, UpdateExpression, Write};

use crate::{
    Tenant,
    base::writes::Writes,
    key::{self, Keyed},
};

/// The least distance between new orders. It leaves room for the next moves.
const ROOM: i64 = 16;

/// The number behind the largest order.
const END: i64 = MAX_ID + 1;

/// A place between two tasks of a list, by their orders. Tasks of one order stand by their ids.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The order of the task before the place; none if it is the first place.
    pub(super) low: Option<Order>,
    /// The order of the task after the place; none if it is the last place.
    pub(super) next: Option<Order>,
}

/// The order of a task at its new place, and new orders of tasks around it, the nearest one first.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) order: Order,
    pub(super) renumbered: Vec<Renumbered>,
}

/// A task that gets a new order.
#[derive(Debug)]
pub(super) struct Renumbered {
    id: TaskId,
    from: Order,
    to: Order,
}

impl Place {
    fn low(self) -> i64 {
        self.low.map_or(-1, Order::get)
    }

    fn high(self) -> i64 {
        self.next.map_or(END, Order::get)
    }

    /// Returns an order for the place, if there is one between both.
    pub(super) fn order(self) -> Option<Order> {
        let low = self.low();
        let high = self.high();
        let behind = low + Task::ORDER_STEP;
        if self.next.is_none() && behind < END {
            return Some(Order::at(behind));
        }
        let middle = low + (high - low) / 2;
        (low < middle && middle < high).then(|| Order::at(middle))
    }

    /// Returns an order for the place and, if there is no room, larger ones for as few of the tasks
    /// after it as possible. `is_whole` says that no others follow. `None` if these have no room.
    pub(super) fn pushing_on(self, following: &[Order], is_whole: bool) -> Option<Vec<Order>> {
        let following = following
            .iter()
            .map(|order| order.get());
        let orders = spread(self.low(), following, is_whole)?;
        Some(
            orders
                .into_iter()
                .map(Order::at)
                .collect(),
        )
    }

    /// As [`pushing_on`](Self::pushing_on), with smaller orders for the tasks before the place, the
    /// nearest one first.
    pub(super) fn pushing_back(self, preceding: &[Order], is_whole: bool) -> Option<Vec<Order>> {
        // Seen from its end, the list is the same.
        let mirrored = |order: i64| MAX_ID - order;
        let preceding = preceding
            .iter()
            .map(|order| mirrored(order.get()));
        let orders = spread(mirrored(self.high()), preceding, is_whole)?;
        Some(
            orders
                .into_iter()
                .map(mirrored)
                .map(Order::at)
                .collect(),
        )
    }
}

impl Room {
    /// A task's own order, for which no other changes.
    pub(super) const fn of(order: Order) -> Self {
        Self {
            order,
            renumbered: Vec::new(),
        }
    }

    /// The first of these orders for the task, and the others for those next to it.
    pub(super) fn with(orders: Vec<Order>, tasks: &[Task]) -> Option<Self> {
        let mut orders = orders.into_iter();
        let order = orders.next()?;
        let renumbered = tasks.iter().zip(orders);
        let renumbered = renumbered.map(|(task, to)| Renumbered {
            id: task.id,
            from: task.order,
            to,
        });
        Some(Self {
            order,
            renumbered: renumbered.collect(),
        })
    }

    /// The writes of the other tasks. 409 if one of them was moved meanwhile.
    pub(super) fn writes(&self, tenant: Tenant, now: Timestamp) -> Writes {
        let mut writes = Writes::default();
        for moved in &self.renumbered {
            writes.push_or(moved.write(tenant, now), Error::contended());
        }
        writes
    }
}

impl Renumbered {
    /// Gives the task its new order, unless it has another one than was read.
    pub(super) fn write(&self, tenant: Tenant, now: Timestamp) -> Write {
        // The index's partition is the project, which stays the same.
        let change = UpdateExpression::default()
            .set("order", self.to)
            .move_to(key::task_order(self.to, self.id))
            .set("updatedAt", now);
        let as_read = Condition::default().equals("order", self.from);
        if self.from == self.to {
            return Write::check(self.id.key(tenant), as_read);
        }
        Write::update(self.id.key(tenant), change, as_read)
    }
}

/// Returns orders above `low`: the first for the place, the others for the tasks behind it.
fn spread(
    low: i64,
    following: impl ExactSizeIterator<Item = i64>,
    is_whole: bool,
) -> Option<Vec<i64>> {
    let length = following.len();
    let parts = |place: usize| i64::try_from(place).unwrap_or(END) + 2;
    // The first task that keeps its order, and the distance of the new ones before it.
    let kept = following
        .enumerate()
        .find_map(|(place, order)| {
            let distance = (order - low) / parts(place);
            (distance >= ROOM).then_some((place, distance))
        });
    let (count, distance) = match kept {
        Some(kept) => kept,
        None if is_whole => {
            let distance = (END - low) / parts(length);
            (length, distance.min(Task::ORDER_STEP))
        }
        None => return None,
    };
    let orders = (1..)
        .take(count + 1)
        .map(|step| low + distance * step);
    (distance >= ROOM).then(|| orders.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(low: Option<i64>, next: Option<i64>) -> Place {
        Place {
            low: low.map(Order::at),
            next: next.map(Order::at),
        }
    }

    fn orders(orders: &[i64]) -> Vec<Order> {
        orders
            .iter()
            .map(|order| Order::at(*order))
            .collect()
    }

    fn numbers(orders: Option<Vec<Order>>) -> Option<Vec<i64>> {
        Some(
            orders?
                .into_iter()
                .map(Order::get)
                .collect(),
        )
    }

    #[test]
    fn a_task_comes_between_two_orders() {
        let order = |low, next| place(low, next).order().map(Order::get);
        assert_eq!(order(None, None), Some(1_023));
        assert_eq!(order(Some(1_024), None), Some(2_048));
        assert_eq!(order(Some(1_024), Some(2_048)), Some(1_536));
        assert_eq!(order(Some(1), Some(3)), Some(2));
        assert_eq!(order(None, Some(1)), Some(0));
        assert_eq!(order(Some(MAX_ID - 1), None), Some(MAX_ID));
        for (low, next) in [
            (None, Some(0)),
            (Some(1), Some(2)),
            (Some(5), Some(5)),
            (Some(MAX_ID - 1), Some(MAX_ID)),
            (Some(MAX_ID), None),
        ] {
            assert_eq!(order(low, next), None, "{low:?} {next:?}");
        }
    }

    #[test]
    fn as_few_tasks_as_possible_get_new_orders() {
        let after = place(Some(1_024), Some(1_025));
        let pushed = after.pushing_on(&orders(&[1_025, 1_026, 2_048, 3_072]), true);
        assert_eq!(numbers(pushed).unwrap(), [1_280, 1_536, 1_792]);
        // At the front and up to the end of the list.
        let first = place(None, Some(0));
        let pushed = first.pushing_on(&orders(&[0, 0, 1]), true);
        assert_eq!(numbers(pushed).unwrap(), [1_023, 2_047, 3_071, 4_095]);
        // More follow than were read.
        assert_eq!(first.pushing_on(&orders(&[0, 0, 1]), false), None);
        // At the end, those before the place make room.
        let last = place(Some(MAX_ID), None);
        assert_eq!(last.pushing_on(&[], true), None);
        let pushed = last.pushing_back(&orders(&[MAX_ID, MAX_ID - 1, 1_024]), true);
        let step = (MAX_ID - 1_023) / 4;
        let expected = [1, 2, 3].map(|times| MAX_ID + 1 - step * times);
        assert_eq!(numbers(pushed).unwrap(), expected[..3]);
    }

    /// A list of orders in clusters, of which some lie at the bounds.
    fn list(random: &mut impl FnMut(i64) -> i64) -> Vec<i64> {
        let mut list = Vec::new();
        for _ in 0..=random(3) {
            let begin = match random(4) {
                0 => 0,
                1 => MAX_ID - random(40),
                2 => random(MAX_ID),
                _ => 1_024 * random(9),
            };
            for _ in 0..=random(12) {
                list.push((begin + random(30)).min(MAX_ID));
            }
        }
        list.sort_unstable();
        list
    }

    #[test]
    fn a_task_comes_to_its_place_or_nothing_moves() {
        let mut seed: u64 = 7;
        let mut random = |below: i64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005);
            seed = seed.wrapping_add(1_442_695_040_888_963_407);
            i64::try_from(seed >> 11).unwrap() % below
        };
        let mut without_room = 0;
        for _ in 0..20_000 {
            let list = list(&mut random);
            let at = usize::try_from(random(99)).unwrap() % (list.len() + 1);
            let before = at
                .checked_sub(1)
                .map(|index| list[index]);
            let between = place(before, list.get(at).copied());
            let (preceding, following) = list.split_at(at);
            let preceding: Vec<i64> = preceding
                .iter()
                .rev()
                .copied()
                .collect();
            // As if no more than so many were read.
            let most = usize::try_from(1 + random(20)).unwrap();
            let read = random(2);
            let part = |all_orders: &[i64]| {
                let most = if read == 0 { usize::MAX } else { most };
                let some = &all_orders[..all_orders.len().min(most)];
                (orders(some), some.len() == all_orders.len())
            };
            let (on, is_whole_on) = part(following);
            let (back, is_whole_back) = part(&preceding);
            let own = between
                .order()
                .map(|order| (vec![order], true));
            let pushed = own
                .or_else(|| Some((between.pushing_on(&on, is_whole_on)?, true)))
                .or_else(|| Some((between.pushing_back(&back, is_whole_back)?, false)));
            let Some((new, is_on)) = pushed else {
                without_room += 1;
                continue;
            };
            let new: Vec<i64> = new
                .into_iter()
                .map(Order::get)
                .collect();
            let (own, moved) = new.split_first().unwrap();
            let mut after = preceding.clone();
            let mut later = following.to_vec();
            let side = if is_on { &mut later } else { &mut after };
            side[..moved.len()].copy_from_slice(moved);
            after.reverse();
            let place = after.len();
            after.push(*own);
            after.extend(later);
            assert!(after.is_sorted(), "{list:?} at {at}: {after:?}");
            // No tie that an id could decide.
            let is_apart = |left: usize, right: usize| after.get(left) < after.get(right);
            assert!(place == 0 || is_apart(place - 1, place), "{after:?}");
            let is_last = place + 1 == after.len();
            assert!(is_last || is_apart(place, place + 1), "{after:?}");
            assert!((0..=MAX_ID).contains(&after[0]) && *after.last().unwrap() <= MAX_ID);
        }
        assert!(without_room > 0, "a list without room was among them");
    }
}
