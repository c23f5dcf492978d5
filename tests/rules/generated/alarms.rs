//! Generated alarms of the functions, and the log queries that the texts of all alarms name.
//!
//! A function with endpoints has an objective for 30 days: 99.9 % of requests without a failure, and 99 % within
//! its limit. An alarm rings when failures would use this budget up in two days (14.4 times too fast, over an
//! hour), or in five (6 times, over six hours).

use shared::{
    model::Timestamp,
    telemetry::{self, Metric},
};
use tests::{FUNCTIONS, Function};

use super::template::{lower_camel, upper_camel};

/// The window in seconds, the percentage of failures that rings, the least failures, and the text.
#[rustfmt::skip] // A line each.
const BURNS: [(&str, u32, f64, u32, &str); 2] = [
    ("FastBurn", 3_600, 1.44, 3, "an hour: its budget of 30 days ends within two"),
    ("SlowBurn", 21_600, 0.6, 10, "six hours: its budget of 30 days ends within five"),
];

/// The percentage of slow requests in an hour that rings: 14.4 times the objective's 1 %.
const SLOW: f64 = 14.4;

/// The log queries: name, functions whose logs it reads, and text. `(api)` are the functions with endpoints,
/// `(background)` those without.
const QUERIES: &str = "\
failures: (api): fields @timestamp, function, route, status, cause, organizationId, requestId, @message | filter status >= 500 or level = 'ERROR' or @message like /Task timed out|Runtime exited/ | sort @timestamp desc | limit 200
slow: (api): filter durationMs >= 500 | stats count() as requests, pct(durationMs, 99) as p99, avg(tableRequests), sum(readUnits / logShare), sum(writeUnits / logShare) by function, route, organizationId, coldStart | sort requests desc | limit 50
load: (api): stats sum(readUnits / logShare) as reads, sum(writeUnits / logShare) as writes, sum(1 / logShare) as requests by organizationId, function | sort reads desc | limit 50
unreadable: (api) (background): fields @timestamp, function, records, count, requestId | filter @message like /could not be read|does not read/ | sort @timestamp desc | limit 100
background: (background): fields @timestamp, @log, level, messageId, organizationId, cause, @message | filter level in ['ERROR', 'WARN'] or @message like /Task timed out|Runtime exited/ | sort @timestamp desc | limit 200
sweeper: sweeper: fields @timestamp, shard, overdue, resent, givenUp, errors, inTime, cause, @message | filter overdue > 0 or errors > 0 or inTime = 0 or level = 'ERROR' | sort @timestamp desc | limit 200
actions: action-worker: fields @timestamp, organizationId, sessionId, actionId, connection, attempt, outcome, problem, cause | filter ispresent(actionId) and (outcome != 'succeeded' or ispresent(problem)) | sort @timestamp desc | limit 200
connections: action-worker: filter ispresent(pauseSeconds) | stats count() as openings, max(pauseSeconds) as pause, latest(@timestamp) as last by organizationId, connection | sort last desc
deliveries: webhook-sender: filter ispresent(deliveryId) | stats count() as attempts by organizationId, webhookId, status, problem | sort attempts desc | limit 100
changes: publisher indexer: fields @timestamp, @log, organizationId, cause, @message | filter level in ['ERROR', 'WARN'] | sort @timestamp desc | limit 200
sign-ins: auth: filter route in ['/api/auth/login', '/api/auth/password'] and status in [401, 429] | stats count() as refused by address, status | sort refused desc | limit 100
refusals: (gateway): filter functionMs = '-' | stats count() as refused by status, refusal, route, address | sort refused desc | limit 100
check: checker: fields @timestamp, step, cause | filter ispresent(step) | sort @timestamp desc | limit 100
";

/// A metric of an alarm: its id, its statistic, its namespace, its name and its dimensions.
struct Stat<'a> {
    id: &'a str,
    statistic: &'a str,
    metric: String,
}

impl<'a> Stat<'a> {
    fn of_lambda(id: &'a str, statistic: &'a str, name: &str, function: &Function) -> Self {
        let logical = upper_camel(function.name);
        let metric = format!(
            "{{ Namespace: AWS/Lambda, MetricName: {name}, Dimensions: [{{ Name: FunctionName, Value: !Ref {logical} }}] }}"
        );
        Self {
            id,
            statistic,
            metric,
        }
    }

    /// Answers 5xx, as the function counts them.
    fn of_failures(function: &Function) -> Self {
        let now = Timestamp::from_millis(0);
        let line = telemetry::embedded_metric(Metric::Failure, "", function.name, now);
        let directive = &line["_aws"]["CloudWatchMetrics"][0];
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let metric = format!(
            "{{ Namespace: {}, MetricName: {}, Dimensions: [{{ Name: Stack, Value: !Ref AWS::StackName }}, {{ Name: Function, Value: {} }}] }}",
            text(&directive["Namespace"]),
            text(&directive["Metrics"][0]["Name"]),
            text(&line["Function"]),
        );
        Self {
            id: "failures",
            statistic: "Sum",
            metric,
        }
    }
}

/// The alarms of every function with endpoints.
pub fn objectives() -> Vec<String> {
    let mut lines = Vec::new();
    for function in FUNCTIONS.iter().filter(|one| one.api().is_some()) {
        let name = function.name;
        let mut stats = vec![Stat::of_failures(function)];
        stats.extend(outages(function));
        for (kind, period, percentage, least, within) in BURNS {
            let failed = "SUM([failures, errors, throttles])";
            let text = format!(
                "Too many requests of {name} failed within {within} days. The alarm's graph shows of which kind: \
                 failures are answers 5xx, errors are crashes and timeouts, throttles are missing concurrency. The query \
                 \"failures\" shows their causes. If this began with a deployment, deploy the version before."
            );
            let expression =
                format!("IF({failed} >= {least}, 100 * {failed} / SUM([runs, throttles]), 0)");
            let alarm = (function, kind, &*text, "Failed of a hundred requests");
            lines.extend(one(alarm, &expression, percentage, period, &stats));
        }
        let limit = function.ends_within;
        let within = format!("PR(:{limit})");
        let stats = [
            Stat::of_lambda("runs", "Sum", "Invocations", function),
            Stat::of_lambda("fast", &within, "Duration", function),
        ];
        let text = format!(
            "Within an hour, more than {SLOW} % of the requests of {name} took longer than {limit} ms; the objective \
             allows 1 %. The query \"slow\" shows whether one organization's lists have grown, the table is slow, or these \
             are starts."
        );
        let alarm = (function, "Latency", &*text, "Slow of a hundred requests");
        let rate = "IF(runs >= 20, 100 - fast, 0)";
        lines.extend(one(alarm, rate, SLOW, 3_600, &stats));
    }
    lines.pop();
    lines
}

/// The alarms of the functions without endpoints.
pub fn of_background() -> Vec<String> {
    let mut lines = Vec::new();
    for function in background() {
        let name = function.name;
        let failed = "SUM([errors, throttles])";
        let text = format!(
            "More than 5 % of the runs of {name} crashed, ran out of time, did not start, or found no concurrency. It tries \
             again by itself. The query \"background\" shows the causes; a failed start names its setting or ciphertext. If \
             this began with a deployment, deploy the version before."
        );
        let expression = format!("IF({failed} >= 3, 100 * {failed} / SUM([runs, throttles]), 0)");
        let alarm = (function, "Failures", &*text, "Failed of a hundred runs");
        lines.extend(one(alarm, &expression, 5.0, 300, &outages(function)));
    }
    lines.pop();
    lines
}

/// The functions without endpoints, but for the checker, which has an alarm of its own.
pub fn background() -> impl Iterator<Item = &'static Function> {
    let all = FUNCTIONS.iter();
    all.filter(|one| one.api().is_none() && !one.is_client())
}

/// The runs of a function, and those that came to nothing.
fn outages(function: &Function) -> [Stat<'static>; 3] {
    [
        Stat::of_lambda("errors", "Sum", "Errors", function),
        Stat::of_lambda("throttles", "Sum", "Throttles", function),
        Stat::of_lambda("runs", "Sum", "Invocations", function),
    ]
}

fn one(
    (function, kind, text, label): (&Function, &str, &str, &str),
    expression: &str,
    threshold: f64,
    period: u32,
    stats: &[Stat<'_>],
) -> Vec<String> {
    let logical = upper_camel(function.name);
    let mut lines = vec![
        format!("{logical}{kind}:"),
        "  Type: AWS::CloudWatch::Alarm".to_owned(),
        "  Condition: HasAlarms".to_owned(),
        "  Properties:".to_owned(),
        "    AlarmDescription: >-".to_owned(),
    ];
    let text = wrapped(text).into_iter();
    lines.extend(text.map(|line| format!("      {line}")));
    lines.extend([
        "    Metrics:".to_owned(),
        format!("      - {{ Id: rate, Label: {label}, Expression: \"{expression}\" }}"),
    ]);
    lines.extend(stats.iter().map(|Stat { id, statistic, metric }| {
        format!("      - {{ Id: {id}, ReturnData: false, MetricStat: {{ Stat: \"{statistic}\", Period: {period}, Metric: {metric} }} }}")
    }));
    lines.extend([
        "    EvaluationPeriods: 1".to_owned(),
        format!("    Threshold: {threshold}"),
        "    ComparisonOperator: GreaterThanThreshold".to_owned(),
        "    TreatMissingData: notBreaching".to_owned(),
    ]);
    let topic = "!If [HasAlarmTopic, [!Ref AlarmTopic], !Ref AWS::NoValue]";
    lines.extend(["Alarm", "OK"].map(|on| format!("    {on}Actions: {topic}")));
    lines.push(String::new());
    lines
}

fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().unwrap();
        if line.len() + word.len() > 100 {
            lines.push(word.to_owned());
        } else {
            let space = if line.is_empty() { "" } else { " " };
            *line = format!("{line}{space}{word}");
        }
    }
    lines
}

pub fn query_names() -> impl Iterator<Item = &'static str> {
    each_query().map(|[name, ..]| name)
}

/// Name, functions and text of each query.
fn each_query() -> impl Iterator<Item = [&'static str; 3]> {
    let parts = |line: &'static str| line.splitn(3, ": ").collect::<Vec<_>>();
    QUERIES
        .lines()
        .map(move |line| parts(line).try_into().unwrap())
}

/// The saved queries.
pub fn queries() -> Vec<String> {
    let mut lines = Vec::new();
    for [name, groups, text] in each_query() {
        let is_check = groups == "checker";
        let condition = if is_check {
            "HasCheckAlarm"
        } else {
            "HasAlarms"
        };
        let groups = groups.split(' ').flat_map(logs);
        let groups: Vec<String> = groups.map(|name| format!("!Ref {name}Logs")).collect();
        lines.extend([
            format!("{}Query:", upper_camel(name)),
            "  Type: AWS::Logs::QueryDefinition".to_owned(),
            format!("  Condition: {condition}"),
            "  Properties:".to_owned(),
            format!("    Name: !Sub \"${{AWS::StackName}}/{name}\""),
            format!("    LogGroupNames: [{}]", groups.join(", ")),
            "    QueryString: >-".to_owned(),
            format!("      {text}"),
            String::new(),
        ]);
    }
    lines.pop();
    lines
}

/// The logical names of a group of logs.
fn logs(group: &str) -> Vec<String> {
    let named = |one: &Function| upper_camel(one.name);
    let api = FUNCTIONS.iter().filter(|one| one.api().is_some());
    match group {
        "(api)" => api.map(named).collect(),
        "(background)" => background().map(named).collect(),
        "(gateway)" => vec!["Api".to_owned()],
        name => vec![upper_camel(name)],
    }
}

/// Limits of the functions without endpoints as one expression, a line each, with the metric of each.
pub fn background_latency() -> Vec<String> {
    let parts = background().map(|one| format!("{} / {}", lower_camel(one.name), one.ends_within));
    let expression = format!("MAX([{}])", parts.collect::<Vec<_>>().join(",\n"));
    let mut lines = vec!["  Expression: >-".to_owned()];
    lines.extend(expression.lines().map(|line| format!("    {line}")));
    lines.extend(background().map(|one| {
        let id = lower_camel(one.name);
        let Stat { statistic, metric, .. } = Stat::of_lambda(&id, "p99", "Duration", one);
        format!("- {{ Id: {id}, ReturnData: false, MetricStat: {{ Stat: {statistic}, Period: 300, Metric: {metric} }} }}")
    }));
    lines
}
