//! Costs of the alarms, by list prices.

use serde_json::Value;
use tests::support::roles;

/// Dollars a month of a metric that an alarm reads, and of a composite alarm.
const METRIC: f64 = 0.10;
const COMPOSITE: f64 = 0.50;

/// The alarms of a stack that cost, without the scheduled check.
#[derive(Debug)]
pub struct Bill {
    /// Metrics that alarms read, each as often as an alarm reads it.
    pub metrics: u32,
    pub composites: u32,
}

impl Bill {
    pub fn of(template: &Value) -> Self {
        let is_default = |name: &str| template["Resources"][name]["Condition"] == "HasAlarms";
        let of_metrics = roles::resources(template, "AWS::CloudWatch::Alarm");
        let metrics = of_metrics
            .filter(|(name, _)| is_default(name))
            .map(|(_, alarm)| {
                let queries = alarm["Metrics"].as_array();
                queries.map_or(1, |queries| {
                    let metrics = queries
                        .iter()
                        .filter(|query| query.get("MetricStat").is_some());
                    u32::try_from(metrics.count()).unwrap()
                })
            });
        let composites = roles::resources(template, "AWS::CloudWatch::CompositeAlarm").count();
        Self {
            metrics: metrics.sum(),
            composites: u32::try_from(composites).unwrap(),
        }
    }

    /// Returns dollars a month.
    pub fn dollars(&self) -> f64 {
        METRIC * f64::from(self.metrics) + COMPOSITE * f64::from(self.composites)
    }
}
