//! Batches of puts and deletes without conditions.

use aws_sdk_dynamodb::types::{DeleteRequest, PutRequest, ReturnConsumedCapacity, WriteRequest};
use model::base::Error;

use crate::{
    Table, Write, back_off, client::ATTEMPTS, failure::failure, item::key_item, meter::count_write,
    unavailable, write::Operation,
};

const MOST: usize = 25;

impl Table {
    /// Sends puts and deletes of different items, 25 a request, one request after another. They
    /// have no conditions, so only writes that are harmless when repeated. After an error, some may
    /// be done.
    pub async fn write_batch(&self, writes: Vec<Write>) -> Result<(), Error> {
        let requests: Vec<WriteRequest> = writes
            .iter()
            .map(request)
            .collect::<Result<_, _>>()?;
        for some in requests.chunks(MOST) {
            self.write_some(some.to_vec()).await?;
        }
        Ok(())
    }

    /// Sends at most 25 writes, in as many requests as the table needs.
    async fn write_some(&self, mut writes: Vec<WriteRequest>) -> Result<(), Error> {
        let mut attempt = 0;
        loop {
            let wanted = writes.len();
            let request = self
                .client
                .batch_write_item()
                .request_items(&*self.name, writes)
                .return_consumed_capacity(ReturnConsumedCapacity::Total);
            let output = Box::pin(request.send())
                .await
                .map_err(failure)?;
            count_write(
                output
                    .consumed_capacity
                    .as_deref()
                    .unwrap_or_default(),
            );
            let left = output
                .unprocessed_items
                .into_iter()
                .flatten();
            writes = left
                .flat_map(|(_, writes)| writes)
                .collect();
            if writes.is_empty() {
                return Ok(());
            }
            if writes.len() == wanted {
                attempt += 1;
                if attempt == ATTEMPTS {
                    return Err(unavailable("the table processed no write of a batch"));
                }
            }
            back_off(attempt.max(1)).await;
        }
    }
}

fn request(write: &Write) -> Result<WriteRequest, Error> {
    let invalid = |error: model::base::Source| Error::internal("building a batch of writes", error);
    let request = WriteRequest::builder();
    Ok(match write.signed() {
        Operation::Put(item) if write.condition.is_empty() => {
            let put = PutRequest::builder()
                .set_item(Some(item))
                .build();
            request.put_request(put.map_err(|error| invalid(error.into()))?)
        }
        Operation::Delete if write.condition.is_empty() => {
            let key = Some(key_item(&write.key));
            let delete = DeleteRequest::builder()
                .set_key(key)
                .build();
            request.delete_request(delete.map_err(|error| invalid(error.into()))?)
        }
        _ => return Err(invalid("a batch has unconditional puts and deletes".into())),
    }
    .build())
}
