//! Batches of messages as Lambda events, and the function's answer to them.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_sqs::types::{Message, MessageAttributeValue};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::engines::REGION;

/// Returns the event that Lambda sends for these messages.
pub(super) fn event(messages: &[Message], queue_arn: &str) -> Value {
    let records: Vec<Value> = messages
        .iter()
        .map(|message| {
            let attributes: Map<String, Value> = message
                .attributes()
                .into_iter()
                .flatten()
                .map(|(name, value)| (name.as_str().to_owned(), json!(value)))
                .collect();
            json!({
                "messageId": message.message_id(),
                "receiptHandle": message.receipt_handle(),
                "body": message.body(),
                "attributes": attributes,
                "messageAttributes": message_attributes(message.message_attributes()),
                "md5OfBody": message.md5_of_body(),
                "eventSource": "aws:sqs",
                "eventSourceARN": queue_arn,
                "awsRegion": REGION,
            })
        })
        .collect();
    json!({ "Records": records })
}

/// Returns the message attributes: strings and numbers, since binary ones are not used.
fn message_attributes(
    attributes: Option<&HashMap<String, MessageAttributeValue>>,
) -> Map<String, Value> {
    attributes
        .into_iter()
        .flatten()
        .map(|(name, value)| {
            let value = json!({
                "stringValue": value.string_value(),
                "stringListValues": [],
                "binaryListValues": [],
                "dataType": value.data_type(),
            });
            (name.clone(), value)
        })
        .collect()
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Answer {
    batch_item_failures: Option<Vec<Failure>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Failure {
    item_identifier: String,
}

/// An invalid answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error("the function's answer is malformed: {0}")]
    Malformed(#[from] serde_json::Error),
    #[error("the function names {0:?}, which is not in the batch")]
    NotInBatch(String),
}

/// Returns the ids of the messages or records that the function reports as failed.
///
/// Follows Lambda's rules. An empty answer, null, an empty object, and an absent, null or empty
/// list mean success. A malformed answer, or one that names a message outside of the batch, is an
/// error: the whole batch failed.
pub(crate) fn failures(answer: &[u8], batch: &[&str]) -> Result<BTreeSet<String>, Unreadable> {
    if answer.trim_ascii().is_empty() {
        return Ok(BTreeSet::new());
    }
    let answer: Option<Answer> = serde_json::from_slice(answer)?;
    let mut failed = BTreeSet::new();
    for failure in answer
        .unwrap_or_default()
        .batch_item_failures
        .unwrap_or_default()
    {
        let id = failure.item_identifier;
        if !batch.contains(&id.as_str()) {
            return Err(Unreadable::NotInBatch(id));
        }
        failed.insert(id);
    }
    Ok(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BATCH: [&str; 3] = ["a", "b", "c"];

    fn failed(answer: &str) -> Option<Vec<String>> {
        failures(answer.as_bytes(), &BATCH)
            .ok()
            .map(|failed| failed.into_iter().collect())
    }

    #[test]
    fn an_answer_without_failures_is_success() {
        for answer in [
            "",
            "\n",
            "null",
            "{}",
            "{\"batchItemFailures\":null}",
            "{\"batchItemFailures\":[]}",
            "{\"other\":1}",
        ] {
            assert_eq!(failed(answer), Some(vec![]), "{answer}");
        }
    }

    #[test]
    fn only_the_named_messages_fail() {
        let answer = r#"{"batchItemFailures":[{"itemIdentifier":"c"},{"itemIdentifier":"a"},{"itemIdentifier":"c"}]}"#;
        assert_eq!(failed(answer), Some(vec!["a".to_owned(), "c".to_owned()]));
    }

    #[test]
    fn an_answer_that_cannot_be_trusted_fails_the_batch() {
        for answer in [
            "<html>",
            "\"done\"",
            "{\"batchItemFailures\":7}",
            "{\"batchItemFailures\":[{}]}",
            "{\"batchItemFailures\":[{\"id\":\"a\"}]}",
            "{\"batchItemFailures\":[{\"itemIdentifier\":null}]}",
            "{\"batchItemFailures\":[{\"itemIdentifier\":\"\"}]}",
            "{\"batchItemFailures\":[{\"itemIdentifier\":\"a\"},{\"itemIdentifier\":\"z\"}]}",
        ] {
            assert_eq!(failed(answer), None, "{answer}");
        }
    }
}
