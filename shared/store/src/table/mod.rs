//! The table's client: typed reads, conditional writes and transactions. Handlers never see an
//! [`AttributeValue`]; only the files of [`super`] do.

mod batch;
mod expression;
mod failure;
mod item;
mod query;
mod write;

pub(crate) use batch::Batch;
pub(crate) use expression::{Change, Condition};
pub(crate) use item::{IntoAttribute, Item, Record, attribute};
pub(crate) use query::{Query, Read};
pub(crate) use write::{Refused, Write};

pub use item::Stored;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use aws_sdk_dynamodb::{
    Client,
    operation::update_item::UpdateItemOutput,
    types::{
        ConditionCheck, ConsumedCapacity, Delete, KeysAndAttributes, Put, ReturnConsumedCapacity,
        ReturnValue, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
    },
};
use model::{Error, random};
use serde::de::DeserializeOwned;

use self::{
    expression::{condition_text, some, some_text, update_expression},
    failure::{Single, WRITE_ID, failure, is_conflict, refused, single, unavailable, wrote},
    item::{key_item, key_of, stored},
    write::What,
};
use super::{
    key::{AnyKey, Index, Key, List},
    meter,
};

/// How often a write is tried while others keep writing the same items.
const ATTEMPTS: u32 = 6;

/// The table.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    client: Client,
    name: Arc<str>,
}

impl Table {
    pub(crate) fn new(client: Client, name: &str) -> Self {
        Self {
            client,
            name: name.into(),
        }
    }

    /// One record.
    pub(crate) async fn get<R: DeserializeOwned>(
        &self,
        key: &Key<R>,
        read: Read,
    ) -> Result<Option<Stored<R>>, Error> {
        let request = self
            .client
            .get_item()
            .table_name(&*self.name)
            .set_key(Some(key_item(key.as_ref())))
            .consistent_read(read == Read::Consistent)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        // The SDK's futures are large; on the heap, several fit beside each other into one.
        let sent = Box::pin(request.send()).await;
        let output = sent.map_err(failure)?;
        meter(output.consumed_capacity.as_slice());
        output.item.map(stored).transpose()
    }

    /// Several records at once; keys that stand twice are read once. At most 100 keys a request,
    /// and the requests run at the same time.
    pub(crate) async fn batch_get(
        &self,
        keys: impl IntoIterator<Item = impl Into<AnyKey>>,
        read: Read,
    ) -> Result<Batch, Error> {
        let keys: HashSet<AnyKey> = keys.into_iter().map(Into::into).collect();
        let keys: Vec<AnyKey> = keys.into_iter().collect();
        let some = keys
            .chunks(100)
            .map(|keys| self.batch_get_some(keys.to_vec(), read));
        let found = futures::future::try_join_all(some).await?;
        Ok(Batch(found.into_iter().flatten().collect()))
    }

    /// The items of at most 100 keys.
    async fn batch_get_some(
        &self,
        mut keys: Vec<AnyKey>,
        read: Read,
    ) -> Result<HashMap<AnyKey, Item>, Error> {
        let mut found = HashMap::with_capacity(keys.len());
        let mut attempt = 0;
        while !keys.is_empty() {
            let wanted = KeysAndAttributes::builder()
                .set_keys(Some(keys.iter().map(key_item).collect()))
                .consistent_read(read == Read::Consistent)
                .build()
                .map_err(|error| Error::internal("building a batch read", error))?;
            let request = self
                .client
                .batch_get_item()
                .request_items(&*self.name, wanted)
                .return_consumed_capacity(ReturnConsumedCapacity::Total);
            let output = Box::pin(request.send()).await.map_err(failure)?;
            meter(output.consumed_capacity.as_deref().unwrap_or_default());
            for item in output.responses.into_iter().flatten().flat_map(|(_, i)| i) {
                if let Some(key) = key_of(&item) {
                    found.insert(key, item);
                }
            }
            // The table answers what it has capacity and room for, and names the rest.
            let unread: Vec<AnyKey> = output
                .unprocessed_keys
                .iter()
                .flatten()
                .flat_map(|(_, left)| left.keys())
                .filter_map(key_of)
                .collect();
            if unread.len() == keys.len() {
                attempt += 1;
                if attempt == ATTEMPTS {
                    return Err(unavailable("the table processed no key of a batch read"));
                }
                back_off(attempt).await;
            }
            keys = unread;
        }
        Ok(found)
    }

    /// The records of a list, up to its limit, page after page.
    pub(crate) async fn list<R: DeserializeOwned, I: Index>(
        &self,
        list: List<R, I>,
    ) -> Result<Vec<R>, Error> {
        let stored = self.list_stored(list).await?;
        Ok(stored.into_iter().map(|stored| stored.record).collect())
    }

    /// As [`list`](Self::list), for records that are written again.
    pub(crate) async fn list_stored<R: DeserializeOwned, I: Index>(
        &self,
        list: List<R, I>,
    ) -> Result<Vec<Stored<R>>, Error> {
        let items = self.query(list.query).await?;
        items.into_iter().map(stored).collect()
    }

    async fn query(&self, query: Query) -> Result<Vec<Item>, Error> {
        let mut expression = query.filter.clone().unwrap_or_default().0;
        let filter = (!expression.text.is_empty()).then(|| expression.text.clone());
        let [pk, sk] = query.names;
        let mut condition =
            expression.clause("# = :", pk, [query.partition.as_str().into_attribute()]);
        if let Some((first, last)) = &query.range {
            let last = last.as_str().into_attribute();
            condition.push_str(" AND ");
            condition.push_str(&match first {
                Some(first) => {
                    let range = [first.as_str().into_attribute(), last];
                    expression.clause("# BETWEEN : AND :", sk, range)
                }
                None => expression.clause("# <= :", sk, [last]),
            });
        }
        // A page's limit counts what is filtered out as well. Ten times the rows that are wanted
        // end a search of common words early; after that, pages are as large as they get.
        let mut filtered_page = Some(query.limit.saturating_mul(10));
        let mut items = Vec::new();
        let mut start = None;
        loop {
            let page = query.limit - items.len();
            let rows = if filter.is_some() {
                filtered_page.take()
            } else {
                Some(page)
            };
            let request = self
                .client
                .query()
                .table_name(&*self.name)
                .set_index_name(query.index.map(str::to_owned))
                .key_condition_expression(&condition)
                .set_filter_expression(filter.clone())
                .set_expression_attribute_names(Some(expression.names.clone()))
                .set_expression_attribute_values(Some(expression.values.clone()))
                .scan_index_forward(!query.descending)
                .consistent_read(query.read == Read::Consistent)
                .set_limit(rows.map(|rows| i32::try_from(rows).unwrap_or(i32::MAX)))
                .set_exclusive_start_key(start)
                .return_consumed_capacity(ReturnConsumedCapacity::Total);
            let sent = Box::pin(request.send()).await;
            let output = sent.map_err(failure)?;
            meter(output.consumed_capacity.as_slice());
            items.extend(output.items.into_iter().flatten().take(page));
            start = output.last_evaluated_key;
            if start.is_none() || items.len() >= query.limit {
                return Ok(items);
            }
        }
    }

    /// One conditional write. A put or an update that the SDK repeats after a lost answer is
    /// recognised as done by the write's id; a delete goes through [`transact`](Self::transact),
    /// whose token does the same.
    pub(crate) async fn write(&self, write: Write) -> Result<Result<(), Refused>, Error> {
        match &write.what {
            What::Put(_) | What::Update(_) => Ok(self.write_returning(write).await?.map(|_| ())),
            What::Delete | What::Check => self.transact(vec![write]).await,
        }
    }

    /// A single update or put; an update answers the attributes that it changed, as they are now.
    async fn write_returning(&self, write: Write) -> Result<Result<Item, Refused>, Error> {
        let write_id = random::token();
        let mut attempt = 0;
        loop {
            match self.send_single(&write, &write_id).await {
                Ok(item) => return Ok(Ok(item)),
                Err(Single::Refused(item)) if wrote(item.as_ref(), &write_id) => {
                    return Ok(Ok(item.unwrap_or_default()));
                }
                Err(Single::Refused(_)) => return Ok(Err(Refused { failed: vec![true] })),
                Err(Single::Conflict(_)) if attempt + 1 < ATTEMPTS => {
                    attempt += 1;
                    back_off(attempt).await;
                }
                Err(Single::Conflict(error) | Single::Failed(error)) => return Err(error),
            }
        }
    }

    async fn send_single(&self, write: &Write, write_id: &str) -> Result<Item, Single> {
        let condition = &write.condition.0;
        match &write.what {
            What::Put(item) => {
                let request = self
                    .client
                    .put_item()
                    .table_name(&*self.name)
                    .set_item(Some(item.clone()))
                    .item(WRITE_ID, write_id.into_attribute())
                    .set_condition_expression(some_text(&condition.text))
                    .set_expression_attribute_names(some(&condition.names))
                    .set_expression_attribute_values(some(&condition.values))
                    .return_values_on_condition_check_failure(
                        ReturnValuesOnConditionCheckFailure::AllOld,
                    )
                    .return_consumed_capacity(ReturnConsumedCapacity::Total);
                let output = Box::pin(request.send()).await.map_err(|error| {
                        let item = match error.as_service_error() {
                            Some(aws_sdk_dynamodb::operation::put_item::PutItemError::ConditionalCheckFailedException(failed)) => failed.item.clone(),
                            _ => None,
                        };
                        single(error, item)
                    })?;
                meter(output.consumed_capacity.as_slice());
                Ok(Item::new())
            }
            What::Update(change) => {
                let change = change.clone().set(WRITE_ID, write_id);
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
                    .return_values_on_condition_check_failure(
                        ReturnValuesOnConditionCheckFailure::AllOld,
                    )
                    .return_consumed_capacity(ReturnConsumedCapacity::Total);
                let output: UpdateItemOutput = Box::pin(request.send()).await.map_err(|error| {
                        let item = match error.as_service_error() {
                            Some(aws_sdk_dynamodb::operation::update_item::UpdateItemError::ConditionalCheckFailedException(failed)) => failed.item.clone(),
                            _ => None,
                        };
                        single(error, item)
                    })?;
                meter(output.consumed_capacity.as_slice());
                Ok(output.attributes.unwrap_or_default())
            }
            What::Delete | What::Check => Err(Single::Failed(Error::internal(
                "a single write",
                "deletes and checks go through a transaction",
            ))),
        }
    }

    /// Adds to a number of an item, which need not be there, and answers the sum.
    pub(crate) async fn add(&self, key: AnyKey, name: &str, by: i64) -> Result<i64, Error> {
        let write = Write::update(key, Change::default().add(name, by), Condition::default());
        let attributes = self.write_returning(write).await?.unwrap_or_default();
        attributes
            .get(name)
            .and_then(|value| value.as_n().ok())
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| Error::internal("adding to a number", "the table answered no number"))
    }

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
            if !is_conflict(&error) || attempt == ATTEMPTS {
                return Err(failure(error));
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

/// Waits a random time that doubles with every attempt: up to 20 ms, then 40, then 80.
async fn back_off(attempt: u32) {
    let most = 10_u64 << attempt.min(6);
    tokio::time::sleep(Duration::from_millis(1 + random::below(most))).await;
}

fn meter(consumed: &[ConsumedCapacity]) {
    let units = consumed.iter().filter_map(ConsumedCapacity::capacity_units);
    meter::count(units.sum());
}
