//! The dashboard of a deployed stack: requests, failures, times, waiting work, and the table's
//! load. Up to 50 metrics, so that it is among the three free ones.

use serde_json::{Value, json};
use shared::{
    agent::action::ActionState,
    model::Timestamp,
    telemetry::{self, Metric},
};
use tests::{FUNCTIONS, Function};

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
    let rows = [
        vec![alarms(&template)],
        vec![
            graph("Requests by function", "Sum", &of_functions("Invocations")),
            graph("Errors by function", "Sum", &of_functions("Errors")),
        ],
        vec![
            graph(
                "Half of a function's runs end within, ms",
                "p50",
                &of_functions("Duration"),
            ),
            graph(
                "99 of 100 runs end within, ms",
                "p99",
                &of_functions("Duration"),
            ),
        ],
        vec![
            graph(
                "The API's refusals (4xx) and failures (5xx)",
                "Sum",
                &refusals(),
            ),
            graph("The API answers within, ms", "p50", &latency()),
            graph(
                "The queue: seconds that the oldest message waits, and dead letters",
                "Maximum",
                &queue(),
            ),
        ],
        vec![
            graph("Actions by outcome", "Sum", &actions()),
            graph(
                "Read units of the table and its indexes",
                "Sum",
                &units("Read", &template),
            ),
            graph(
                "Write units of the table and its indexes",
                "Sum",
                &units("Write", &template),
            ),
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
    let mut lines = vec![
        "DashboardBody: !Sub".to_owned(),
        "  - |".to_owned(),
        "    {\"widgets\": [".to_owned(),
    ];
    let last = widgets.len() - 1;
    let widgets = widgets.into_iter().enumerate();
    lines.extend(
        widgets.map(|(at, widget)| format!("    {widget}{}", if at == last { "" } else { "," })),
    );
    lines.push("    ]}".to_owned());
    let table = "  - Table: !If [OwnsTable, !Ref Table, !Ref ExistingTable]";
    lines.push(table.to_owned());
    lines
}

fn alarms(template: &Value) -> (&'static str, Value) {
    let resources = template["Resources"].as_object().unwrap();
    let alarms = resources.iter().filter(|(_, one)| {
        one["Type"] == "AWS::CloudWatch::Alarm" && one["Condition"] == "HasAlarms"
    });
    let arns: Vec<String> = alarms.map(|(name, _)| format!("${{{name}.Arn}}")).collect();
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
        vec![
            json!("AWS/Lambda"),
            json!(metric),
            json!("FunctionName"),
            json!(logical),
            json!({"label": name}),
        ]
    };
    let shown = FUNCTIONS.iter().filter(|one| is_shown(one));
    shown.map(|function| of_function(function.name)).collect()
}

fn of_the_api(metric: &str, shown: Value) -> Shown {
    vec![
        json!("AWS/ApiGateway"),
        json!(metric),
        json!("ApiId"),
        json!("${Api}"),
        shown,
    ]
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
        vec![
            json!("AWS/SQS"),
            json!(metric),
            json!("QueueName"),
            json!(name),
            json!({"label": label}),
        ]
    };
    vec![
        of_queue("ApproximateAgeOfOldestMessage", "ActionQueue", "seconds"),
        of_queue(
            "ApproximateNumberOfMessagesVisible",
            "ActionDeadLetterQueue",
            "dead letters",
        ),
    ]
}

/// As the functions count them.
fn actions() -> Vec<Shown> {
    let of_outcome = |outcome: ActionState| {
        let metric = Metric::Action(outcome.name());
        let line =
            telemetry::embedded_metric(metric, "${AWS::StackName}", "", Timestamp::from_millis(0));
        let directive = &line["_aws"]["CloudWatchMetrics"][0];
        let mut shown = vec![
            directive["Namespace"].clone(),
            directive["Metrics"][0]["Name"].clone(),
        ];
        for dimension in directive["Dimensions"][0].as_array().unwrap() {
            shown.extend([dimension.clone(), line[dimension.as_str().unwrap()].clone()]);
        }
        shown.push(json!({"label": outcome.name()}));
        shown
    };
    OUTCOMES.map(of_outcome).into()
}

/// Units of the table and of the indexes that project everything. One with keys only takes few, and
/// dashboards of more than 50 metrics cost 3 dollars.
fn units(kind: &str, template: &Value) -> Vec<Shown> {
    let metric = format!("Consumed{kind}CapacityUnits");
    let table = [
        json!("AWS/DynamoDB"),
        json!(metric),
        json!("TableName"),
        json!("${Table}"),
    ];
    let indexes = template["Resources"]["Table"]["Properties"]["GlobalSecondaryIndexes"].as_array();
    let mut all = vec![[table.as_slice(), &[json!({"label": "table"})]].concat()];
    for index in indexes.unwrap() {
        if index["Projection"]["ProjectionType"] != "ALL" {
            continue;
        }
        let name = &index["IndexName"];
        let dimension = [
            json!("GlobalSecondaryIndexName"),
            name.clone(),
            json!({"label": name}),
        ];
        all.push([table.as_slice(), &dimension].concat());
    }
    all
}
