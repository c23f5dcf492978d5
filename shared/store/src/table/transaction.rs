//! Transactions.

use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete, Put, ReturnConsumedCapacity, TransactWriteItem, Update,
};
use model::{Error, random};

use super::{
    Condition, Refused, Table, Write, back_off,
    expression::{condition_text, some, some_text, update_expression},
    failure::{cancelled, is_conflict, refused},
    item::key_item,
    meter,
    write::What,
};

impl Table {
    /// All writes or none, at most 100. A repeat after a lost answer does nothing twice, and
    /// conflicts with other transactions are tried again. A put or an update that is alone costs
    /// half without a transaction, and is sent without one.
    pub(crate) async fn transact(&self, writes: Vec<Write>) -> Result<Result<(), Refused>, Error> {
        if let [write] = writes.as_slice()
            && matches!(write.what, What::Put(_) | What::Update(_))
        {
            return Ok(self.write_returning(write.clone()).await?.map(|_| ()));
        }
        let token = random::token();
        let items = writes
            .iter()
            .map(|write| self.transaction_item(write))
            .collect::<Result<Vec<_>, _>>()?;
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
                    meter(output.consumed_capacity.as_deref().unwrap_or_default());
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

    fn transaction_item(&self, write: &Write) -> Result<TransactWriteItem, Error> {
        let Write {
            key,
            what,
            condition: Condition(condition),
        } = write;
        let built = TransactWriteItem::builder();
        let invalid = |error| Error::internal("building a transaction", error);
        Ok(match what {
            What::Put(item) => built.put(
                Put::builder()
                    .table_name(&*self.name)
                    .set_item(Some(item.clone()))
                    .set_condition_expression(some_text(&condition.text))
                    .set_expression_attribute_names(some(&condition.names))
                    .set_expression_attribute_values(some(&condition.values))
                    .build()
                    .map_err(invalid)?,
            ),
            What::Update(change) => {
                let (text, names, values) = update_expression(change, condition);
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
            What::Delete => built.delete(
                Delete::builder()
                    .table_name(&*self.name)
                    .set_key(Some(key_item(key)))
                    .set_condition_expression(some_text(&condition.text))
                    .set_expression_attribute_names(some(&condition.names))
                    .set_expression_attribute_values(some(&condition.values))
                    .build()
                    .map_err(invalid)?,
            ),
            What::Check => built.condition_check(
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
