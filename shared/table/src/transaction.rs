use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete, Put, ReturnConsumedCapacity, TransactWriteItem, Update,
};
use model::base::{Error, random};

use crate::{
    Condition, IntoAttribute, Refused, Table, Write, back_off,
    expression::{condition_text, some, some_text, update_expression},
    failure::{WRITE_ID, cancelled, is_conflict, refused},
    item::key_item,
    meter::count_write,
    write::Operation,
    write_id::new_write_id,
};

impl Table {
    /// Sends one conditional write. The SDK may retry it after a lost answer: the write's id shows
    /// that a put or an update was done, and [`transact`](Self::transact) sends all others with a
    /// token.
    pub async fn write(&self, write: Write) -> Result<Result<(), Refused>, Error> {
        match &write.operation {
            Operation::Put(_) | Operation::Update(_) if write.texts.is_empty() => {
                let written = self
                    .write_returning(write, &new_write_id())
                    .await?;
                Ok(written.map(|_| ()))
            }
            _ => self.transact(vec![write]).await,
        }
    }

    /// Does all writes or none, at most 100. A retry after a lost answer has no second effect, and
    /// conflicts with other transactions are retried. A single put or update is sent without a
    /// transaction, which costs half. Long texts are written last, and are never refused.
    pub async fn transact(&self, writes: Vec<Write>) -> Result<Result<(), Refused>, Error> {
        self.transact_as(writes, &new_write_id())
            .await
    }

    /// As [`transact`](Self::transact), with the id of the write, which its items get.
    pub async fn transact_as(
        &self,
        mut writes: Vec<Write>,
        write_id: &str,
    ) -> Result<Result<(), Refused>, Error> {
        let texts = writes
            .iter()
            .flat_map(|write| write.texts.clone());
        let texts: Vec<_> = texts.collect();
        let now = self.clock.now();
        writes.extend(
            texts
                .into_iter()
                .map(|text| Write::of_text(text, now)),
        );
        if let [write] = writes.as_slice()
            && matches!(write.operation, Operation::Put(_) | Operation::Update(_))
        {
            let written = self
                .write_returning(write.clone(), write_id)
                .await?;
            return Ok(written.map(|_| ()));
        }
        let token = random::token();
        let items = writes.iter();
        let items = items.map(|write| self.transaction_item(write, write_id));
        let items = items.collect::<Result<Vec<_>, _>>()?;
        let mut attempt = 0;
        loop {
            let request = self
                .client
                .transact_write_items()
                .set_transact_items(Some(items.clone()))
                .client_request_token(&token)
                .return_consumed_capacity(ReturnConsumedCapacity::Total);
            let error = match Box::pin(request.send()).await {
                Ok(output) => {
                    count_write(
                        output
                            .consumed_capacity
                            .as_deref()
                            .unwrap_or_default(),
                    );
                    return Ok(Ok(()));
                }
                Err(error) => error,
            };
            if let Some(refused) = refused(&error) {
                return Ok(Err(refused));
            }
            attempt += 1;
            if !is_conflict(&error) || attempt == self.attempts {
                return Err(cancelled(error));
            }
            back_off(attempt).await;
        }
    }

    fn transaction_item(&self, write: &Write, id: &str) -> Result<TransactWriteItem, Error> {
        let Write {
            key,
            condition: Condition(condition),
            ..
        } = write;
        let built = TransactWriteItem::builder();
        let invalid = |error| Error::internal("building a transaction", error);
        Ok(match write.signed() {
            Operation::Put(item) => built.put(
                Put::builder()
                    .table_name(&*self.name)
                    .set_item(Some(item))
                    .item(WRITE_ID, id.into_attribute())
                    .set_condition_expression(some_text(&condition.text))
                    .set_expression_attribute_names(some(&condition.names))
                    .set_expression_attribute_values(some(&condition.values))
                    .build()
                    .map_err(invalid)?,
            ),
            Operation::Update(change) => {
                let change = change.set(WRITE_ID, id);
                let (text, names, values) = update_expression(&change, condition);
                built.update(
                    Update::builder()
                        .table_name(&*self.name)
                        .set_key(Some(key_item(key)))
                        .update_expression(text)
                        .set_condition_expression(some_text(&condition_text(condition)))
                        .set_expression_attribute_names(Some(names))
                        .set_expression_attribute_values(Some(values))
                        .build()
                        .map_err(invalid)?,
                )
            }
            Operation::Delete => built.delete(
                Delete::builder()
                    .table_name(&*self.name)
                    .set_key(Some(key_item(key)))
                    .set_condition_expression(some_text(&condition.text))
                    .set_expression_attribute_names(some(&condition.names))
                    .set_expression_attribute_values(some(&condition.values))
                    .build()
                    .map_err(invalid)?,
            ),
            Operation::Check => built.condition_check(
                ConditionCheck::builder()
                    .table_name(&*self.name)
                    .set_key(Some(key_item(key)))
                    .condition_expression(&condition.text)
                    .set_expression_attribute_names(some(&condition.names))
                    .set_expression_attribute_values(some(&condition.values))
                    .build()
                    .map_err(invalid)?,
            ),
        }
        .build())
    }
}
