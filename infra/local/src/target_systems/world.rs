//! The state of the target systems: records, effects and stored answers.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use http::StatusCode;
use serde_json::{Value, json};
use shared::clock::Clock;

use crate::atomic_file;

use super::{
    call::{Answer, Request},
    error::TargetSystemError,
    faults::{Faults, InjectedFault},
    operation::{Operation, System},
    records::{RecordedEffect, Records, StoredAnswer},
    systems::Shipped,
};

/// The state, shared by all connections. One lock makes a call's effect, its log entry and its
/// stored answer atomic.
#[derive(Debug)]
pub(crate) struct World {
    state: Mutex<State>,
    shipped: &'static Shipped,
    /// The messages of webhooks since the start.
    heard: Mutex<Vec<Value>>,
    file: Option<PathBuf>,
}

#[derive(Debug)]
struct State {
    records: Records,
    faults: Faults,
}

/// A received call.
#[derive(Debug)]
pub(crate) struct Call<'c> {
    pub(crate) system: &'static System,
    pub(crate) operation: &'static Operation,
    pub(crate) path: &'c str,
    pub(crate) key: Option<&'c str>,
    pub(crate) request: Request,
    /// Status of an injected failure that is answered and stored instead of running the operation.
    pub(crate) fails_with: Option<u16>,
}

impl World {
    /// Loads the state from the file, or from the seed if there is none.
    pub(crate) fn open(file: Option<&Path>) -> Result<Self, TargetSystemError> {
        let shipped = Shipped::get()?;
        let records = match file {
            Some(path) if path.exists() => load(path)?,
            _ => shipped.records.clone(),
        };
        Ok(Self::new(shipped, records, file.map(Path::to_owned)))
    }

    /// Returns a state with these records that is not saved.
    pub(crate) fn of(records: Value) -> Result<Self, TargetSystemError> {
        let shipped = Shipped::get()?;
        let records: Records = serde_json::from_value(records)?;
        Ok(Self::new(shipped, records.complete(&shipped.kinds), None))
    }

    fn new(shipped: &'static Shipped, records: Records, file: Option<PathBuf>) -> Self {
        Self {
            shipped,
            state: Mutex::new(State {
                records,
                faults: Faults::default(),
            }),
            heard: Mutex::default(),
            file,
        }
    }

    pub(crate) const fn shipped(&self) -> &'static Shipped {
        self.shipped
    }

    pub(crate) fn hear(&self, message: Value) {
        lock(&self.heard).push(message);
    }

    pub(crate) fn heard(&self) -> Vec<Value> {
        lock(&self.heard).clone()
    }

    /// Runs a call and returns its answer. A system that honours keys has one effect per key.
    pub(crate) fn perform(&self, call: &Call<'_>) -> Answer {
        let mut state = self.lock();
        let stored_under = stored_under(call);
        if let Some(stored) = stored_under
            .as_ref()
            .and_then(|key| state.records.stored_answers.get(key))
        {
            return repeat(stored, call);
        }

        // The change is made to a copy, so that it is discarded if it cannot be saved.
        let mut records = state.records.clone();
        let answer = match call.fails_with {
            Some(status) => Answer::injected(status),
            None => call
                .operation
                .run(&mut records, &self.shipped.kinds, &call.request),
        };
        if answer.changed.is_none() && call.fails_with.is_none() {
            return answer;
        }
        if let Some(entity) = &answer.changed {
            let id = records
                .effects
                .last()
                .map_or(1, |effect| effect.id + 1);
            records.effects.push(RecordedEffect {
                id,
                system: call.system.name.clone(),
                operation: call.operation.name().to_owned(),
                entity: entity.clone(),
                idempotency_key: call.key.map(str::to_owned),
                at: Clock::system().now().to_string(),
            });
        }
        if let Some(key) = stored_under {
            records
                .stored_answers
                .insert(key, stored(call, &answer));
        }
        if let Err(error) = self.keep(&records) {
            return Answer::refusal(
                StatusCode::INSUFFICIENT_STORAGE,
                "state_not_kept",
                &error.to_string(),
            );
        }
        state.records = records;
        answer
    }

    /// Returns the number of calls that pending faults will affect.
    pub(crate) fn waiting_faults(&self) -> usize {
        let state = self.lock();
        let times = state
            .faults
            .list()
            .iter()
            .map(|fault| fault.times);
        times
            .sum::<u32>()
            .try_into()
            .unwrap_or(usize::MAX)
    }

    /// Returns the state without the stored answers.
    pub(crate) fn show(&self) -> Value {
        let state = self.lock();
        let mut shown = json!(state.records);
        if let Some(fields) = shown.as_object_mut() {
            fields.remove("storedAnswers");
            fields.insert("faults".to_owned(), json!(state.faults.list()));
        }
        shown
    }

    pub(crate) fn effects(&self) -> Vec<RecordedEffect> {
        self.lock().records.effects.clone()
    }

    pub(crate) fn add_fault(&self, fault: InjectedFault) {
        self.lock().faults.add(fault);
    }

    pub(crate) fn clear_faults(&self) {
        self.lock().faults.clear();
    }

    pub(crate) fn take_fault(&self, system: &str, operation: &str) -> Option<InjectedFault> {
        self.lock()
            .faults
            .take(system, operation)
    }

    /// Resets the state to the seed and removes all faults.
    pub(crate) fn reset(&self) -> Result<(), TargetSystemError> {
        let records = self.shipped.records.clone();
        let mut state = self.lock();
        self.keep(&records)?;
        state.records = records;
        state.faults.clear();
        Ok(())
    }

    fn keep(&self, records: &Records) -> Result<(), TargetSystemError> {
        let Some(path) = &self.file else {
            return Ok(());
        };
        serde_json::to_vec_pretty(records)
            .map_err(std::io::Error::from)
            .and_then(|bytes| atomic_file::write(path, &bytes))
            .map_err(|source| TargetSystemError::State {
                path: path.clone(),
                source,
            })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// Locks a part of the world. A poisoned lock is fine, since records are only replaced as a whole.
fn lock<T>(part: &Mutex<T>) -> MutexGuard<'_, T> {
    part.lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Returns the storage key of a call's answer; none if the system ignores keys or the call has
/// none.
fn stored_under(call: &Call<'_>) -> Option<String> {
    let key = call
        .key
        .filter(|_| call.system.honours_keys)?;
    Some(format!("{}:{key}", call.system.name))
}

fn stored(call: &Call<'_>, answer: &Answer) -> StoredAnswer {
    StoredAnswer {
        path: call.path.to_owned(),
        request: call.request.body.clone(),
        status: answer.status.as_u16(),
        body: answer.body.clone(),
    }
}

fn repeat(stored: &StoredAnswer, call: &Call<'_>) -> Answer {
    if stored.path != call.path || stored.request != call.request.body {
        return Answer::refusal(
            StatusCode::UNPROCESSABLE_ENTITY,
            "idempotency_key_reused",
            "the idempotency key was used for another request",
        );
    }
    Answer {
        status: StatusCode::from_u16(stored.status).unwrap_or(StatusCode::OK),
        body: stored.body.clone(),
        changed: None,
        is_replay: true,
    }
}

fn load(path: &Path) -> Result<Records, TargetSystemError> {
    std::fs::read(path)
        .and_then(|bytes| serde_json::from_slice(&bytes).map_err(std::io::Error::from))
        .map_err(|source| TargetSystemError::State {
            path: path.to_owned(),
            source,
        })
}
