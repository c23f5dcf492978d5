//! The dashboard of a deployed stack: requests, failures, times, waiting work, and the table's
//! load. Up to 50 metrics, so that it is among the three free ones.

use serde_json::{Value, json};
use shared::{
    agent::action::ActionState,
    model::base::Timestamp,
    telemetry::{self, Metric},
};
use tests::{FUNCTIONS, Function, support::roles};

use super::template::upper_camel;

/// Its width.
const COLUMNS: usize = 24;

/// Every way in which an action ends.
const OUTCOMES: [ActionState; 4] = [
    ActionState::Succeeded,
    ActionState::Failed,
    ActionState::Unknown,
    ActionState::Skipped,
];

/// A metric as a widget has it: its namespace, its name, its dimensions, and how it is shown.
type Shown = Vec<Value>;

/// The body, a widget a line.
pub fn body(template: &str) -> Vec<String> {
    let template: Value = serde_saphyr::from_str(template).unwrap();
    let sum = |title: &str, metrics: &[Shown]| graph(title, "Sum", metrics);
    let durations = of_functions("Duration");
    let of_table = |kind: &str| {
        let title = format!("{kind} units of the table and its indexes");
        sum(&title, &units(kind, &template))
    };
    let oldest = "The queue: seconds that the oldest message waits, and dead letters";
    let rows = [
        vec![alarms(&template)],
        vec![
            sum("Requests by function", &of_functions("Invocations")),
            sum("Errors by function", &of_functions("Errors")),
        ],
        vec![
            graph(
                "Half of a function's runs end within, ms",
                "p50",
                &durations,
            ),
            graph("99 of 100 runs end within, ms", "p99", &durations),
        ],
        vec![
            sum("The API's refusals (4xx) and failures (5xx)", &refusals()),
            graph("The API answers within, ms", "p50", &latency()),
            graph(oldest, "Maximum", &queue()),
        ],
        vec![
            sum("Actions by outcome", &actions()),
            of_table("Read"),
            of_table("Write"),
        ],
    ];
    let mut widgets = Vec::new();
    let mut y = 0;
    for row in rows {
        let width = COLUMNS / row.len();
        let height = if row.len() == 1 { 3 } else { 7 };
        for (place, (kind, properties)) in row.into_iter().enumerate() {
            let x = place * width;
            let widget = json!({
                "type": kind, "x": x, "y": y, "width": width, "height": height,
                "properties": properties,
            });
            widgets.push(widget.to_string());
        }
        y += height;
    }
    let widgets = widgets.join(",\n    ");
    let body = format!(
        r#"DashboardBody: !Sub
  - |
    {{"widgets": [
    {widgets}
    ]}}
  - Table: !If [OwnsTable, !Ref Table, !Ref ExistingTable]"#
    );
    body.lines()
        .map(str::to_owned)
        .collect()
}

fn alarms(template: &Value) -> (&'static str, Value) {
    let kinds = ["AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"];
    let alarms = kinds.map(|kind| roles::resources(template, kind).map(|(name, _)| name));
    let alarms = alarms.into_iter().flatten();
    let alarms = alarms.filter(|name| template["Resources"][name]["Condition"] == "HasAlarms");
    let arns: Vec<String> = alarms
        .map(|name| format!("${{{name}.Arn}}"))
        .collect();
    ("alarm", json!({"title": "Alarms", "alarms": arns}))
}

fn graph(title: &str, statistic: &str, metrics: &[Shown]) -> (&'static str, Value) {
    let properties = json!({
        "title": title, "region": "${AWS::Region}", "view": "timeSeries", "stat": statistic,
        "period": 300, "metrics": metrics,
    });
    ("metric", properties)
}

/// Functions whose metrics their alarms show alone.
const ELSEWHERE: [&str; 4] = ["publisher", "indexer", "webhook-sender", "mailer"];

/// Returns true for the functions of the dashboard, which has the 50 free metrics. In a function
/// that is open to everyone, nothing fails.
pub fn is_shown(function: &Function) -> bool {
    !function.is_open() && !function.is_client() && !ELSEWHERE.contains(&function.name)
}

fn of_functions(metric: &str) -> Vec<Shown> {
    let of_function = |name: &str| {
        let logical = format!("${{{}}}", upper_camel(name));
        let texts = ["AWS/Lambda", metric, "FunctionName", &logical];
        shown(&texts, json!({"label": name}))
    };
    let functions = FUNCTIONS
        .iter()
        .filter(|function| is_shown(function));
    functions
        .map(|function| of_function(function.name))
        .collect()
}

fn shown(texts: &[&str], how: Value) -> Shown {
    texts
        .iter()
        .map(|text| json!(text))
        .chain([how])
        .collect()
}

fn of_the_api(metric: &str, how: Value) -> Shown {
    shown(&["AWS/ApiGateway", metric, "ApiId", "${Api}"], how)
}

fn refusals() -> Vec<Shown> {
    ["4xx", "5xx"]
        .map(|metric| of_the_api(metric, json!({"label": metric})))
        .into()
}

fn latency() -> Vec<Shown> {
    ["p50", "p99"]
        .map(|part| of_the_api("Latency", json!({"stat": part, "label": part})))
        .into()
}

fn queue() -> Vec<Shown> {
    let of_queue = |metric: &str, queue: &str, label: &str| {
        let name = format!("${{{queue}.QueueName}}");
        let metric = format!("Approximate{metric}");
        let texts = ["AWS/SQS", &metric, "QueueName", &name];
        shown(&texts, json!({"label": label}))
    };
    let dead = "ActionDeadLetterQueue";
    vec![
        of_queue("AgeOfOldestMessage", "ActionQueue", "seconds"),
        of_queue("NumberOfMessagesVisible", dead, "dead letters"),
    ]
}

/// As the functions count them.
fn actions() -> Vec<Shown> {
    let of_outcome = |outcome: ActionState| {
        let metric = Metric::Action(outcome.name());
        let line =
            telemetry::embedded_metric(metric, "${AWS::StackName}", "", Timestamp::from_millis(0));
        let directive = &line["_aws"]["CloudWatchMetrics"][0];
        let mut parts = vec![&directive["Namespace"], &directive["Metrics"][0]["Name"]];
        for dimension in directive["Dimensions"][0]
            .as_array()
            .unwrap()
        {
            parts.extend([dimension, &line[dimension.as_str().unwrap()]]);
        }
        let texts: Vec<_> = parts
            .iter()
            .map(|part| part.as_str().unwrap())
            .collect();
        shown(&texts, json!({"label": outcome.name()}))
    };
    OUTCOMES.map(of_outcome).into()
}

/// Units of the table and of the indexes that project everything. One with keys only takes few, and
/// dashboards of more than 50 metrics cost 3 dollars.
fn units(kind: &str, template: &Value) -> Vec<Shown> {
    let metric = format!("Consumed{kind}CapacityUnits");
    let table = ["AWS/DynamoDB", &metric, "TableName", "${Table}"];
    let indexes = template["Resources"]["Table"]["Properties"]["GlobalSecondaryIndexes"].as_array();
    let mut metrics = vec![shown(&table, json!({"label": "table"}))];
    let whole = |index: &&Value| index["Projection"]["ProjectionType"] == "ALL";
    for index in indexes.unwrap().iter().filter(whole) {
        let name = index["IndexName"].as_str().unwrap();
        let texts = [&table[..], &["GlobalSecondaryIndexName", name]].concat();
        metrics.push(shown(&texts, json!({"label": name})));
    }
    metrics
}
