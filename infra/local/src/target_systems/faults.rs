//! Faults that are injected into calls.

use serde::{Deserialize, Serialize};

/// A fault for the next matching calls of a target system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InjectedFault {
    /// `billing`, `payments` or `notifications`.
    pub system: String,
    /// Kind of fault.
    pub mode: FaultMode,
    /// Status of the answer in mode `fail`.
    #[serde(default = "internal_server_error")]
    pub status: u16,
    /// Milliseconds to wait before the answer in modes `delay` and `fail`.
    #[serde(default)]
    pub delay_ms: u64,
    /// In mode `fail`: stores the answer under the call's idempotency key and replays it, as
    /// systems do that store failures.
    #[serde(default)]
    pub kept: bool,
    /// `Retry-After` of the answer in mode `fail`, as in the header: seconds or an instant.
    #[serde(default)]
    pub retry_after: Option<String>,
    /// Number of calls that it affects.
    #[serde(default = "once")]
    pub times: u32,
    /// Operation of the affected calls, such as `POST /invoices/{id}/void`; any operation if
    /// absent.
    #[serde(default)]
    pub operation: Option<String>,
}

/// Kinds of faults, with and without an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultMode {
    /// Answers with `status` before any effect.
    Fail,
    /// Never answers, and has no effect.
    Hang,
    /// Answers 200 with bytes that are not JSON, and has no effect.
    Garbage,
    /// Takes effect, then cuts the connection instead of answering.
    Drop,
    /// Takes effect, then answers after `delayMs`.
    Delay,
    /// Answers 307 with another path of the same host, before any effect.
    Redirect,
}

impl InjectedFault {
    /// Returns a fault for one call of a system.
    pub fn once(system: &str, mode: FaultMode) -> Self {
        Self {
            system: system.to_owned(),
            mode,
            status: internal_server_error(),
            delay_ms: 0,
            kept: false,
            retry_after: None,
            times: once(),
            operation: None,
        }
    }

    /// Sets the status of its answers.
    #[must_use]
    pub fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// Sets the number of calls that it affects.
    #[must_use]
    pub fn times(self, times: u32) -> Self {
        Self { times, ..self }
    }

    /// Sets the operation of the calls that it affects.
    #[must_use]
    pub fn of(self, operation: &str) -> Self {
        let operation = Some(operation.to_owned());
        Self { operation, ..self }
    }

    fn matches(&self, system: &str, operation: &str) -> bool {
        self.times > 0
            && self.system == system
            && self
                .operation
                .as_deref()
                .is_none_or(|only| only == operation)
    }
}

/// Pending faults, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<InjectedFault>);

impl Faults {
    pub(crate) fn add(&mut self, fault: InjectedFault) {
        self.0.push(fault);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn list(&self) -> &[InjectedFault] {
        &self.0
    }

    /// Returns the fault for this call and counts the call against it.
    pub(crate) fn take(&mut self, system: &str, operation: &str) -> Option<InjectedFault> {
        let position = self
            .0
            .iter()
            .position(|fault| fault.matches(system, operation))?;
        let fault = &mut self.0[position];
        fault.times -= 1;
        let met = fault.clone();
        self.0.retain(|fault| fault.times > 0);
        Some(met)
    }
}

fn internal_server_error() -> u16 {
    500
}

fn once() -> u32 {
    1
}
