//! Generated sections of `infra/template.yaml`: for each function its route from the gateway, its
//! log, its alarms and its place on the dashboard. Also the methods and headers that pages of other
//! origins may use.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use shared::{
    http::cors::{ALLOWED_HEADERS, EXPOSED_HEADERS},
    store::updates::StreamRecord,
};
use tests::{
    FUNCTIONS, Function,
    support::{METHODS, operations, roles},
};

use super::{alarms, dashboard};

/// The function for paths without a route.
const DEFAULT: &str = "pages";

/// The most metrics of an alarm.
const MOST_METRICS: usize = 10;

/// The percentage of provisioned capacity that is to be used. A load of two thirds more is served
/// at once.
const USE: u32 = 60;

/// Every section by name.
pub fn sections(template: &str) -> Vec<(String, Vec<String>)> {
    let named = Routes::of(template);
    let mut sections = vec![("cors".to_owned(), cors())];
    for function in FUNCTIONS {
        sections.push((function.name.to_owned(), plumbing(function, &named)));
    }
    let published: Vec<_> = StreamRecord::published_kinds().collect();
    let indexed: Vec<_> = StreamRecord::indexed_kinds().collect();
    sections.push(("published changes".to_owned(), changes(&published)));
    sections.push(("indexed changes".to_owned(), changes(&indexed)));
    sections.push(("capacity".to_owned(), capacity(template)));
    assert!(
        alarms::background().count() <= MOST_METRICS,
        "an alarm takes up to {MOST_METRICS} metrics: share the functions out among more alarms"
    );
    for (section, lines) in [
        ("background failures", alarms::of_background()),
        ("queries", alarms::queries()),
    ] {
        sections.push((section.to_owned(), lines));
    }
    sections.push(("dashboard".to_owned(), dashboard::body(template)));
    sections
}

fn cors() -> Vec<String> {
    let used = |method: &&str| {
        operations()
            .iter()
            .any(|operation| operation.method == *method)
    };
    let methods: Vec<&str> = METHODS
        .into_iter()
        .filter(used)
        .collect();
    vec![
        format!("AllowMethods: [{}]", methods.join(", ")),
        format!("AllowHeaders: [{}]", ALLOWED_HEADERS.join(", ")),
        format!("ExposeHeaders: [{}]", EXPOSED_HEADERS.join(", ")),
    ]
}

/// The filters of the stream: items that a consumer reads, new, changed or removed.
fn changes(kinds: &[&str]) -> Vec<String> {
    let filter = |image: &str| {
        let pattern = json!({"dynamodb": {image: {"kind": {"S": kinds}}}});
        format!("- {{ Pattern: '{pattern}' }}")
    };
    vec![filter("NewImage"), filter("OldImage")]
}

/// The scaling of the table and of each index: of reads and of writes, if they are provisioned.
fn capacity(template: &str) -> Vec<String> {
    let template: Value = serde_saphyr::from_str(template).unwrap();
    let indexes = &template["Resources"]["Table"]["Properties"]["GlobalSecondaryIndexes"];
    let indexes = indexes.as_array().unwrap().iter();
    let names = indexes.map(|index| index["IndexName"].as_str().unwrap());
    let mut lines = Vec::new();
    for index in std::iter::once(None).chain(names.map(Some)) {
        let (dimension, path) = match index {
            None => ("table", String::new()),
            Some(name) => ("index", format!("/index/{name}")),
        };
        for unit in ["Read", "Write"] {
            let name = format!("{}{unit}", upper_camel(index.unwrap_or("table")));
            lines.extend([
                format!("{name}Capacity:"),
                "  Type: AWS::ApplicationAutoScaling::ScalableTarget".to_owned(),
                "  Condition: IsProvisioned".to_owned(),
                "  Properties:".to_owned(),
                "    ServiceNamespace: dynamodb".to_owned(),
                format!("    ResourceId: !Sub \"table/${{Table}}{path}\""),
                format!("    ScalableDimension: dynamodb:{dimension}:{unit}CapacityUnits"),
                format!("    MinCapacity: !Ref Min{unit}Units"),
                format!("    MaxCapacity: !Ref Max{unit}Units"),
                String::new(),
                format!("{name}Scaling:"),
                "  Type: AWS::ApplicationAutoScaling::ScalingPolicy".to_owned(),
                "  Condition: IsProvisioned".to_owned(),
                "  Properties:".to_owned(),
                format!("    PolicyName: {name}"),
                "    PolicyType: TargetTrackingScaling".to_owned(),
                format!("    ScalingTargetId: !Ref {name}Capacity"),
                "    TargetTrackingScalingPolicyConfiguration:".to_owned(),
                format!("      TargetValue: {USE}"),
                format!("      PredefinedMetricSpecification: {{ PredefinedMetricType: DynamoDB{unit}CapacityUtilization }}"),
                String::new(),
            ]);
        }
    }
    lines.pop();
    lines
}

/// The route from the gateway to a function, and its log group.
fn plumbing(function: &Function, named: &Routes) -> Vec<String> {
    let mut lines = Vec::new();
    if function.api().is_some() {
        lines.extend(way_from_the_gateway(function, named));
        lines.push(String::new());
    }
    let name = function.name;
    let logical = upper_camel(function.name);
    lines.extend([
        format!("{logical}Logs:"),
        "  Type: AWS::Logs::LogGroup".to_owned(),
    ]);
    if function.is_client() {
        lines.push("  Condition: HasCheck".to_owned());
    }
    lines.extend([
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

/// Every method of its paths, in the order of the document; then its pages, and the default last.
fn route_keys(function: &Function) -> Vec<String> {
    let operations = operations().iter();
    let of_function = operations.filter(|operation| operation.function == function.name);
    let mut keys: Vec<String> = of_function
        .map(|operation| format!("ANY {}", operation.path))
        .collect();
    keys.dedup();
    let pages = function
        .api()
        .into_iter()
        .flat_map(|api| api.pages);
    keys.extend(pages.map(|path| format!("ANY {path}")));
    if function.name == DEFAULT {
        keys.push("$default".to_owned());
    }
    keys
}

/// A brace would begin a mapping.
fn quoted(key: &str) -> String {
    let quote = if key.contains('{') { "\"" } else { "" };
    format!("{quote}{key}{quote}")
}

/// Logical names of the routes that the template has. A route keeps its name, whichever function it
/// leads to: under another one, the update of a deployed stack would create it a second time, which
/// the gateway refuses.
struct Routes(BTreeMap<String, String>);

impl Routes {
    fn of(template: &str) -> Self {
        let template: Value = serde_saphyr::from_str(template).unwrap();
        let named = roles::resources(&template, "AWS::ApiGatewayV2::Route").map(|(name, route)| {
            let key = route["RouteKey"].as_str().unwrap();
            (key.to_owned(), name.to_owned())
        });
        Self(named.collect())
    }

    fn name(&self, function: &str, key: &str) -> String {
        self.0
            .get(key)
            .cloned()
            .unwrap_or_else(|| {
                let path = key
                    .trim_start_matches("ANY /")
                    .trim_start_matches("api/");
                format!("{function}Route{}", upper_camel(path))
            })
    }
}

/// The logical name: `ManagedServices` of `managed-services`: words begin after whatever is no
/// letter or digit.
pub fn upper_camel(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words = words.map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    });
    words.collect()
}

pub fn lower_camel(text: &str) -> String {
    let name = upper_camel(text);
    let (first, rest) = name.split_at(1);
    first.to_ascii_lowercase() + rest
}
