//! Metrics of the deployed stack: a function or AWS writes every metric that an alarm or the
//! dashboard reads, with these dimensions and for this stack.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use shared::{
    model::base::Timestamp,
    store::upkeep::DueCounts,
    telemetry::{self, Metric},
};
use tests::{FUNCTIONS, shows, support::roles};

use super::generated::dashboard;

/// A metric: its namespace, its name, and its dimensions with the values of a template.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Watched {
    namespace: String,
    name: String,
    dimensions: BTreeMap<String, String>,
}

impl Watched {
    pub fn new(namespace: &str, name: &str, dimensions: &[(&str, &str)]) -> Self {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            dimensions: dimensions.iter().map(owned).collect(),
        }
    }
}

fn indexes(template: &Value) -> impl Iterator<Item = &str> {
    let table = &template["Resources"]["Table"]["Properties"];
    let indexes = table["GlobalSecondaryIndexes"]
        .as_array()
        .unwrap()
        .iter();
    indexes.map(|index| index["IndexName"].as_str().unwrap())
}

fn of_lambda(name: &str, function: &str) -> Watched {
    Watched::new("AWS/Lambda", name, &[("FunctionName", function)])
}

/// Metrics of the table and of each index.
fn of_table(template: &Value, names: &[&str]) -> BTreeSet<Watched> {
    let table = ("TableName", "Table");
    let mut metrics = BTreeSet::new();
    for name in names {
        metrics.insert(Watched::new("AWS/DynamoDB", name, &[table]));
        for index in indexes(template) {
            let index = ("GlobalSecondaryIndexName", index);
            metrics.insert(Watched::new("AWS/DynamoDB", name, &[table, index]));
        }
    }
    metrics
}

/// A metric of each kind that the code writes, but for those of each function.
fn of_the_code() -> impl Iterator<Item = Metric> {
    let outcomes = ["succeeded", "failed", "unknown", "skipped"].map(Metric::Action);
    let deliveries = ["delivered", "failed"].map(Metric::Delivery);
    let mails = ["sent", "failed"].map(Metric::Mail);
    let due = DueCounts::KINDS
        .into_iter()
        .flat_map(|kind| [Metric::DueItems(kind, 1), Metric::DueAge(kind, 1)]);
    let others = [
        Metric::Overdue(1),
        Metric::LatestWork(1),
        Metric::SignInFailure,
        Metric::Unreadable(1),
        Metric::Refusal,
        Metric::BreakerOpened,
        Metric::CheckFailure(1),
    ];
    let outcomes = outcomes
        .into_iter()
        .chain(deliveries)
        .chain(due);
    outcomes.chain(mails).chain(others)
}

/// Returns the number of own metrics of a stack whose parts all write them, without the scheduled
/// check.
pub fn of_a_busy_stack() -> usize {
    let of_functions = FUNCTIONS
        .iter()
        .filter(|function| function.api().is_some());
    of_the_code().count() - 1 + OF_FUNCTIONS.len() * of_functions.count()
}

/// Metrics of the code for each function.
const OF_FUNCTIONS: [Metric; 2] = [Metric::ColdStart, Metric::Failure];

/// Every metric that AWS or the functions write of a stack.
fn written(template: &Value) -> BTreeSet<Watched> {
    let mut metrics: BTreeSet<_> = of_the_code()
        .map(|metric| own(metric, ""))
        .collect();
    for (logical, package, _) in roles::functions(template) {
        let names = ["Invocations", "Errors", "Throttles", "Duration"];
        metrics.extend(names.map(|name| of_lambda(name, logical)));
        metrics.extend(OF_FUNCTIONS.map(|metric| own(metric, package)));
    }
    let api = [("ApiId", "Api")];
    let names = ["Count", "4xx", "5xx", "Latency", "IntegrationLatency"];
    metrics.extend(names.map(|name| Watched::new("AWS/ApiGateway", name, &api)));
    metrics.extend(["Publisher", "Indexer"].map(|consumer| of_lambda("IteratorAge", consumer)));
    for (queue, _) in roles::resources(template, "AWS::SQS::Queue") {
        let queue = format!("{queue}.QueueName");
        let names = ["AgeOfOldestMessage", "NumberOfMessagesVisible"];
        let names = names.map(|name| format!("Approximate{name}"));
        metrics.extend(names.map(|name| Watched::new("AWS/SQS", &name, &[("QueueName", &queue)])));
    }
    let names = ["ReadThrottleEvents", "WriteThrottleEvents"];
    metrics.extend(of_table(template, &names));
    let names = ["ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits"];
    metrics.extend(of_table(template, &names));
    metrics
}

/// A metric of the functions, as they write it.
fn own(metric: Metric, function: &str) -> Watched {
    written_by(metric, function).0
}

/// A metric of the functions with its value, as they write it.
pub fn written_by(metric: Metric, function: &str) -> (Watched, f64) {
    let now = Timestamp::from_millis(0);
    let line = telemetry::embedded_metric(metric, "AWS::StackName", function, now);
    let directive = &line["_aws"]["CloudWatchMetrics"][0];
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let dimensions = directive["Dimensions"][0]
        .as_array()
        .unwrap();
    let name = text(&directive["Metrics"][0]["Name"]);
    let value = line[&name].as_f64().unwrap();
    let watched = Watched {
        namespace: text(&directive["Namespace"]),
        name,
        dimensions: dimensions
            .iter()
            .map(|name| (text(name), text(&line[name.as_str().unwrap()])))
            .collect(),
    };
    (watched, value)
}

/// The metric of an alarm, or of one of its queries.
pub fn watched(metric: &Value) -> Watched {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let dimensions = metric["Dimensions"]
        .as_array()
        .into_iter()
        .flatten();
    // The stack's own table, of an `!If`.
    let own = |value: &Value| text(value.get(1).unwrap_or(value));
    Watched {
        namespace: text(&metric["Namespace"]),
        name: text(&metric["MetricName"]),
        dimensions: dimensions
            .map(|dimension| (text(&dimension["Name"]), own(&dimension["Value"])))
            .collect(),
    }
}

/// Returns the metrics of each alarm.
fn alarms(template: &Value) -> BTreeMap<String, BTreeSet<Watched>> {
    let with_metrics = roles::resources(template, "AWS::CloudWatch::Alarm").map(|(name, alarm)| {
        let metrics = match alarm["Metrics"].as_array() {
            None => [watched(alarm)].into(),
            Some(metrics) => {
                let metrics = metrics
                    .iter()
                    .filter_map(|metric| metric.get("MetricStat"));
                metrics
                    .map(|metric| watched(&metric["Metric"]))
                    .collect()
            }
        };
        (name.to_owned(), metrics)
    });
    with_metrics.collect()
}

/// The dashboard's body; references stand as their names.
fn body(template: &Value) -> Value {
    let body = &template["Resources"]["Dashboard"]["Properties"]["DashboardBody"];
    let text = body[0]
        .as_str()
        .unwrap()
        .replace("${", "");
    // What is left of a reference is a brace before the quote that ends it.
    serde_json::from_str(&text.replace("}\"", "\"")).unwrap()
}

/// Returns the metrics of the dashboard.
fn shown(template: &Value) -> BTreeSet<Watched> {
    let dashboard = body(template);
    let widgets = dashboard["widgets"]
        .as_array()
        .unwrap()
        .iter();
    let metrics = widgets.filter_map(|widget| widget["properties"]["metrics"].as_array());
    let shown = metrics.flatten().map(|metric| {
        let parts = metric.as_array().unwrap().iter();
        let parts: Vec<&str> = parts.map_while(Value::as_str).collect();
        let dimensions = parts[2..]
            .chunks(2)
            .map(|pair| (pair[0], pair[1]));
        Watched::new(parts[0], parts[1], &dimensions.collect::<Vec<_>>())
    });
    shown.collect()
}

#[test]
fn alarms_and_dashboard_read_metrics_that_are_written() {
    let template = roles::template();
    let written = written(&template);
    for (alarm, metrics) in alarms(&template) {
        assert!(!metrics.is_empty(), "{alarm} looks at nothing");
        let unknown: Vec<_> = metrics.difference(&written).collect();
        assert!(unknown.is_empty(), "{alarm}: {unknown:?}");
    }
    let shown = shown(&template);
    let unknown: Vec<_> = shown.difference(&written).collect();
    assert!(unknown.is_empty(), "the dashboard: {unknown:?}");
}

/// Two stacks in one account and region: what one of them writes says nothing of the other.
#[test]
fn the_functions_metrics_are_of_their_stack() {
    for metric in of_the_code().chain(OF_FUNCTIONS) {
        let dimensions = own(metric, "x").dimensions;
        assert_eq!(dimensions["Stack"], "AWS::StackName", "{metric:?}");
    }
    let variables = &roles::template()["Globals"]["Function"]["Environment"]["Variables"];
    assert_eq!(variables["STACK_NAME"], "AWS::StackName");
}

/// Throttled reads of an index are slow or failed requests, and ring as such.
#[test]
fn throttles_of_the_table_and_of_writes_of_each_index_ring() {
    let template = roles::template();
    let mut expected = of_table(&template, &["WriteThrottleEvents"]);
    let reads = Watched::new(
        "AWS/DynamoDB",
        "ReadThrottleEvents",
        &[("TableName", "Table")],
    );
    expected.insert(reads);
    assert_eq!(alarms(&template)["TableThrottles"], expected);
}

/// The gateway's metrics watch the functions with endpoints.
#[test]
fn an_alarm_watches_every_function_that_could_fail() {
    let template = roles::template();
    assert_eq!(roles::functions(&template).count(), FUNCTIONS.len());
    let alarms = alarms(&template);
    let failed = Watched::new("AWS/ApiGateway", "5xx", &[("ApiId", "Api")]);
    assert!(alarms["ApiBurnOfFiveMinutes"].contains(&failed));
    for (logical, package, _) in roles::functions(&template) {
        let function = FUNCTIONS
            .iter()
            .find(|function| function.name == package)
            .unwrap();
        // The scheduled check has an alarm of its own, which rings without a run as well.
        let is_background = function.api().is_none() && !function.is_client();
        let errors = of_lambda("Errors", logical);
        let is_watched = alarms["BackgroundFailures"].contains(&errors);
        assert_eq!(is_watched, is_background, "{package}");
    }
}

#[test]
fn the_dashboard_shows_functions_outcomes_indexes_and_alarms() {
    let template = roles::template();
    let shown = shown(&template);
    for (logical, package, _) in roles::functions(&template) {
        let mut functions = FUNCTIONS.iter();
        let is_shown =
            functions.any(|function| function.name == package && dashboard::is_shown(function));
        for name in ["Invocations", "Errors", "Duration"] {
            let metric = of_lambda(name, logical);
            assert_eq!(shown.contains(&metric), is_shown, "{metric:?}");
        }
    }
    for outcome in ["succeeded", "failed", "unknown", "skipped"] {
        let metric = own(Metric::Action(outcome), "");
        assert!(shown.contains(&metric), "{metric:?}");
    }
    let units = shown
        .iter()
        .filter(|metric| metric.name.starts_with("Consumed"));
    let indexes = indexes(&template).count() - 1;
    assert_eq!(units.count(), 2 * (1 + indexes));
    let queue = [("QueueName", "ActionQueue.QueueName")];
    let age = Watched::new("AWS/SQS", "ApproximateAgeOfOldestMessage", &queue);
    assert!(shown.contains(&age));
    let dashboard = body(&template);
    let widgets = dashboard["widgets"].as_array().unwrap();
    for statistic in ["p50", "p99"] {
        let mut widgets = widgets.iter();
        assert!(widgets.any(|widget| widget["properties"]["stat"] == statistic));
    }
    let listed = widgets[0]["properties"]["alarms"]
        .as_array()
        .unwrap()
        .iter();
    let listed = listed.map(|arn| {
        arn.as_str()
            .unwrap()
            .trim_end_matches(".Arn")
            .to_owned()
    });
    let listed: BTreeSet<_> = listed.collect();
    // The dashboard cannot name an alarm that may not be there.
    let composite = roles::resources(&template, "AWS::CloudWatch::CompositeAlarm");
    let composite = composite.map(|(name, _)| name.to_owned());
    let mut expected: BTreeSet<_> = alarms(&template)
        .into_keys()
        .chain(composite)
        .collect();
    assert!(expected.remove("ScheduledCheck"));
    assert_eq!(listed, expected);
    // Three dashboards of up to so many cost nothing.
    assert!(shown.len() <= 50, "{}", shown.len());
}

#[test]
fn the_gateway_logs_who_was_refused_if_it_logs() {
    let resources = &roles::template()["Resources"];
    let choice = &resources["ApiStage"]["Properties"]["AccessLogSettings"];
    shows!(choice, {"/0": "HasAccessLog", "/2": "AWS::NoValue"});
    let settings = &choice[1];
    assert_eq!(settings["DestinationArn"], "ApiLogs.Arn");
    let line: Value = serde_json::from_str(settings["Format"].as_str().unwrap()).unwrap();
    shows!(line, {"address": "$context.identity.sourceIp", "status": "$context.status"});
    // No one keeps addresses for longer than it is said.
    let retention = &resources["ApiLogs"]["Properties"]["RetentionInDays"];
    assert_eq!(retention, "AccessLogRetentionDays");
}

/// A share of successes is logged. So a metric of log lines would be too small.
#[test]
fn no_metric_is_made_of_the_lines_of_requests() {
    let template = roles::template();
    let variables = &template["Globals"]["Function"]["Environment"]["Variables"];
    assert_eq!(variables["SUCCESS_LOG_SHARE"], "SuccessLogShare");
    let filters = roles::resources(&template, "AWS::Logs::MetricFilter");
    assert_eq!(filters.count(), 0);
    let dashboard = body(&template);
    let widgets = dashboard["widgets"].as_array().unwrap();
    assert!(
        widgets
            .iter()
            .all(|widget| widget["type"] != "log")
    );
}

#[test]
fn the_only_copy_of_the_records_is_not_deleted_by_a_slip() {
    let table = &roles::template()["Resources"]["Table"];
    assert_eq!(
        table["Properties"]["DeletionProtectionEnabled"],
        "TableProtection"
    );
    assert_eq!(
        roles::template()["Parameters"]["TableProtection"]["Default"],
        "true"
    );
    shows!(table, {"DeletionPolicy": "RetainExceptOnCreate", "UpdateReplacePolicy": "Retain"});
}
