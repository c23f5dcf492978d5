//! Whether a signal is one of many: what its class did before, and what that says.

mod history;
pub mod statistics;
#[cfg(test)]
mod tests;
mod windows;

pub use history::{ClassHistory, LabelledSignal, Occurrence};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{AgentSessionId, Signal, Timestamp};

/// With what a class is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cycle {
    /// With the four weeks before the last one.
    #[default]
    None,
    /// With the same hours of the last three months: what goes by a calendar surges every month, and is
    /// no pattern for that.
    Monthly,
}

/// Whether alerts of a class come more often than they did.
///
/// An alert counts by the records that it names, however often they are named, and those of the alert
/// itself are left out: that it is looked at is no evidence of a pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pattern {
    /// The windows that end at the analysis.
    pub windows: Vec<PatternWindow>,
    /// The labels of the alert that others of the window share more often than earlier ones did; none
    /// unless a window fired.
    pub shared: Vec<SharedLabel>,
    /// What resolved the same record before; null where nothing did.
    pub recurrence: Option<Recurrence>,
    /// How often the windows would have fired before.
    pub fired_on_history: FiredOnHistory,
}

/// A window of time, and the baseline that it is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatternWindow {
    /// How long it is.
    pub hours: i64,
    /// Alerts of the class in it, each record once.
    pub count: i64,
    /// The same of the baseline, each record once in as many hours as the window has.
    pub baseline: i64,
    /// How many days the baseline has; 0 where nothing is known of them.
    pub baseline_days: f64,
    /// The probability of as many in the window, if they come at the baseline's rate: P[Bin(count +
    /// baseline, w / (w + baselineDays)) ≥ count] with w the window in days.
    pub p_value: f64,
    /// Whether that is at most 0.001 / 3, for there are three windows.
    pub fires: bool,
}

/// A label that alerts share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SharedLabel {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// How many alerts of the window have it, of up to 100 that are looked at.
    pub count: i64,
    /// Of how many.
    pub of: i64,
    /// How many of the newest before the window have it.
    pub baseline_count: i64,
    /// Of how many.
    pub baseline_of: i64,
    /// The probability of as many in the window if the label had nothing to do with it (Fisher's exact
    /// test). At most one in twenty of the labels that are named is so by chance.
    pub p_value: f64,
}

/// A record that was put right before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Recurrence {
    /// The record's id.
    pub entity: String,
    /// The session that did it.
    pub agent_session_id: AgentSessionId,
    /// When.
    pub at: Timestamp,
}

/// How often windows would have fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FiredOnHistory {
    /// How many days before the last 24 hours were looked at, each at every hour.
    pub days: i64,
    /// On how many of them one fired.
    pub times: i64,
}

impl Pattern {
    /// How likely a window fires at all where nothing is going on, at most.
    pub const ALPHA: f64 = 0.001;
    /// How many of the labels that are named are so by chance, at most.
    const FALSE_SHARE: f64 = 0.05;

    /// What the history says of a signal.
    #[must_use]
    pub fn of(signal: &Signal, history: &ClassHistory, cycle: Cycle) -> Self {
        let counts = windows::Counts::of(signal, history, cycle);
        let windows = counts.windows();
        // The longest that fires has the most to tell what its alerts share.
        let longest = windows.iter().rfind(|window| window.fires);
        let shared = longest.map(|window| history.shared(signal, window.hours));
        Self {
            windows,
            shared: shared.unwrap_or_default(),
            recurrence: signal.recurrence.clone(),
            fired_on_history: counts.fired(),
        }
    }

    /// Whether alerts come more often than they did.
    #[must_use]
    pub fn surges(&self) -> bool {
        self.windows.iter().any(|window| window.fires)
    }

    /// Whether the signal is more than a single case.
    #[must_use]
    pub fn is_anomaly(&self) -> bool {
        self.surges() || self.recurrence.is_some()
    }
}
