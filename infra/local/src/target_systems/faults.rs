//! Failures on demand.

use serde::{Deserialize, Serialize};

/// A failure that the next matching calls of a target system meet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fault {
    /// `billing`, `payments` or `notifications`.
    pub system: String,
    /// What goes wrong.
    pub mode: FaultMode,
    /// Status of the answer in mode `fail`.
    #[serde(default = "internal_server_error")]
    pub status: u16,
    /// Milliseconds to wait before the answer in modes `delay` and `fail`.
    #[serde(default)]
    pub delay_ms: u64,
    /// In mode `fail`: the answer is kept under the call's key, and given again to whoever sends it,
    /// as systems do that keep failures.
    #[serde(default)]
    pub kept: bool,
    /// The answer's `Retry-After` in mode `fail`: seconds or an instant, as the header has it.
    #[serde(default)]
    pub retry_after: Option<String>,
    /// How many calls meet it.
    #[serde(default = "once")]
    pub times: u32,
    /// Only calls of this operation, such as `POST /invoices/{id}/void`; of every one if absent.
    #[serde(default)]
    pub operation: Option<String>,
}

/// What goes wrong, and on which side of the effect.
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
    /// Answers 307 and leads to the same call of another system, before any effect.
    Redirect,
}

impl Fault {
    /// A fault that one call of a system meets.
    #[must_use]
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

    fn matches(&self, system: &str, operation: &str) -> bool {
        self.times > 0
            && self.system == system
            && self
                .operation
                .as_deref()
                .is_none_or(|only| only == operation)
    }
}

/// Faults waiting for their calls, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Fault>);

impl Faults {
    pub(crate) fn add(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn list(&self) -> &[Fault] {
        &self.0
    }

    /// The fault that this call meets, used up by one.
    pub(crate) fn take(&mut self, system: &str, operation: &str) -> Option<Fault> {
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
