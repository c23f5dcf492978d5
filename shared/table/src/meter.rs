//! Counts the requests of a task, and the unreadable records that it met.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
};

use aws_sdk_dynamodb::types::ConsumedCapacity;
use model::base::{Error, Fault, FaultCode};

use crate::AnyKey;

tokio::task_local! {
    static USED: RefCell<Used>;
    /// Units after which the task reads no more.
    static MOST: Cell<f64>;
}

/// Requests of a task, and the unreadable records that it met.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Used {
    pub requests: u32,
    pub read_units: f64,
    /// Consumed write units. One costs as much as five read units.
    pub write_units: f64,
    /// Keys of unreadable records, as `pk sk`.
    pub unreadable: BTreeSet<String>,
    /// The id of the last [noted](note_write) write. A replay notes the earlier one.
    pub write_id: Option<String>,
}

impl Used {
    /// Consumed units, reads and writes together.
    pub fn units(&self) -> f64 {
        self.read_units + self.write_units
    }

    fn add(&mut self, more: Self) {
        self.requests += more.requests;
        self.read_units += more.read_units;
        self.write_units += more.write_units;
        self.unreadable.extend(more.unreadable);
        self.write_id = more.write_id.or(self.write_id.take());
    }
}

/// Runs a task and returns its output with its usage. An enclosing metered task counts the same
/// usage.
pub async fn metered<F: Future>(task: F) -> (F::Output, Used) {
    let scope = USED.scope(RefCell::default(), async move {
        (task.await, USED.with(RefCell::take))
    });
    let (output, used) = scope.await;
    note(|usage| usage.add(used.clone()));
    (output, used)
}

/// Returns the capacity units that the task has consumed so far; 0 outside of [`metered`].
pub fn units_so_far() -> f64 {
    USED.try_with(|used| used.borrow().units())
        .unwrap_or_default()
}

/// Runs a metered task, which starts no read once it has consumed so many units: 400.
pub async fn bounded<F: Future>(most: f64, task: F) -> F::Output {
    MOST.scope(Cell::new(most), task).await
}

/// Lets the [`bounded`] task start no further read. Those under way end, and are counted.
pub fn stop_reading() {
    let _ = MOST.try_with(|most| most.set(0.0));
}

/// 400 for a task that has consumed the units it may.
pub(crate) fn allow_read() -> Result<(), Error> {
    let most = MOST
        .try_with(Cell::get)
        .unwrap_or(f64::INFINITY);
    if units_so_far() < most {
        return Ok(());
    }
    Err(Error::invalid(Fault {
        pointer: "?limit".to_owned(),
        code: FaultCode::Combination,
        detail: format!(
            "The request reads more than {most} table units, because the records are long. Send a smaller \
             `limit`."
        ),
    }))
}

pub(crate) fn count_read(consumed: &[ConsumedCapacity]) {
    note(|used| {
        used.requests += 1;
        used.read_units += units(consumed);
    });
}

pub(crate) fn count_write(consumed: &[ConsumedCapacity]) {
    note(|used| {
        used.requests += 1;
        used.write_units += units(consumed);
    });
}

fn units(consumed: &[ConsumedCapacity]) -> f64 {
    let units = consumed
        .iter()
        .filter_map(ConsumedCapacity::capacity_units);
    units.sum()
}

/// Notes what the task has written, by the id of the write.
pub fn note_write(id: &str) {
    note(|used| used.write_id = Some(id.to_owned()));
}

pub(crate) fn note_unreadable(key: &AnyKey) {
    note(|used| {
        used.unreadable.insert(key.to_string());
    });
}

/// Changes the usage of the task that runs; does nothing outside of [`metered`].
fn note(change: impl FnOnce(&mut Used)) {
    let _ = USED.try_with(|used| change(&mut used.borrow_mut()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_bounded_task_reads_until_it_has_used_its_units() {
        let consumed = |units| {
            [ConsumedCapacity::builder()
                .capacity_units(units)
                .build()]
        };
        let task = bounded(3.0, async {
            count_read(&consumed(2.5));
            allow_read().unwrap();
            count_write(&consumed(1.0));
            let refused = allow_read().unwrap_err();
            let Error::Invalid(faults) = refused else {
                panic!("{refused:?}");
            };
            assert_eq!(faults[0].pointer, "?limit");
        });
        let ((), used) = metered(task).await;
        let expected = Used {
            requests: 2,
            read_units: 2.5,
            write_units: 1.0,
            ..Used::default()
        };
        assert_eq!(used, expected);
        count_read(&consumed(9.0));
        allow_read().unwrap();
    }
}
