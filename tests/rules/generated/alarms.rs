//! The generated alarm of the functions without endpoints, and the log queries that the texts of
//! all alarms name.

use tests::{FUNCTIONS, Function};

use super::template::{lower_camel, upper_camel};

/// The log queries: name, functions whose logs it reads, and text. `(api)` are the functions with
/// endpoints, `(background)` those without.
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
mails: mailer: filter ispresent(mailId) | stats count() as attempts, latest(@timestamp) as last by outcome, problem, organizationId | sort attempts desc | limit 100
changes: publisher indexer: fields @timestamp, @log, organizationId, cause, @message | filter level in ['ERROR', 'WARN'] | sort @timestamp desc | limit 200
sign-ins: auth: filter route in ['/api/auth/login', '/api/auth/password'] and status in [401, 429] | stats count() as refused by address, status | sort refused desc | limit 100
refusals: (gateway): filter functionMs = '-' | stats count() as refused by status, refusal, route, address | sort refused desc | limit 100
check: checker: fields @timestamp, step, cause | filter ispresent(step) | sort @timestamp desc | limit 100
";

/// The alarm of the functions without endpoints: one for all, since its text does not differ.
pub fn of_background() -> Vec<String> {
    let ids = background().map(|function| lower_camel(function.name));
    let ids: Vec<String> = ids.collect();
    let mut lines = vec![
        "Metrics:".to_owned(),
        format!(
            "  - {{ Id: all, Label: Crashes and timeouts, Expression: \"SUM([{}])\" }}",
            ids.join(", ")
        ),
    ];
    lines.extend(background().zip(&ids).map(|(function, id)| {
        let logical = upper_camel(function.name);
        let metric = format!(
            "{{ Namespace: AWS/Lambda, MetricName: Errors, Dimensions: [{{ Name: FunctionName, Value: !Ref {logical} }}] }}"
        );
        format!("  - {{ Id: {id}, ReturnData: false, MetricStat: {{ Stat: Sum, Period: 300, Metric: {metric} }} }}")
    }));
    lines
}

/// The functions without endpoints, but for the checker, which has an alarm of its own.
pub fn background() -> impl Iterator<Item = &'static Function> {
    let functions = FUNCTIONS.iter();
    functions.filter(|function| function.api().is_none() && !function.is_client())
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
        let groups: Vec<String> = groups
            .map(|name| format!("!Ref {name}Logs"))
            .collect();
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
    let named = |function: &Function| upper_camel(function.name);
    let api = FUNCTIONS
        .iter()
        .filter(|function| function.api().is_some());
    match group {
        "(api)" => api.map(named).collect(),
        "(background)" => background().map(named).collect(),
        "(gateway)" => vec!["Api".to_owned()],
        name => vec![upper_camel(name)],
    }
}
