//! The stream of a table, over DynamoDB's wire protocol: its records are those of Lambda's events.

use reqwest::{
    Client,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use serde_json::{Value, json};

use super::{ACCESS_KEY_ID, EngineError, REGION};

/// A reader of a table's stream. The engine has one shard for a table.
#[derive(Debug)]
pub struct Stream {
    http: Client,
    url: String,
    table: String,
    /// The sequence number after which it begins; at the oldest record without one.
    after: Option<String>,
    /// The place of the next record, once it was read from.
    iterator: Option<String>,
}

impl Stream {
    pub(super) fn new(url: &str, table: &str, after: Option<String>) -> Result<Self, EngineError> {
        let http = Client::builder().no_proxy().build();
        Ok(Self {
            http: http.map_err(|error| failed(table, &error))?,
            url: url.to_owned(),
            table: table.to_owned(),
            after,
            iterator: None,
        })
    }

    /// Returns the next records, at most `most`; none at the end of the stream.
    pub async fn next(&mut self, most: usize) -> Result<Vec<Value>, EngineError> {
        let iterator = match self.iterator.take() {
            Some(iterator) => iterator,
            None => self.begin().await?,
        };
        let request = json!({"ShardIterator": &iterator, "Limit": most});
        let mut answer = match self.call("GetRecords", &request).await {
            Ok(answer) => answer,
            Err(error) => {
                self.iterator = Some(iterator);
                return Err(error);
            }
        };
        let next = answer["NextShardIterator"].as_str();
        self.iterator = Some(next.map_or(iterator, str::to_owned));
        match answer["Records"].take() {
            Value::Array(records) => Ok(records),
            _ => Err(self.lacks("Records")),
        }
    }

    /// Returns the sequence number of a record.
    pub fn position(record: &Value) -> Option<&str> {
        record["dynamodb"]["SequenceNumber"].as_str()
    }

    async fn begin(&self) -> Result<String, EngineError> {
        let request = json!({"TableName": self.table});
        let streams = self
            .call("ListStreams", &request)
            .await?;
        let arn = self.text(&streams["Streams"][0], "StreamArn")?;
        let stream = self
            .call("DescribeStream", &json!({"StreamArn": arn}))
            .await?;
        let shard = &stream["StreamDescription"]["Shards"][0];
        let mut request = json!({
            "StreamArn": arn, "ShardId": self.text(shard, "ShardId")?,
            "ShardIteratorType": "TRIM_HORIZON",
        });
        if let Some(after) = &self.after {
            request["ShardIteratorType"] = json!("AFTER_SEQUENCE_NUMBER");
            request["SequenceNumber"] = json!(after);
        }
        let begin = self
            .call("GetShardIterator", &request)
            .await?;
        self.text(&begin, "ShardIterator")
    }

    async fn call(&self, action: &str, body: &Value) -> Result<Value, EngineError> {
        // The engines want a signature, and check none.
        let scope = format!("{ACCESS_KEY_ID}/20260101/{REGION}/dynamodb/aws4_request");
        let signature = format!(
            "AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host;x-amz-date, Signature=0"
        );
        let request = self
            .http
            .post(&self.url)
            .header("x-amz-target", format!("DynamoDBStreams_20120810.{action}"))
            .header("x-amz-date", "20260101T000000Z")
            .header(CONTENT_TYPE, "application/x-amz-json-1.0")
            .header(AUTHORIZATION, signature)
            .body(body.to_string());
        let sent = async {
            let answer = request
                .send()
                .await?
                .error_for_status()?;
            answer.bytes().await
        };
        let answer = sent
            .await
            .map_err(|error| failed(&self.table, &error))?;
        serde_json::from_slice(&answer).map_err(|error| failed(&self.table, &error))
    }

    fn text(&self, value: &Value, name: &str) -> Result<String, EngineError> {
        let text = value[name].as_str().map(str::to_owned);
        text.ok_or_else(|| self.lacks(name))
    }

    fn lacks(&self, name: &str) -> EngineError {
        failed(&self.table, &format!("an answer lacks {name}"))
    }
}

fn failed(table: &str, problem: &dyn ToString) -> EngineError {
    EngineError::Request {
        what: format!("the stream of table {table:?}"),
        problem: problem.to_string(),
    }
}
