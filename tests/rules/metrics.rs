//! Metrics of the deployed stack: a function or AWS writes every metric that an alarm or the
//! dashboard reads, with these dimensions and for this stack.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use shared::{
    model::Timestamp,
    store::DueCounts,
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

/// The functions by their logical names.
fn functions(template: &Value) -> BTreeMap<String, String> {
    let resources = template["Resources"].as_object().unwrap();
    let functions = resources
        .iter()
        .filter(|(_, resource)| resource["Type"] == "AWS::Serverless::Function");
    functions
        .map(|(logical, function)| {
            let code = function["Properties"]["CodeUri"].as_str().unwrap();
            let package = code.trim_end_matches('/').rsplit('/').next().unwrap();
            (logical.clone(), package.to_owned())
        })
        .collect()
}

/// The logical names of the resources of a type.
fn of_type<'a>(template: &'a Value, kind: &str) -> Vec<&'a str> {
    let resources = template["Resources"].as_object().unwrap().iter();
    let of_type = resources.filter(|(_, resource)| resource["Type"] == kind);
    of_type.map(|(name, _)| name.as_str()).collect()
}

fn indexes(template: &Value) -> Vec<String> {
    let table = &template["Resources"]["Table"]["Properties"];
    let indexes = table["GlobalSecondaryIndexes"].as_array().unwrap();
    let name = |index: &Value| index["IndexName"].as_str().unwrap().to_owned();
    indexes.iter().map(name).collect()
}

/// Every metric that AWS or the functions write of a stack.
fn written(template: &Value) -> BTreeSet<Watched> {
    let mut all = BTreeSet::new();
    for (logical, package) in functions(template) {
        for name in ["Invocations", "Errors", "Throttles", "Duration"] {
            let dimension = ("FunctionName", logical.as_str());
            all.insert(Watched::new("AWS/Lambda", name, &[dimension]));
        }
        all.insert(own(Metric::ColdStart, &package));
        all.insert(own(Metric::Failure, &package));
    }
    for name in ["Count", "4xx", "5xx", "Latency", "IntegrationLatency"] {
        all.insert(Watched::new("AWS/ApiGateway", name, &[("ApiId", "Api")]));
    }
    for consumer in ["Publisher", "Indexer"] {
        let consumer = ("FunctionName", consumer);
        all.insert(Watched::new("AWS/Lambda", "IteratorAge", &[consumer]));
    }
    for queue in of_type(template, "AWS::SQS::Queue") {
        let queue = format!("{queue}.QueueName");
        for name in [
            "ApproximateAgeOfOldestMessage",
            "ApproximateNumberOfMessagesVisible",
        ] {
            all.insert(Watched::new("AWS/SQS", name, &[("QueueName", &queue)]));
        }
    }
    for name in [
        "ReadThrottleEvents",
        "WriteThrottleEvents",
        "ConsumedReadCapacityUnits",
        "ConsumedWriteCapacityUnits",
    ] {
        let table = ("TableName", "Table");
        all.insert(Watched::new("AWS/DynamoDB", name, &[table]));
        for index in indexes(template) {
            let index = ("GlobalSecondaryIndexName", index.as_str());
            all.insert(Watched::new("AWS/DynamoDB", name, &[table, index]));
        }
    }
    for outcome in ["succeeded", "failed", "unknown", "skipped"] {
        all.insert(own(Metric::Action(outcome), ""));
    }
    for metric in [
        Metric::Overdue(1),
        Metric::SignInFailure,
        Metric::Unreadable(1),
        Metric::Refusal,
        Metric::Delivery("delivered"),
        Metric::Delivery("failed"),
        Metric::BreakerOpened,
        Metric::CheckFailure(1),
    ] {
        all.insert(own(metric, ""));
    }
    for kind in DueCounts::KINDS {
        all.insert(own(Metric::DueItems(kind, 1), ""));
        all.insert(own(Metric::DueAge(kind, 1), ""));
    }
    all
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
    let dimensions = directive["Dimensions"][0].as_array().unwrap();
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
    let dimensions = metric["Dimensions"].as_array().into_iter().flatten();
    // The stack's own table, of an `!If`.
    let own = |value: &Value| text(value.get(1).unwrap_or(value));
    Watched {
        namespace: text(&metric["Namespace"]),
        name: text(&metric["MetricName"]),
        dimensions: dimensions
            .map(|one| (text(&one["Name"]), own(&one["Value"])))
            .collect(),
    }
}

/// Returns the metrics of each alarm.
fn alarms(template: &Value) -> BTreeMap<String, BTreeSet<Watched>> {
    let resources = template["Resources"].as_object().unwrap();
    let alarms = resources
        .iter()
        .filter(|(_, resource)| resource["Type"] == "AWS::CloudWatch::Alarm");
    alarms
        .map(|(name, alarm)| {
            let properties = &alarm["Properties"];
            let metrics = match properties["Metrics"].as_array() {
                None => [watched(properties)].into(),
                Some(metrics) => metrics
                    .iter()
                    .filter_map(|metric| metric.get("MetricStat"))
                    .map(|statistic| watched(&statistic["Metric"]))
                    .collect(),
            };
            (name.clone(), metrics)
        })
        .collect()
}

/// The dashboard's body; references stand as their names.
fn body(template: &Value) -> Value {
    let body = &template["Resources"]["Dashboard"]["Properties"]["DashboardBody"];
    let text = body[0].as_str().unwrap().replace("${", "");
    // What is left of a reference is a brace before the quote that ends it.
    serde_json::from_str(&text.replace("}\"", "\"")).unwrap()
}

/// Returns the metrics of the dashboard.
fn shown(template: &Value) -> BTreeSet<Watched> {
    let dashboard = body(template);
    let widgets = dashboard["widgets"].as_array().unwrap().iter();
    let metrics = widgets.filter_map(|widget| widget["properties"]["metrics"].as_array());
    metrics
        .flatten()
        .map(|metric| {
            let parts: Vec<&str> = metric
                .as_array()
                .unwrap()
                .iter()
                .map_while(Value::as_str)
                .collect();
            let (named, dimensions) = parts.split_at(2);
            let dimensions: Vec<_> = dimensions
                .chunks(2)
                .map(|pair| (pair[0], pair[1]))
                .collect();
            Watched::new(named[0], named[1], &dimensions)
        })
        .collect()
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
    for metric in [
        Metric::Action("failed"),
        Metric::Overdue(1),
        Metric::DueItems("cleanup", 1),
        Metric::DueAge("cleanup", 1),
        Metric::SignInFailure,
        Metric::ColdStart,
        Metric::Unreadable(1),
        Metric::Failure,
        Metric::Refusal,
        Metric::Delivery("failed"),
        Metric::BreakerOpened,
        Metric::CheckFailure(0),
    ] {
        let dimensions = own(metric, "x").dimensions;
        assert_eq!(dimensions["Stack"], "AWS::StackName", "{metric:?}");
    }
    let template = roles::template();
    let told = &template["Globals"]["Function"]["Environment"]["Variables"];
    assert_eq!(told["STACK_NAME"], "AWS::StackName");
}

#[test]
fn old_work_of_each_kind_rings() {
    let template = roles::template();
    let ages = DueCounts::KINDS.map(|kind| own(Metric::DueAge(kind, 1), ""));
    assert_eq!(alarms(&template)["LateWork"], BTreeSet::from(ages));
}

#[test]
fn throttles_of_the_table_and_of_each_index_ring() {
    let template = roles::template();
    let table = ("TableName", "Table");
    let mut expected = BTreeSet::new();
    for name in ["ReadThrottleEvents", "WriteThrottleEvents"] {
        expected.insert(Watched::new("AWS/DynamoDB", name, &[table]));
        for index in indexes(&template) {
            let index = ("GlobalSecondaryIndexName", index.as_str());
            expected.insert(Watched::new("AWS/DynamoDB", name, &[table, index]));
        }
    }
    assert_eq!(alarms(&template)["TableThrottles"], expected);
}

#[test]
fn an_alarm_watches_every_function_that_could_fail() {
    let template = roles::template();
    let functions = functions(&template);
    assert_eq!(functions.len(), FUNCTIONS.len());
    let watched: BTreeSet<_> = alarms(&template).into_values().flatten().collect();
    for (logical, package) in functions {
        let mut all = FUNCTIONS.iter();
        // The scheduled check has an alarm of its own, which rings without a run as well.
        let is_client = all.any(|one| one.name == package && one.is_client());
        for name in ["Errors", "Throttles", "Duration"] {
            let dimension = ("FunctionName", logical.as_str());
            let metric = Watched::new("AWS/Lambda", name, &[dimension]);
            assert_eq!(watched.contains(&metric), !is_client, "{metric:?}");
        }
    }
}

#[test]
fn the_dashboard_shows_functions_outcomes_indexes_and_alarms() {
    let template = roles::template();
    let shown = shown(&template);
    for (logical, package) in functions(&template) {
        let mut all = FUNCTIONS.iter();
        let is_shown = all.any(|one| one.name == package && dashboard::is_shown(one));
        for name in ["Invocations", "Errors", "Duration"] {
            let dimension = ("FunctionName", logical.as_str());
            let metric = Watched::new("AWS/Lambda", name, &[dimension]);
            assert_eq!(shown.contains(&metric), is_shown, "{metric:?}");
        }
    }
    for outcome in ["succeeded", "failed", "unknown", "skipped"] {
        let metric = own(Metric::Action(outcome), "");
        assert!(shown.contains(&metric), "{metric:?}");
    }
    let units = shown.iter().filter(|one| one.name.starts_with("Consumed"));
    let with_keys_only = 1;
    let indexes = indexes(&template).len() - with_keys_only;
    assert_eq!(units.count(), 2 * (1 + indexes));
    assert!(shown.len() <= 50, "{}", shown.len());
    let queue = [("QueueName", "ActionQueue.QueueName")];
    let age = Watched::new("AWS/SQS", "ApproximateAgeOfOldestMessage", &queue);
    assert!(shown.contains(&age));
    let dashboard = body(&template);
    let widgets = dashboard["widgets"].as_array().unwrap();
    let statistics: BTreeSet<_> = widgets
        .iter()
        .filter_map(|widget| widget["properties"]["stat"].as_str())
        .collect();
    assert!(statistics.is_superset(&["p50", "p99"].into()));
    let listed: BTreeSet<_> = widgets[0]["properties"]["alarms"]
        .as_array()
        .unwrap()
        .iter()
        .map(|arn| arn.as_str().unwrap().trim_end_matches(".Arn").to_owned())
        .collect();
    // The dashboard cannot name an alarm that may not be there.
    let mut expected: BTreeSet<_> = alarms(&template).into_keys().collect();
    assert!(expected.remove("ScheduledCheck"));
    assert_eq!(listed, expected);
    // Three dashboards of up to so many cost nothing.
    assert!(shown.len() <= 50, "{}", shown.len());
}

#[test]
fn the_gateway_logs_who_was_refused_if_it_logs() {
    let template = roles::template();
    let resources = &template["Resources"];
    let choice = &resources["ApiStage"]["Properties"]["AccessLogSettings"];
    assert_eq!(
        (&choice[0], &choice[2]),
        (&"HasAccessLog".into(), &"AWS::NoValue".into())
    );
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
    assert!(of_type(&template, "AWS::Logs::MetricFilter").is_empty());
    let dashboard = body(&template);
    let widgets = dashboard["widgets"].as_array().unwrap();
    assert!(widgets.iter().all(|widget| widget["type"] != "log"));
}

#[test]
fn the_only_copy_of_the_records_is_not_deleted_by_a_slip() {
    let template = roles::template();
    let table = &template["Resources"]["Table"];
    assert_eq!(table["Properties"]["DeletionProtectionEnabled"], true);
    shows!(table, {"DeletionPolicy": "RetainExceptOnCreate", "UpdateReplacePolicy": "Retain"});
}
