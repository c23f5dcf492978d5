//! Patterns: statistics that tell whether an alert is one of many, from the history of its class.

mod history;
pub mod statistics;
#[cfg(test)]
mod tests;
mod windows;

pub use history::{ClassHistory, LabelledAlert, Occurrence};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::alert::Recurrence;

/// The baseline of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cycle {
    /// The four weeks before the last one.
    #[default]
    None,
    /// These hours in each of the last three months. Alerts of the calendar surge every month,
    /// which is no pattern.
    Monthly,
}

/// The frequency of a class of alerts, compared with its past.
///
/// Each record that alerts name counts once, however often it is named. Records of the analysed
/// alert do not count: its analysis is no evidence of a pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pattern {
    /// The windows that end at the analysis.
    pub windows: Vec<PatternWindow>,
    /// Labels of the alert that alerts in the window share more often than earlier ones. Empty
    /// unless a window fires.
    pub shared: Vec<SharedLabel>,
    /// The earlier resolution of the same record; null if there is none.
    pub recurrence: Option<Recurrence>,
}

/// A window of time, compared with its baseline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatternWindow {
    /// Length in hours.
    pub hours: i64,
    /// Alerts of the class in the window; each record counts once.
    pub count: i64,
    /// True if there may have been more: an hour of the window has as many alerts as are kept of
    /// one.
    #[serde(default)]
    #[schema(required = true)]
    pub count_is_least: bool,
    /// Alerts of the class in the baseline. Each record counts once per period of the window's
    /// length.
    pub baseline: i64,
    /// True if there may have been more in the baseline.
    #[serde(default)]
    #[schema(required = true)]
    pub baseline_is_least: bool,
    /// Length of the baseline in days; 0 without data.
    pub baseline_days: f64,
    /// Probability of at least `count` alerts in the window at the baseline's rate: P[Bin(count +
    /// baseline, w / (w + baselineDays)) ≥ count]. Here w is the window in days.
    pub p_value: f64,
    /// True if the probability is at most 0.001 / 3, since there are three windows. Without a
    /// baseline, true for the shortest window whose `count` is a least one, unless the class
    /// follows the calendar.
    pub fires: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SharedLabel {
    pub name: String,
    pub value: String,
    /// Number of alerts in the window with this label, out of a sample of up to 100.
    pub count: i64,
    /// Size of the sample.
    pub of: i64,
    /// Number of the newest alerts before the window with this label.
    pub baseline_count: i64,
    /// Size of that sample.
    pub baseline_of: i64,
    /// Probability of at least `count` if the label were unrelated to the window (Fisher's exact
    /// test). At most one in twenty of the shown labels is there by chance.
    pub p_value: f64,
}

impl Pattern {
    /// The highest probability that any window fires at a steady rate.
    pub const ALPHA: f64 = 0.001;
    /// The highest share of shown labels that are there by chance.
    const FALSE_SHARE: f64 = 0.05;

    /// True if alerts are more frequent than before.
    pub fn surges(&self) -> bool {
        self.windows
            .iter()
            .any(|window| window.fires)
    }

    /// True if the alert is more than a single case.
    pub fn is_anomaly(&self) -> bool {
        self.surges() || self.recurrence.is_some()
    }
}
