//! Creation of the template's table and queues through the SDK, which works for embedded engines
//! and for others.

use aws_sdk_dynamodb::{
    error::BuildError,
    operation::create_table::CreateTableError,
    types::{
        AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType,
        Projection, ProjectionType, ScalarAttributeType, StreamSpecification,
        TimeToLiveSpecification, TimeToLiveStatus,
    },
};
use aws_sdk_sqs::types::QueueAttributeName;

use crate::template::{KeyElement, QueueDefinition, QueuePair, TableDefinition, Template};

use super::{error::EngineError, problem::problem};

/// The queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineQueues {
    /// The queue of approved actions.
    pub actions: EngineQueue,
    /// The queue of webhook deliveries.
    pub webhooks: EngineQueue,
    /// The queue of mails.
    pub mails: EngineQueue,
    /// The queue of the sweeper.
    pub sweeps: EngineQueue,
    /// URL of the dead-letter queue of changes.
    pub dead_changes: String,
}

/// A queue and the dead-letter queue behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineQueue {
    /// URL of the queue.
    pub url: String,
    /// ARN of the queue, as in Lambda events.
    pub arn: String,
    /// URL of the dead-letter queue.
    pub dead_letter_url: String,
}

/// Creates a table unless one of that name exists.
pub(super) async fn create_table(
    client: &aws_sdk_dynamodb::Client,
    name: &str,
    definition: &TableDefinition,
) -> Result<(), EngineError> {
    let attributes = definition
        .attributes
        .iter()
        .map(|attribute| {
            AttributeDefinition::builder()
                .attribute_name(&attribute.name)
                .attribute_type(ScalarAttributeType::from(attribute.kind.as_str()))
                .build()
        });
    let indexes = definition.indexes.iter().map(|index| {
        GlobalSecondaryIndex::builder()
            .index_name(&index.name)
            .set_key_schema(Some(key_schema(&index.key)?))
            .projection(
                Projection::builder()
                    .projection_type(ProjectionType::from(index.projection.as_str()))
                    .build(),
            )
            .build()
    });
    let incomplete = |error: BuildError| EngineError::Request {
        what: format!("table {name:?}"),
        problem: error.to_string(),
    };
    let stream = definition
        .stream_view
        .as_deref()
        .map(|view| {
            StreamSpecification::builder()
                .stream_enabled(true)
                .stream_view_type(view.into())
                .build()
        });
    let stream = stream.transpose().map_err(incomplete)?;
    let created = client
        .create_table()
        .table_name(name)
        .billing_mode(BillingMode::PayPerRequest)
        .set_attribute_definitions(Some(
            attributes
                .collect::<Result<_, _>>()
                .map_err(incomplete)?,
        ))
        .set_key_schema(Some(key_schema(&definition.key).map_err(incomplete)?))
        .set_global_secondary_indexes(
            Some(
                indexes
                    .collect::<Result<Vec<_>, _>>()
                    .map_err(incomplete)?,
            )
            .filter(|indexes| !indexes.is_empty()),
        )
        .set_stream_specification(stream)
        .send()
        .await;
    match created {
        Ok(_) => {}
        Err(error)
            if matches!(
                error.as_service_error(),
                Some(CreateTableError::ResourceInUseException(_))
            ) => {}
        Err(error) => {
            return Err(EngineError::Request {
                what: format!("creating table {name:?}"),
                problem: problem(&error),
            });
        }
    }
    match &definition.ttl_attribute {
        Some(attribute) => enable_ttl(client, name, attribute).await,
        None => Ok(()),
    }
}

/// Enables TTL unless it is enabled. Runs for existing tables too, since an earlier run may have
/// ended between the creation and this call.
async fn enable_ttl(
    client: &aws_sdk_dynamodb::Client,
    table: &str,
    attribute: &str,
) -> Result<(), EngineError> {
    let failed = |problem: String| EngineError::Request {
        what: format!("enabling TTL on table {table:?}"),
        problem,
    };
    let current = client
        .describe_time_to_live()
        .table_name(table)
        .send()
        .await
        .map_err(|error| failed(problem(&error)))?;
    let enabled = current
        .time_to_live_description()
        .and_then(|description| description.time_to_live_status())
        .is_some_and(|status| *status == TimeToLiveStatus::Enabled);
    if enabled {
        return Ok(());
    }
    let wanted = TimeToLiveSpecification::builder()
        .attribute_name(attribute)
        .enabled(true)
        .build()
        .map_err(|error| failed(error.to_string()))?;
    client
        .update_time_to_live()
        .table_name(table)
        .time_to_live_specification(wanted)
        .send()
        .await
        .map_err(|error| failed(problem(&error)))?;
    Ok(())
}

fn key_schema(key: &[KeyElement]) -> Result<Vec<KeySchemaElement>, BuildError> {
    key.iter()
        .map(|element| {
            KeySchemaElement::builder()
                .attribute_name(&element.attribute)
                .key_type(KeyType::from(element.kind.as_str()))
                .build()
        })
        .collect()
}

/// Creates `{prefix}-actions`, `{prefix}-webhooks`, `{prefix}-mails` and `{prefix}-sweeps` with
/// their dead-letter queues, and the dead-letter queue `{prefix}-changes-dead-letters`, unless they
/// exist with these attributes.
pub(super) async fn create_queues(
    client: &aws_sdk_sqs::Client,
    prefix: &str,
    template: &Template,
) -> Result<EngineQueues, EngineError> {
    let dead_changes_name = format!("{prefix}-changes-dead-letters");
    let dead_changes = create_queue(client, &dead_changes_name, &template.dead_changes, None);
    Ok(EngineQueues {
        dead_changes: dead_changes.await?.url,
        actions: create_pair(client, &format!("{prefix}-actions"), &template.actions).await?,
        webhooks: create_pair(client, &format!("{prefix}-webhooks"), &template.webhooks).await?,
        mails: create_pair(client, &format!("{prefix}-mails"), &template.mails).await?,
        sweeps: create_pair(client, &format!("{prefix}-sweeps"), &template.sweeps).await?,
    })
}

async fn create_pair(
    client: &aws_sdk_sqs::Client,
    name: &str,
    pair: &QueuePair,
) -> Result<EngineQueue, EngineError> {
    let dead_letters_name = format!("{name}-dead-letters");
    let dead_letters = create_queue(client, &dead_letters_name, &pair.dead_letters, None).await?;
    let redrive = serde_json::json!({
        "deadLetterTargetArn": dead_letters.arn,
        "maxReceiveCount": pair.max_receive_count,
    });
    let queue = create_queue(client, name, &pair.queue, Some(redrive.to_string())).await?;
    Ok(EngineQueue {
        url: queue.url,
        arn: queue.arn,
        dead_letter_url: dead_letters.url,
    })
}

/// URL and ARN of a queue.
struct Created {
    url: String,
    arn: String,
}

async fn create_queue(
    client: &aws_sdk_sqs::Client,
    name: &str,
    definition: &QueueDefinition,
    redrive: Option<String>,
) -> Result<Created, EngineError> {
    let failed = |problem: String| EngineError::Request {
        what: format!("creating queue {name:?}"),
        problem,
    };
    let mut request = client
        .create_queue()
        .queue_name(name)
        .attributes(
            QueueAttributeName::VisibilityTimeout,
            definition
                .visibility_timeout
                .to_string(),
        )
        .attributes(
            QueueAttributeName::MessageRetentionPeriod,
            definition.retention.to_string(),
        );
    if let Some(policy) = redrive {
        request = request.attributes(QueueAttributeName::RedrivePolicy, policy);
    }
    let url = request
        .send()
        .await
        .map_err(|error| failed(problem(&error)))?
        .queue_url
        .ok_or_else(|| failed("the answer has no URL".to_owned()))?;
    let arn = client
        .get_queue_attributes()
        .queue_url(&url)
        .attribute_names(QueueAttributeName::QueueArn)
        .send()
        .await
        .map_err(|error| failed(problem(&error)))?
        .attributes
        .and_then(|mut attributes| attributes.remove(&QueueAttributeName::QueueArn))
        .ok_or_else(|| failed("the answer has no ARN".to_owned()))?;
    Ok(Created { url, arn })
}
