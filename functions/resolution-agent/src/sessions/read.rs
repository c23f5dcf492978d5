//! What was read of target systems for an analysis, as the API answers it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use shared::model::{AgentSession, ReadEvidence, Timestamp};
use utoipa::ToSchema;

use super::view::TargetResponse;

/// A read of a target system, and what it came to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TargetRead)]
#[serde(rename_all = "camelCase")]
pub struct ReadView {
    /// Its name, with which those of its facts begin.
    name: String,
    /// The connection that it was to go through.
    connection: String,
    /// What was sent; null if nothing could be.
    #[schema(examples("GET /invoices/inv_1"))]
    request: Option<String>,
    /// The answer's HTTP status; null without an answer.
    #[schema(minimum = 100, maximum = 599, examples(200))]
    status: Option<i64>,
    /// SHA-256 of the answer's body without secrets and private members.
    hash: Option<String>,
    /// What is known by it: texts, numbers and truth values.
    #[schema(value_type = BTreeMap<String, Value>)]
    facts: BTreeMap<String, Value>,
    /// The answer without secrets and private members, up to 4 KiB.
    excerpt: Option<TargetResponse>,
    /// Why there is no answer.
    error: Option<String>,
    /// When.
    at: Timestamp,
}

/// Those of a session's newest analysis.
pub fn of(session: &AgentSession) -> Vec<ReadView> {
    session.reads.iter().map(ReadView::from).collect()
}

impl From<&ReadEvidence> for ReadView {
    fn from(read: &ReadEvidence) -> Self {
        let facts = read.facts.0.iter();
        Self {
            name: read.name.clone(),
            connection: read.connection.clone(),
            request: read.request.clone(),
            status: read.status.map(i64::from),
            hash: read.hash.clone(),
            facts: facts
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect(),
            excerpt: read.excerpt.clone().map(Into::into),
            error: read.error.clone(),
            at: read.at,
        }
    }
}
