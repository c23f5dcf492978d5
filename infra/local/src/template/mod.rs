//! API, table and queues of `infra/template.yaml`.

mod api;
mod error;
mod file;
mod stream_source;

use std::{collections::BTreeMap, time::Duration};

use file::File;
use serde::Deserialize;
use serde_json::Value;

pub use api::{CorsLists, HttpApi, Methods, Route, RouteKey};
pub use error::TemplateError;
pub use stream_source::StreamSource;

/// The deployed template, as of this crate's build.
const DEPLOYED: &str = include_str!("../../../template.yaml");

/// Logical names in the template.
const TABLE: &str = "Table";
const ACTIONS: QueueNames = ("ActionQueue", "ActionDeadLetterQueue");
const WEBHOOKS: QueueNames = ("WebhookQueue", "WebhookDeadLetterQueue");
const MAILS: QueueNames = ("MailQueue", "MailDeadLetterQueue");
const SWEEPS: QueueNames = ("SweepQueue", "SweepDeadLetterQueue");
const DEAD_CHANGES: &str = "ChangeDeadLetterQueue";

/// A queue and its dead-letter queue.
type QueueNames = (&'static str, &'static str);

/// The parts of the template that the local stack uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The HTTP API in front of the functions.
    pub api: HttpApi,
    /// Time limits of the functions by package name.
    timeouts: BTreeMap<String, Duration>,
    /// The functions that get the table's stream, by package name.
    streams: BTreeMap<String, StreamSource>,
    /// The single table.
    pub table: TableDefinition,
    /// The queue of approved actions.
    pub actions: QueuePair,
    /// The queue of webhook deliveries.
    pub webhooks: QueuePair,
    /// The queue of mails.
    pub mails: QueuePair,
    /// The queue of the sweeper.
    pub sweeps: QueuePair,
    /// The dead-letter queue of changes.
    pub dead_changes: QueueDefinition,
}

/// A queue, and the one for messages that were received too often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuePair {
    /// The queue.
    pub queue: QueueDefinition,
    /// The dead-letter queue.
    pub dead_letters: QueueDefinition,
    /// Most receives of a message before it moves to the dead-letter queue.
    pub max_receive_count: u32,
}

/// A DynamoDB table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableDefinition {
    /// All attributes of keys.
    pub attributes: Vec<AttributeDefinition>,
    /// Key of the table.
    pub key: Vec<KeyElement>,
    /// Global secondary indexes. Each projects every attribute, or keys only.
    pub indexes: Vec<IndexDefinition>,
    /// Attribute with an item's expiry in seconds since the epoch.
    pub ttl_attribute: Option<String>,
    /// The images of the stream's records, if the table has a stream.
    pub stream_view: Option<String>,
}

/// An attribute of a key.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct AttributeDefinition {
    /// Name.
    #[serde(rename = "AttributeName")]
    pub name: String,
    /// `S`, `N` or `B`.
    #[serde(rename = "AttributeType")]
    pub kind: String,
}

/// One half of a key.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct KeyElement {
    /// Name of the attribute.
    #[serde(rename = "AttributeName")]
    pub attribute: String,
    /// `HASH` for the partition key, `RANGE` for the sort key.
    #[serde(rename = "KeyType")]
    pub kind: String,
}

/// A global secondary index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexDefinition {
    /// Name.
    pub name: String,
    /// Key.
    pub key: Vec<KeyElement>,
    /// Its attributes: `ALL` or `KEYS_ONLY`.
    pub projection: String,
}

/// A standard queue.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct QueueDefinition {
    /// Seconds for which a received message stays hidden; 30 by default, as in SQS.
    #[serde(rename = "VisibilityTimeout", default = "default_visibility")]
    pub visibility_timeout: u32,
    /// Seconds for which a message is kept; four days by default, as in SQS.
    #[serde(rename = "MessageRetentionPeriod", default = "default_retention")]
    pub retention: u32,
}

impl Template {
    /// Reads the deployed template.
    pub fn deployed() -> Result<Self, TemplateError> {
        Self::parse(DEPLOYED)
    }

    /// Package names of the functions, sorted.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.timeouts.keys().map(String::as_str)
    }

    /// The time limit of a package's function.
    pub fn timeout(&self, package: &str) -> Result<Duration, TemplateError> {
        let timeout = self.timeouts.get(package).copied();
        timeout.ok_or_else(|| TemplateError::MissingResource(package.to_owned()))
    }

    /// The share of a package's function in the table's stream.
    pub fn stream(&self, package: &str) -> Result<StreamSource, TemplateError> {
        let source = self.streams.get(package).cloned();
        source.ok_or_else(|| TemplateError::MissingResource(format!("the stream of {package}")))
    }

    /// Reads API, table and queues from a template and ignores all other resources.
    pub fn parse(yaml: &str) -> Result<Self, TemplateError> {
        let file: File = serde_saphyr::from_str(yaml)?;
        let table: TableProperties = file.properties(TABLE, "AWS::DynamoDB::Table")?;
        Ok(Self {
            api: api::read(&file)?,
            timeouts: file.timeouts()?,
            streams: file.streams()?,
            table: table.into_definition()?,
            actions: queues(&file, ACTIONS)?,
            webhooks: queues(&file, WEBHOOKS)?,
            mails: queues(&file, MAILS)?,
            sweeps: queues(&file, SWEEPS)?,
            dead_changes: file.properties(DEAD_CHANGES, "AWS::SQS::Queue")?,
        })
    }
}

fn queues(file: &File, (name, dead_letters): QueueNames) -> Result<QueuePair, TemplateError> {
    let queue: QueueProperties = file.properties(name, "AWS::SQS::Queue")?;
    let redrive = queue.redrive_policy;
    if !redrive.points_at(dead_letters) {
        let named = redrive.target.to_string();
        let problem = format!("the redrive policy names {named:?}, not {dead_letters:?}");
        return Err(TemplateError::properties(name, problem));
    }
    Ok(QueuePair {
        queue: queue.queue,
        dead_letters: file.properties(dead_letters, "AWS::SQS::Queue")?,
        max_receive_count: redrive.max_receive_count,
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TableProperties {
    attribute_definitions: Vec<AttributeDefinition>,
    key_schema: Vec<KeyElement>,
    #[serde(default)]
    global_secondary_indexes: Vec<IndexProperties>,
    time_to_live_specification: Option<TimeToLive>,
    stream_specification: Option<StreamProperties>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct StreamProperties {
    stream_view_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct IndexProperties {
    index_name: String,
    key_schema: Vec<KeyElement>,
    projection: Projection,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Projection {
    projection_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TimeToLive {
    attribute_name: String,
    enabled: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct QueueProperties {
    #[serde(flatten)]
    queue: QueueDefinition,
    redrive_policy: RedrivePolicy,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RedrivePolicy {
    #[serde(rename = "deadLetterTargetArn")]
    target: Value,
    max_receive_count: u32,
}

impl RedrivePolicy {
    /// Returns true if the target is `queue`. `!GetAtt Queue.Arn` is parsed as the string behind
    /// the tag, `Fn::GetAtt` as an object.
    fn points_at(&self, queue: &str) -> bool {
        match &self.target {
            Value::String(target) => target.strip_suffix(".Arn") == Some(queue),
            Value::Object(call) => match call.get("Fn::GetAtt") {
                Some(Value::Array(path)) => path
                    .first()
                    .is_some_and(|first| first == queue),
                Some(Value::String(path)) => path.strip_suffix(".Arn") == Some(queue),
                _ => false,
            },
            _ => false,
        }
    }
}

impl TableProperties {
    fn into_definition(self) -> Result<TableDefinition, TemplateError> {
        let mut indexes = Vec::new();
        for index in self.global_secondary_indexes {
            let projection = index.projection.projection_type;
            if !["ALL", "KEYS_ONLY"].contains(&projection.as_str()) {
                let problem = format!("index {:?} projects {projection}", index.index_name);
                return Err(TemplateError::properties(TABLE, problem));
            }
            indexes.push(IndexDefinition {
                name: index.index_name,
                key: index.key_schema,
                projection,
            });
        }
        Ok(TableDefinition {
            attributes: self.attribute_definitions,
            key: self.key_schema,
            indexes,
            ttl_attribute: self
                .time_to_live_specification
                .filter(|ttl| ttl.enabled)
                .map(|ttl| ttl.attribute_name),
            stream_view: self
                .stream_specification
                .map(|stream| stream.stream_view_type),
        })
    }
}

fn default_visibility() -> u32 {
    30
}

fn default_retention() -> u32 {
    4 * 24 * 60 * 60
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deployed_template_holds_table_indexes_and_queues() {
        let template = Template::deployed().unwrap();

        let names = |key: &[KeyElement]| -> Vec<String> {
            key.iter()
                .map(|element| element.attribute.clone())
                .collect()
        };
        assert_eq!(names(&template.table.key), ["pk", "sk"]);
        let indexes: Vec<_> = template
            .table
            .indexes
            .iter()
            .map(|index| (index.name.as_str(), names(&index.key)))
            .collect();
        assert_eq!(
            indexes,
            [
                ("gsi1", vec!["gsi1pk".to_owned(), "gsi1sk".to_owned()]),
                ("gsi2", vec!["gsi2pk".to_owned(), "gsi2sk".to_owned()]),
                ("gsi3", vec!["gsi3pk".to_owned(), "gsi3sk".to_owned()]),
                ("gsi4", vec!["gsi4pk".to_owned(), "gsi4sk".to_owned()]),
            ]
        );
        assert_eq!(template.table.ttl_attribute.as_deref(), Some("expiresAt"));
        let images = template.table.stream_view.as_deref();
        assert_eq!(images, Some("NEW_AND_OLD_IMAGES"));
        assert_eq!(
            template
                .actions
                .queue
                .visibility_timeout,
            360
        );
        assert_eq!(template.actions.max_receive_count, 5);
        let timeout = |package| {
            template
                .timeout(package)
                .unwrap()
                .as_secs()
        };
        assert_eq!((timeout("action-worker"), timeout("tasks")), (60, 10));
        assert!(template.timeout("nobody").is_err());
        for (package, kind, passes) in [
            ("publisher", "task", true),
            ("publisher", "indexed_word", false),
            ("indexer", "agent_policy", true),
            ("indexer", "cleanup", false),
        ] {
            let source = template.stream(package).unwrap();
            assert_eq!(source.batch_size, 100);
            let record = serde_json::json!({"dynamodb": {"OldImage": {"kind": {"S": kind}}}});
            assert_eq!(source.passes(&record), passes, "{package} {kind}");
        }
        assert!(template.stream("tasks").is_err());
        for pair in [&template.actions, &template.webhooks, &template.sweeps] {
            assert!(pair.dead_letters.retention > pair.queue.retention);
        }
    }

    #[test]
    fn intrinsic_functions_of_other_resources_do_not_disturb() {
        let yaml = format!(
            "{DEPLOYED}
  Other:
    Type: AWS::Serverless::HttpApi
    Condition: !Not [!Equals [!Ref Stage, \"\"]]
    Properties:
      Name: !Sub \"${{AWS::StackName}}-api\"
      Role: !If [Custom, !Ref Role, !GetAtt Other.Arn]
      List: !Join
        - \",\"
        - [!Ref A, !Select [0, !GetAZs \"\"]]
      Map: !Transform {{ Name: AWS::Include, Parameters: {{ Location: x }} }}
"
        );
        assert_eq!(
            Template::parse(&yaml).unwrap(),
            Template::deployed().unwrap()
        );
    }

    #[test]
    fn both_spellings_of_the_redrive_target_are_understood() {
        for spelling in [
            "{ Fn::GetAtt: ActionDeadLetterQueue.Arn }",
            "{ \"Fn::GetAtt\": [ActionDeadLetterQueue, Arn] }",
        ] {
            let yaml = DEPLOYED.replace("!GetAtt ActionDeadLetterQueue.Arn", spelling);
            assert!(Template::parse(&yaml).is_ok(), "{spelling}");
        }
    }

    #[test]
    fn an_error_names_what_is_missing() {
        let cases = [
            ("  Table:", "  Tables:", "\"Table\""),
            (
                "KeySchema:\n        - { AttributeName: pk",
                "Keys:\n        - { AttributeName: pk",
                "KeySchema",
            ),
            ("RedrivePolicy:", "Redrive:", "RedrivePolicy"),
            ("maxReceiveCount", "maximum", "maxReceiveCount"),
            (
                "VisibilityTimeout: 360",
                "VisibilityTimeout: long",
                "ActionQueue",
            ),
            (
                "!GetAtt ActionDeadLetterQueue.Arn",
                "!GetAtt Other.Arn",
                "Other.Arn",
            ),
            (
                "AWS::DynamoDB::Table",
                "AWS::DynamoDB::GlobalTable",
                "GlobalTable",
            ),
            ("BatchSize: 100", "Batches: 100", "BatchSize"),
            (
                "{\"dynamodb\":{\"NewImage\"",
                "{\"dynamodb\":{\"NewImage",
                "does not know the filter",
            ),
            ("RouteKey: $default", "RouteKey: FETCH /x", "FETCH /x"),
            (
                "integrations/${AuthIntegration}",
                "AuthIntegration",
                "AuthRouteAuthAccept",
            ),
            ("AllowMethods", "Methods", "AllowMethods"),
            ("Resources:", "Resource:", "Resources"),
        ];
        for (from, to, named) in cases {
            let broken = DEPLOYED.replacen(from, to, 1);
            assert_ne!(broken, DEPLOYED, "{from} is not in the template");
            let error = Template::parse(&broken)
                .unwrap_err()
                .to_string();
            assert!(error.contains(named), "{error:?} does not name {named:?}");
        }
    }
}
