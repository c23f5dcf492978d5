//! What `infra/template.yaml` says again of each function: its way from the gateway, its log, its
//! place in the alarms; and which methods and headers pages of other origins may use.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tests::{FUNCTIONS, Function};

use crate::support::{METHODS, document, operations};

/// The function that answers for paths that no route has.
const DEFAULT: &str = "auth";

/// How many metrics an alarm takes.
const MOST_METRICS: usize = 10;

/// Every section by name.
pub fn sections(template: &str) -> Vec<(String, Vec<String>)> {
    assert!(
        FUNCTIONS.len() <= MOST_METRICS,
        "an alarm takes up to {MOST_METRICS} metrics: share the functions out among more alarms"
    );
    let named = Routes::of(template);
    let mut all = vec![("cors".to_owned(), cors())];
    for function in FUNCTIONS {
        all.push((function.name.to_owned(), plumbing(function, &named)));
    }
    all.push(("errors".to_owned(), metrics("Sum", "Errors")));
    all.push(("throttles".to_owned(), metrics("Sum", "Throttles")));
    let mut latency = limits();
    latency.extend(metrics("p99", "Duration"));
    all.push(("latency".to_owned(), latency));
    all
}

fn cors() -> Vec<String> {
    let document = serde_json::to_value(document()).unwrap();
    let used = |method: &&str| operations().iter().any(|one| one.method == *method);
    let methods: Vec<&str> = METHODS.into_iter().filter(used).collect();
    let list = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>().join(", ");
    vec![
        format!("AllowMethods: [{}]", methods.join(", ")),
        format!("AllowHeaders: [{}]", list(request_headers())),
        format!("ExposeHeaders: [{}]", list(response_headers(&document))),
    ]
}

/// Headers that operations take. A body's content type is JSON, which a page may not send to another
/// origin unless it is allowed.
fn request_headers() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for operation in operations() {
        let parameters = operation.described["parameters"].as_array();
        for parameter in parameters.into_iter().flatten() {
            if parameter["in"] == "header" {
                names.insert(lower_case(&parameter["name"]));
            }
        }
        if operation.described.get("requestBody").is_some() {
            names.insert("content-type".to_owned());
        }
    }
    names
}

/// Headers that operations answer with, but for those that a page reads anyway or never does.
fn response_headers(document: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    collect_headers(document, &mut names);
    for of_the_browser in ["cache-control", "set-cookie", "x-content-type-options"] {
        names.remove(of_the_browser);
    }
    names
}

/// Names of all members of objects called `headers`.
fn collect_headers(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            let headers = members.get("headers").and_then(Value::as_object);
            names.extend(
                headers
                    .into_iter()
                    .flatten()
                    .map(|(name, _)| name.to_ascii_lowercase()),
            );
            members
                .values()
                .for_each(|member| collect_headers(member, names));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_headers(item, names)),
        _ => (),
    }
}

fn lower_case(name: &Value) -> String {
    name.as_str().unwrap().to_ascii_lowercase()
}

/// What stands between the gateway and a function, and its log group.
fn plumbing(function: &Function, named: &Routes) -> Vec<String> {
    let mut lines = Vec::new();
    if function.api.is_some() {
        lines.extend(way_from_the_gateway(function, named));
        lines.push(String::new());
    }
    let (name, logical) = (function.name, upper_camel(function.name));
    lines.extend([
        format!("{logical}Logs:"),
        "  Type: AWS::Logs::LogGroup".to_owned(),
        "  Properties:".to_owned(),
        format!("    LogGroupName: !Sub \"/aws/lambda/${{AWS::StackName}}-{name}\""),
        "    RetentionInDays: !Ref LogRetentionDays".to_owned(),
    ]);
    lines
}

fn way_from_the_gateway(function: &Function, named: &Routes) -> Vec<String> {
    let logical = upper_camel(function.name);
    let mut lines = vec![
        format!("{logical}Integration:"),
        "  Type: AWS::ApiGatewayV2::Integration".to_owned(),
        format!(
            "  Properties: {{ ApiId: !Ref Api, IntegrationType: AWS_PROXY, IntegrationUri: !GetAtt {logical}.Arn, PayloadFormatVersion: \"2.0\" }}"
        ),
    ];
    for key in route_keys(function) {
        lines.extend([
            format!("{}:", named.name(&logical, &key)),
            "  Type: AWS::ApiGatewayV2::Route".to_owned(),
            format!(
                "  Properties: {{ ApiId: !Ref Api, RouteKey: {}, Target: !Sub \"integrations/${{{logical}Integration}}\" }}",
                quoted(&key)
            ),
        ]);
    }
    lines.extend([
        format!("{logical}Permission:"),
        "  Type: AWS::Lambda::Permission".to_owned(),
        "  Properties:".to_owned(),
        format!("    FunctionName: !Ref {logical}"),
        "    Action: lambda:InvokeFunction".to_owned(),
        "    Principal: apigateway.amazonaws.com".to_owned(),
        "    SourceArn: !Sub \"arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*\"".to_owned(),
    ]);
    lines
}

/// Every method of its paths, in the order of the document; the default last.
fn route_keys(function: &Function) -> Vec<String> {
    let of_function = operations()
        .iter()
        .filter(|one| one.function == function.name);
    let mut keys: Vec<String> = of_function.map(|one| format!("ANY {}", one.path)).collect();
    keys.dedup();
    if function.name == DEFAULT {
        keys.push("$default".to_owned());
    }
    keys
}

/// A brace would begin a mapping.
fn quoted(key: &str) -> String {
    if key.contains('{') {
        format!("\"{key}\"")
    } else {
        key.to_owned()
    }
}

/// Logical names of the routes that the template has. A route keeps its name: under another one, the
/// update of a deployed stack would create it a second time, which the gateway refuses.
struct Routes(BTreeMap<(String, String), String>);

impl Routes {
    fn of(template: &str) -> Self {
        let template: Value = serde_saphyr::from_str(template).unwrap();
        let resources = template["Resources"].as_object().unwrap();
        let routes = resources
            .iter()
            .filter(|(_, resource)| resource["Type"] == "AWS::ApiGatewayV2::Route");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let named = routes.map(|(name, route)| {
            let properties = &route["Properties"];
            let place = (text(&properties["Target"]), text(&properties["RouteKey"]));
            (place, name.clone())
        });
        Self(named.collect())
    }

    fn name(&self, function: &str, key: &str) -> String {
        let target = format!("integrations/${{{function}Integration}}");
        let known = self.0.get(&(target, key.to_owned()));
        known.cloned().unwrap_or_else(|| {
            let path = key.trim_start_matches("ANY /api/");
            format!("{function}Route{}", upper_camel(path))
        })
    }
}

/// The limits of all functions as one expression, a line each.
fn limits() -> Vec<String> {
    let part = |function: &Function| {
        let id = lower_camel(function.name);
        format!("{id} / {}", function.ends_within)
    };
    let parts: Vec<String> = FUNCTIONS.iter().map(part).collect();
    let expression = format!("MAX([{}])", parts.join(",\n"));
    let lines = expression.lines().map(|line| format!("    {line}"));
    std::iter::once("  Expression: >-".to_owned())
        .chain(lines)
        .collect()
}

/// One metric of each function.
fn metrics(statistic: &str, metric: &str) -> Vec<String> {
    let of_function = |function: &Function| {
        let (id, logical) = (lower_camel(function.name), upper_camel(function.name));
        format!(
            "- {{ Id: {id}, ReturnData: false, MetricStat: {{ Stat: {statistic}, Period: 300, Metric: {{ Namespace: AWS/Lambda, MetricName: {metric}, Dimensions: [{{ Name: FunctionName, Value: !Ref {logical} }}] }} }} }}"
        )
    };
    FUNCTIONS.iter().map(of_function).collect()
}

/// `ManagedServices` of `managed-services`: words begin after whatever is no letter or digit.
fn upper_camel(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words
        .map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            first.to_ascii_uppercase() + rest
        })
        .collect()
}

fn lower_camel(text: &str) -> String {
    let name = upper_camel(text);
    let (first, rest) = name.split_at(1);
    first.to_ascii_lowercase() + rest
}
