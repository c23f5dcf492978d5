//! Puts and updates outside of a transaction.

use aws_sdk_dynamodb::{
    operation::{
        put_item::{PutItemError, builders::PutItemFluentBuilder},
        update_item::UpdateItemError,
    },
    types::{ReturnConsumedCapacity, ReturnValue, ReturnValuesOnConditionCheckFailure},
};
use model::base::Error;

use crate::{
    AnyKey, Condition, IntoAttribute, Refused, Table, UpdateExpression, Write,
    attribute::Item,
    back_off,
    expression::{condition_text, some, some_text, update_expression},
    failure::{Single, WRITE_ID, single, wrote},
    item::key_item,
    meter::count_write,
    write::Operation,
    write_id::new_write_id,
};

impl Table {
    /// Sends a put or an update. An update returns the new values of the attributes that it
    /// changed.
    pub(crate) async fn write_returning(
        &self,
        write: Write,
        write_id: &str,
    ) -> Result<Result<Item, Refused>, Error> {
        let mut attempt = 0;
        loop {
            match self.send_single(&write, write_id).await {
                Ok(item) => return Ok(Ok(item)),
                Err(Single::Refused(item)) if wrote(item.as_ref(), write_id) => {
                    return Ok(Ok(item.unwrap_or_default()));
                }
                Err(Single::Refused(_)) => return Ok(Err(Refused { failed: vec![true] })),
                Err(Single::Conflict(_)) if attempt + 1 < self.attempts => {
                    attempt += 1;
                    back_off(attempt).await;
                }
                Err(Single::Conflict(error) | Single::Failed(error)) => return Err(error),
            }
        }
    }

    async fn send_single(&self, write: &Write, write_id: &str) -> Result<Item, Single> {
        let item_if_refused = ReturnValuesOnConditionCheckFailure::AllOld;
        match write.signed() {
            Operation::Put(item) => {
                let request = self
                    .put_request(item, write_id, &write.condition)
                    .return_values_on_condition_check_failure(item_if_refused);
                let sent = Box::pin(request.send()).await;
                let output = sent.map_err(|error| match error.as_service_error() {
                    Some(PutItemError::ConditionalCheckFailedException(failed)) => {
                        Single::Refused(failed.item.clone())
                    }
                    _ => single(error),
                })?;
                count_write(output.consumed_capacity.as_slice());
                Ok(Item::new())
            }
            Operation::Update(change) => {
                let condition = &write.condition.0;
                let change = change.set(WRITE_ID, write_id);
                let (text, names, values) = update_expression(&change, condition);
                let request = self
                    .client
                    .update_item()
                    .table_name(&*self.name)
                    .set_key(Some(key_item(&write.key)))
                    .update_expression(text)
                    .set_condition_expression(some_text(&condition_text(condition)))
                    .set_expression_attribute_names(Some(names))
                    .set_expression_attribute_values(Some(values))
                    .return_values(ReturnValue::UpdatedNew)
                    .return_values_on_condition_check_failure(item_if_refused)
                    .return_consumed_capacity(ReturnConsumedCapacity::Total);
                let sent = Box::pin(request.send()).await;
                let output = sent.map_err(|error| match error.as_service_error() {
                    Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
                        Single::Refused(failed.item.clone())
                    }
                    _ => single(error),
                })?;
                count_write(output.consumed_capacity.as_slice());
                Ok(output.attributes.unwrap_or_default())
            }
            Operation::Delete | Operation::Check => Err(Single::Failed(Error::internal(
                "a single write",
                "deletes and checks go through a transaction",
            ))),
        }
    }

    /// The put of an item with its write's id, under the condition.
    pub(crate) fn put_request(
        &self,
        item: Item,
        write_id: &str,
        Condition(condition): &Condition,
    ) -> PutItemFluentBuilder {
        self.client
            .put_item()
            .table_name(&*self.name)
            .set_item(Some(item))
            .item(WRITE_ID, write_id.into_attribute())
            .set_condition_expression(some_text(&condition.text))
            .set_expression_attribute_names(some(&condition.names))
            .set_expression_attribute_values(some(&condition.values))
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
    }

    /// Adds to a number of an item, with a change of other attributes, and returns the sum. Creates
    /// the item if there is none.
    pub async fn add(
        &self,
        key: impl Into<AnyKey>,
        name: &str,
        by: i64,
        change: UpdateExpression,
    ) -> Result<i64, Error> {
        let always = Condition::default();
        let sum = self
            .add_where(key, name, by, change, always)
            .await?;
        sum.map_err(|_| Error::internal("adding to a number", "the table refused"))
    }

    /// As [`add`](Self::add), if the item fulfils the condition.
    pub async fn add_where(
        &self,
        key: impl Into<AnyKey>,
        name: &str,
        by: i64,
        change: UpdateExpression,
        condition: Condition,
    ) -> Result<Result<i64, Refused>, Error> {
        let write = Write::update(key, change.add(name, by), condition);
        let attributes = match self
            .write_returning(write, &new_write_id())
            .await?
        {
            Ok(attributes) => attributes,
            Err(refused) => return Ok(Err(refused)),
        };
        let sum = attributes
            .get(name)
            .and_then(|value| value.as_n().ok()?.parse().ok());
        let no_number = || Error::internal("adding to a number", "the table answered no number");
        sum.ok_or_else(no_number).map(Ok)
    }
}
