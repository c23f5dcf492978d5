//! Options of the engines: where each is, and the names of what it holds.

use std::{fmt, path::PathBuf};

use shared::random;

/// The DynamoDB that holds the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableEngine {
    /// In this process, in memory.
    Memory,
    /// In this process, kept in an SQLite file.
    File(PathBuf),
    /// In another process, at this URL.
    At(String),
}

/// The SQS that holds the queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueEngine {
    /// In this process, in memory.
    Memory,
    /// In another process, at this URL.
    At(String),
}

/// The key of the key management service. It shows nothing when it is formatted.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretsKey(pub [u8; 32]);

impl fmt::Debug for SecretsKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretsKey")
    }
}

/// Options of the engines. By default all are in memory, on free ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// DynamoDB of the table.
    pub table_engine: TableEngine,
    /// Port of the embedded DynamoDB; 0 takes a free one.
    pub dynamodb_port: u16,
    /// SQS of the queues.
    pub queue_engine: QueueEngine,
    /// Port of the embedded SQS; 0 takes a free one.
    pub sqs_port: u16,
    /// Key of the key management service; a new one by default.
    pub secrets_key: SecretsKey,
    /// Name of the table.
    pub table_name: String,
    /// Prefix of both queues' names.
    pub queue_prefix: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            table_engine: TableEngine::Memory,
            dynamodb_port: 0,
            queue_engine: QueueEngine::Memory,
            sqs_port: 0,
            secrets_key: SecretsKey(random::bytes()),
            table_name: "workdesk".to_owned(),
            queue_prefix: "workdesk".to_owned(),
        }
    }
}
