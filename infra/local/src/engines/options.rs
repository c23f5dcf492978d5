//! Options of the engines: where each is, and the names of what it holds.

use std::path::PathBuf;

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

/// Options of the engines. By default both are in memory, on free ports.
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
            table_name: "workdesk".to_owned(),
            queue_prefix: "workdesk".to_owned(),
        }
    }
}
