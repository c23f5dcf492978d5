//! An evaluator of CloudWatch's alarms, read from the template.
//!
//! CloudWatch evaluates an alarm each minute, over windows that end with this minute. A missing
//! datapoint counts as `TreatMissingData` says.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tests::support::roles;

use crate::metrics::{Watched, watched};

use super::math::evaluate;

/// The metrics of some minutes.
#[derive(Clone, Debug, Default)]
pub struct Metrics(BTreeMap<Watched, BTreeMap<usize, Vec<Sample>>>);

/// A value that was written so many times within a minute.
#[derive(Clone, Copy, Debug)]
struct Sample {
    value: f64,
    times: f64,
}

impl Metrics {
    pub fn write(&mut self, minute: usize, metric: Watched, value: f64, times: f64) {
        if times > 0.0 {
            let of_minute = self
                .0
                .entry(metric)
                .or_default()
                .entry(minute);
            of_minute
                .or_default()
                .push(Sample { value, times });
        }
    }

    /// Removes what was written of a metric in a minute.
    pub fn forget(&mut self, minute: usize, metric: &Watched) {
        if let Some(minutes) = self.0.get_mut(metric) {
            minutes.remove(&minute);
        }
    }

    /// Returns the statistic of a metric in the minutes from `begin` to before `end`; none without
    /// a value.
    fn statistic(&self, name: &str, metric: &Watched, begin: usize, end: usize) -> Option<f64> {
        let minutes = self.0.get(metric)?.range(begin..end);
        let mut samples: Vec<Sample> = minutes
            .flat_map(|(_, samples)| samples.clone())
            .collect();
        let last = samples.last()?;
        let times: f64 = samples
            .iter()
            .map(|sample| sample.times)
            .sum();
        let up_to = |part: &str| part.parse::<f64>().unwrap();
        Some(match name {
            "Sum" => samples
                .iter()
                .map(|sample| sample.value * sample.times)
                .sum(),
            "Maximum" => samples
                .iter()
                .fold(last.value, |max, sample| max.max(sample.value)),
            _ if name.starts_with("PR(:") => {
                let limit = up_to(
                    name.trim_start_matches("PR(:")
                        .trim_end_matches(')'),
                );
                let within = samples
                    .iter()
                    .filter(|sample| sample.value <= limit);
                100.0
                    * within
                        .map(|sample| sample.times)
                        .sum::<f64>()
                    / times
            }
            _ => {
                let mut left = up_to(name.strip_prefix('p').unwrap()) / 100.0 * times;
                samples.sort_by(|sample, other| sample.value.total_cmp(&other.value));
                let reached = samples.iter().find(|sample| {
                    left -= sample.times;
                    left <= 0.0
                });
                reached.unwrap_or(samples.last()?).value
            }
        })
    }
}

/// The alarms of the template.
#[derive(Debug)]
pub struct Alarms {
    of_metrics: Vec<Alarm>,
    composite: Vec<Composite>,
}

/// An alarm on other alarms: rings while all of them ring.
#[derive(Debug)]
struct Composite {
    name: String,
    text: String,
    parts: Vec<String>,
}

impl Alarms {
    /// Returns the alarms of a template.
    pub fn of(template: &Value) -> Self {
        let of_metrics = roles::resources(template, "AWS::CloudWatch::Alarm");
        let composite = roles::resources(template, "AWS::CloudWatch::CompositeAlarm");
        Self {
            of_metrics: of_metrics
                .map(|(name, alarm)| Alarm::read(name, alarm))
                .collect(),
            composite: composite
                .map(|(name, alarm)| Composite::read(name, alarm))
                .collect(),
        }
    }

    /// Returns name and text of each alarm.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let of_metrics = self
            .of_metrics
            .iter()
            .map(|alarm| (&*alarm.name, &*alarm.text));
        of_metrics.chain(
            self.composite
                .iter()
                .map(|alarm| (&*alarm.name, &*alarm.text)),
        )
    }

    /// Returns the names of alarms that tell a topic.
    pub fn notifying(&self) -> impl Iterator<Item = &str> {
        let of_metrics = self
            .of_metrics
            .iter()
            .filter(|alarm| alarm.notifies);
        let of_metrics = of_metrics.map(|alarm| &*alarm.name);
        of_metrics.chain(
            self.composite
                .iter()
                .map(|alarm| &*alarm.name),
        )
    }

    /// Returns the alarms that tell a topic after the minute before `end`.
    pub fn ringing(&self, metrics: &Metrics, end: usize) -> BTreeSet<String> {
        let ringing = self
            .of_metrics
            .iter()
            .filter(|alarm| alarm.rings(metrics, end));
        let ringing: BTreeSet<&str> = ringing
            .map(|alarm| &*alarm.name)
            .collect();
        let all_ring = |parts: &[String]| {
            parts
                .iter()
                .all(|part| ringing.contains(&**part))
        };
        let composite = self
            .composite
            .iter()
            .filter(|alarm| all_ring(&alarm.parts));
        let composite = composite.map(|alarm| alarm.name.clone());
        let notifying: BTreeSet<&str> = self.notifying().collect();
        let of_metrics = ringing
            .iter()
            .filter(|name| notifying.contains(**name));
        of_metrics
            .map(ToString::to_string)
            .chain(composite)
            .collect()
    }
}

impl Composite {
    fn read(name: &str, alarm: &Value) -> Self {
        let rule = alarm["AlarmRule"].as_str().unwrap();
        let part = |term: &str| {
            let part = term
                .strip_prefix("ALARM(\"${")
                .and_then(|term| term.strip_suffix("}\")"));
            part.unwrap_or_else(|| panic!("{name}: {term}"))
                .to_owned()
        };
        Self {
            name: name.to_owned(),
            text: alarm["AlarmDescription"]
                .as_str()
                .unwrap()
                .to_owned(),
            parts: rule.split(" AND ").map(part).collect(),
        }
    }
}

/// An alarm on metrics.
#[derive(Debug)]
struct Alarm {
    name: String,
    text: String,
    /// True if it tells a topic by itself.
    notifies: bool,
    /// The statistics by id, and the expression of them that is watched.
    statistics: BTreeMap<String, (String, Watched)>,
    expression: String,
    /// Minutes.
    period: usize,
    windows: usize,
    breaching: usize,
    threshold: f64,
    includes_threshold: bool,
    missing_breaches: bool,
}

impl Alarm {
    fn read(name: &str, alarm: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let mut statistics = BTreeMap::new();
        let mut expression = "only".to_owned();
        let mut periods = Vec::new();
        match alarm["Metrics"].as_array() {
            None => {
                periods.push(number(&alarm["Period"]));
                let statistic = (text(&alarm["Statistic"]), watched(alarm));
                statistics.insert("only".to_owned(), statistic);
            }
            Some(queries) => {
                for query in queries {
                    let Some(metric) = query.get("MetricStat") else {
                        expression = text(&query["Expression"]);
                        continue;
                    };
                    assert_eq!(query["ReturnData"], false, "{name}");
                    periods.push(number(&metric["Period"]));
                    let statistic = (text(&metric["Stat"]), watched(&metric["Metric"]));
                    statistics.insert(text(&query["Id"]), statistic);
                }
            }
        }
        periods.dedup();
        assert_eq!(periods.len(), 1, "{name} mixes periods");
        assert!(statistics.len() <= 10, "{name} has too many metrics");
        let windows = number(&alarm["EvaluationPeriods"]);
        let breaching = alarm["DatapointsToAlarm"].as_u64();
        // In a stack that is not paused.
        let missing = &alarm["TreatMissingData"];
        let missing = text(missing.get(2).unwrap_or(missing));
        assert!(["breaching", "notBreaching"].contains(&missing.as_str()));
        let comparison = text(&alarm["ComparisonOperator"]);
        Self {
            name: name.to_owned(),
            text: text(&alarm["AlarmDescription"]),
            notifies: alarm.get("AlarmActions").is_some(),
            statistics,
            expression,
            period: periods[0] / 60,
            windows,
            breaching: breaching.map_or(windows, |count| usize::try_from(count).unwrap()),
            threshold: alarm["Threshold"].as_f64().unwrap(),
            includes_threshold: match comparison.as_str() {
                "GreaterThanOrEqualToThreshold" => true,
                "GreaterThanThreshold" => false,
                other => panic!("{other}"),
            },
            missing_breaches: missing == "breaching",
        }
    }

    /// Returns whether it rings after the minute before `end`.
    fn rings(&self, metrics: &Metrics, end: usize) -> bool {
        let breaches = |window: usize| {
            let end = end.saturating_sub(window * self.period);
            let value = self.value(metrics, end.saturating_sub(self.period), end);
            value.map_or(self.missing_breaches, |value| {
                value > self.threshold || self.includes_threshold && value >= self.threshold
            })
        };
        (0..self.windows)
            .filter(|window| breaches(*window))
            .count()
            >= self.breaching
    }

    fn value(&self, metrics: &Metrics, begin: usize, end: usize) -> Option<f64> {
        let values = self
            .statistics
            .iter()
            .map(|(id, (statistic, metric))| {
                (id.clone(), metrics.statistic(statistic, metric, begin, end))
            });
        evaluate(&self.expression, &values.collect())
    }
}
