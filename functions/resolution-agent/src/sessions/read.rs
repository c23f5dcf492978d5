use std::collections::BTreeMap;

use serde_json::Value;
use shared::endpoint::*;

/// A read of a target system and its result.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TargetRead, examples(json!({
    "name": "batch",
    "connection": "billing",
    "request": "GET /usage-batches/ub_1001",
    "status": 200,
    "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "facts": {"batch.state": "processing"},
    "excerpt": {"status": 200, "body": {"id": "ub_1001", "state": "processing"}},
    "error": null,
    "at": "2026-01-14T12:00:59.000Z"
})))]
#[serde(rename_all = "camelCase")]
pub struct ReadView {
    /// Name of the read; the names of its facts begin with it.
    name: String,
    connection: String,
    /// Request that was sent; null if none could be sent.
    #[schema(examples("GET /invoices/inv_1"))]
    request: Option<String>,
    /// HTTP status of the answer; null without an answer.
    #[schema(minimum = 100, maximum = 599, examples(200))]
    status: Option<i64>,
    /// SHA-256 of the answer's whole body, without secrets.
    hash: Option<String>,
    /// Facts by name: strings, numbers and booleans.
    #[schema(value_type = BTreeMap<String, Value>)]
    facts: BTreeMap<String, Value>,
    /// Kept excerpt of the answer; null 90 days after it.
    excerpt: Option<Excerpt>,
    /// Reason why there is no answer.
    error: Option<String>,
    at: Timestamp,
}

/// Returns the views of the reads of a session's newest analysis.
pub fn of(session: &AgentSession, excerpts: &Excerpts) -> Vec<ReadView> {
    let view = |read: &ReadEvidence| ReadView {
        name: read.name.clone(),
        connection: read.connection.clone(),
        request: read.request.clone(),
        status: read.status.map(i64::from),
        hash: read.hash.clone(),
        facts: read.facts.0.clone(),
        excerpt: excerpts.get(read.excerpt_hash.as_ref()).cloned(),
        error: read.error.clone(),
        at: read.at,
    };
    session.analysis.reads.iter().map(view).collect()
}
