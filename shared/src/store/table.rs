//! The table's client: typed reads, conditional writes and transactions. Handlers never see an
//! [`AttributeValue`]; only the files of [`super`] do.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
    sync::Arc,
    time::Duration,
};

use aws_sdk_dynamodb::{
    Client,
    error::{ProvideErrorMetadata, SdkError},
    operation::{transact_write_items::TransactWriteItemsError, update_item::UpdateItemOutput},
    types::{
        AttributeValue, ConditionCheck, ConsumedCapacity, Delete, KeysAndAttributes, Put,
        ReturnConsumedCapacity, ReturnValue, ReturnValuesOnConditionCheckFailure,
        TransactWriteItem, Update,
    },
};
use serde::{Serialize, de::DeserializeOwned};

use super::key::Key;
use crate::{Error, model::Id, random, telemetry};

/// What the table holds under a key.
pub(super) type Item = HashMap<String, AttributeValue>;

/// The attribute that tells a write of ours, repeated after a lost answer, from somebody else's.
const WRITE_ID: &str = "writeId";

/// How often a write is tried while others keep writing the same items.
const ATTEMPTS: u32 = 6;

/// A record that the table holds: how it is keyed.
pub(super) trait Record: Serialize + DeserializeOwned {
    /// Stands in every item as `kind`.
    const KIND: &'static str;

    /// Where it lives.
    fn key(&self) -> Key;

    /// Its place in `gsi1`, if it has one.
    fn gsi1(&self) -> Option<Key> {
        None
    }

    /// Its place in `gsi2`, if it has one.
    fn gsi2(&self) -> Option<Key> {
        None
    }

    /// When the table may drop it, in seconds since the Unix epoch. TTL lags by days, so readers
    /// check for themselves.
    fn expires_at(&self) -> Option<i64> {
        None
    }
}

/// A record as it was read, with the version that the next write of it expects.
#[derive(Clone, Debug)]
pub struct Stored<T> {
    /// The record.
    pub record: T,
    /// Raised by one with every write.
    pub version: i64,
}

impl<T> std::ops::Deref for Stored<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.record
    }
}

/// How fresh a read has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// All writes before it are seen.
    Consistent,
    /// Half the price; the newest writes may be missing.
    Eventual,
}

/// Which keys a query reads.
#[derive(Clone, Debug)]
pub(super) struct Query {
    index: Option<&'static str>,
    partition: String,
    /// First and last sort key, both included.
    range: Option<(String, String)>,
    descending: bool,
    read: Read,
    limit: usize,
    filter: Option<Condition>,
}

impl Query {
    /// The most rows that a list without `limit` holds.
    pub(super) const MOST: usize = 1_000;

    /// The items of a partition of the table, by sort key.
    pub(super) fn table(partition: String) -> Self {
        Self {
            index: None,
            partition,
            range: None,
            descending: false,
            read: Read::Eventual,
            limit: Self::MOST,
            filter: None,
        }
    }

    /// The items of a partition of `gsi1`.
    pub(super) fn gsi1(partition: String) -> Self {
        Self {
            index: Some("gsi1"),
            ..Self::table(partition)
        }
    }

    /// The items of a partition of `gsi2`.
    pub(super) fn gsi2(partition: String) -> Self {
        Self {
            index: Some("gsi2"),
            ..Self::table(partition)
        }
    }

    /// Only sort keys from `first` to `last`, both included.
    pub(super) fn between(mut self, first: impl Into<String>, last: impl Into<String>) -> Self {
        self.range = Some((first.into(), last.into()));
        self
    }

    /// The largest sort key first.
    pub(super) const fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// See all earlier writes; not for an index.
    pub(super) const fn consistent(mut self) -> Self {
        self.read = Read::Consistent;
        self
    }

    /// At most so many rows.
    pub(super) const fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Only rows that fit; what does not fit is read and paid for all the same.
    pub(super) fn filter(mut self, filter: Condition) -> Self {
        self.filter = Some(filter);
        self
    }
}

/// What a write expects of the item that is there. Clauses are joined by AND.
#[derive(Clone, Debug, Default)]
pub(super) struct Condition(Expression);

impl Condition {
    /// There is no item.
    pub(super) fn absent() -> Self {
        Self::default().and("attribute_not_exists(#)", "pk", [])
    }

    /// There is an item.
    pub(super) fn exists() -> Self {
        Self::default().and("attribute_exists(#)", "pk", [])
    }

    /// There is an item of that version: nobody wrote it since it was read.
    pub(super) fn version(version: i64) -> Self {
        Self::default().equals("version", version)
    }

    /// The attribute has that value, which also means that there is an item.
    pub(super) fn equals(self, name: &str, value: impl IntoAttribute) -> Self {
        self.and("# = :", name, [value.into_attribute()])
    }

    /// One more clause, in which `#` stands for the attribute's name and `:` for the next value.
    pub(super) fn and<const N: usize>(
        mut self,
        clause: &str,
        name: &str,
        values: [AttributeValue; N],
    ) -> Self {
        let clause = self.0.clause(clause, name, values);
        if !self.0.text.is_empty() {
            self.0.text.push_str(" AND ");
        }
        self.0.text.push_str(&clause);
        self
    }
}

/// Text of an expression with its placeholders, which keep clear of reserved words.
#[derive(Clone, Debug, Default)]
struct Expression {
    text: String,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

impl Expression {
    fn clause<const N: usize>(
        &mut self,
        clause: &str,
        name: &str,
        values: [AttributeValue; N],
    ) -> String {
        let mut values = values.into_iter();
        let mut text = String::with_capacity(clause.len() + 16);
        for character in clause.chars() {
            match character {
                '#' => text.push_str(&self.name(name)),
                ':' => match values.next() {
                    Some(value) => text.push_str(&self.value(value)),
                    None => text.push(':'),
                },
                other => text.push(other),
            }
        }
        text
    }

    fn name(&mut self, name: &str) -> String {
        let placeholder = format!("#{name}");
        self.names.insert(placeholder.clone(), name.to_owned());
        placeholder
    }

    fn value(&mut self, value: AttributeValue) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value);
        placeholder
    }
}

/// A value of an expression.
pub(super) trait IntoAttribute {
    /// As DynamoDB has it.
    fn into_attribute(self) -> AttributeValue;
}

impl IntoAttribute for AttributeValue {
    fn into_attribute(self) -> AttributeValue {
        self
    }
}

impl IntoAttribute for i64 {
    fn into_attribute(self) -> AttributeValue {
        AttributeValue::N(self.to_string())
    }
}

impl IntoAttribute for &str {
    fn into_attribute(self) -> AttributeValue {
        AttributeValue::S(self.to_owned())
    }
}

impl IntoAttribute for String {
    fn into_attribute(self) -> AttributeValue {
        AttributeValue::S(self)
    }
}

impl IntoAttribute for crate::model::Timestamp {
    fn into_attribute(self) -> AttributeValue {
        AttributeValue::S(self.to_string())
    }
}

/// Any value as DynamoDB has it.
pub(super) fn attribute(value: &impl Serialize) -> Result<AttributeValue, Error> {
    serde_dynamo::to_attribute_value(value)
        .map_err(|error| Error::internal("writing a value", error))
}

/// One conditional write, alone or in a transaction.
#[derive(Clone, Debug)]
pub(super) struct Write {
    key: Key,
    what: What,
    condition: Condition,
}

#[derive(Clone, Debug)]
enum What {
    Put(Item),
    Update(Change),
    Delete,
    Check,
}

impl Write {
    /// A new record; its key must be free.
    pub(super) fn create<T: Record>(record: &T) -> Result<Self, Error> {
        Ok(Self {
            key: record.key(),
            what: What::Put(item(record, 1)?),
            condition: Condition::absent(),
        })
    }

    /// A record over whatever is there. Only for what repeats without harm.
    pub(super) fn put<T: Record>(record: &T) -> Result<Self, Error> {
        Ok(Self {
            key: record.key(),
            what: What::Put(item(record, 1)?),
            condition: Condition::default(),
        })
    }

    /// A record in place of the one that was read.
    pub(super) fn replace<T: Record>(stored: &Stored<T>) -> Result<Self, Error> {
        Ok(Self {
            key: stored.record.key(),
            what: What::Put(item(&stored.record, stored.version + 1)?),
            condition: Condition::version(stored.version),
        })
    }

    /// Some attributes of an item; its version is raised with them.
    pub(super) fn update(key: Key, change: Change, condition: Condition) -> Self {
        Self {
            key,
            what: What::Update(change.add("version", 1)),
            condition,
        }
    }

    /// Removes an item.
    pub(super) fn delete(key: Key, condition: Condition) -> Self {
        Self {
            key,
            what: What::Delete,
            condition,
        }
    }

    /// Writes nothing; the transaction fails unless the item is as expected.
    pub(super) fn check(key: Key, condition: Condition) -> Self {
        Self {
            key,
            what: What::Check,
            condition,
        }
    }
}

/// What an update does to an item's attributes.
#[derive(Clone, Debug, Default)]
pub(super) struct Change {
    expression: Expression,
    set: Vec<String>,
    add: Vec<String>,
    remove: Vec<String>,
}

impl Change {
    /// Gives the attribute a value.
    pub(super) fn set(mut self, name: &str, value: impl IntoAttribute) -> Self {
        let clause = self
            .expression
            .clause("# = :", name, [value.into_attribute()]);
        self.set.push(clause);
        self
    }

    /// Adds to a number, which is 0 when absent.
    pub(super) fn add(mut self, name: &str, by: i64) -> Self {
        let clause = self.expression.clause("# :", name, [by.into_attribute()]);
        self.add.push(clause);
        self
    }

    /// Takes the attribute away.
    pub(super) fn remove(mut self, name: &str) -> Self {
        let clause = self.expression.name(name);
        self.remove.push(clause);
        self
    }

    fn text(&self) -> String {
        [
            ("SET ", &self.set),
            ("ADD ", &self.add),
            ("REMOVE ", &self.remove),
        ]
        .into_iter()
        .filter(|(_, clauses)| !clauses.is_empty())
        .map(|(verb, clauses)| format!("{verb}{}", clauses.join(", ")))
        .collect::<Vec<_>>()
        .join(" ")
    }
}

/// A write was not done because what it expects does not hold; nothing was written.
#[derive(Debug)]
pub(super) struct Refused {
    /// Per write of the transaction, whether its condition failed.
    failed: Vec<bool>,
    /// Per write, the item that was there instead.
    items: Vec<Option<Item>>,
}

impl Refused {
    /// Whether the condition of the write at this place failed.
    pub(super) fn at(&self, place: usize) -> bool {
        self.failed.get(place).copied().unwrap_or(false)
    }

    /// The record that made the write at this place fail, if one was there.
    pub(super) fn record<T: Record>(&self, place: usize) -> Result<Option<Stored<T>>, Error> {
        self.items
            .get(place)
            .cloned()
            .flatten()
            .map(stored)
            .transpose()
    }
}

/// The items of a batch read.
#[derive(Debug, Default)]
pub(super) struct Batch(HashMap<Key, Item>);

impl Batch {
    /// The record under a key, if there is one.
    pub(super) fn get<T: Record>(&self, key: &Key) -> Result<Option<Stored<T>>, Error> {
        self.0.get(key).cloned().map(stored).transpose()
    }

    /// Those of some records that are there, each in the form in which other records show it.
    pub(super) fn all<T, I, V>(
        &self,
        ids: impl Iterator<Item = I>,
        key: impl Fn(I) -> Key,
    ) -> Result<HashMap<I, V>, Error>
    where
        T: Record,
        I: Id + Eq + Hash,
        V: for<'a> From<&'a T>,
    {
        let mut all = HashMap::new();
        for id in ids {
            if !all.contains_key(&id)
                && let Some(stored) = self.get::<T>(&key(id))?
            {
                all.insert(id, V::from(&stored.record));
            }
        }
        Ok(all)
    }

    /// Whether there is an item under a key.
    pub(super) fn has(&self, key: &Key) -> bool {
        self.0.contains_key(key)
    }
}

/// The table.
#[derive(Clone, Debug)]
pub(super) struct Table {
    client: Client,
    name: Arc<str>,
}

impl Table {
    pub(super) fn new(client: Client, name: &str) -> Self {
        Self {
            client,
            name: name.into(),
        }
    }

    /// One record.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        key: &Key,
        read: Read,
    ) -> Result<Option<Stored<T>>, Error> {
        let output = self
            .client
            .get_item()
            .table_name(&*self.name)
            .key("pk", key.pk.as_str().into_attribute())
            .key("sk", key.sk.as_str().into_attribute())
            .consistent_read(read == Read::Consistent)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
            .await
            .map_err(failure)?;
        meter(output.consumed_capacity.as_slice());
        output.item.map(stored).transpose()
    }

    /// Several records at once; keys that stand twice are read once. At most 100 keys a request,
    /// and the requests run at the same time.
    pub(super) async fn batch_get(
        &self,
        keys: impl IntoIterator<Item = Key>,
        read: Read,
    ) -> Result<Batch, Error> {
        let keys: HashSet<Key> = keys.into_iter().collect();
        let keys: Vec<Key> = keys.into_iter().collect();
        let some = keys
            .chunks(100)
            .map(|keys| self.batch_get_some(keys.to_vec(), read));
        let found = futures::future::try_join_all(some).await?;
        Ok(Batch(found.into_iter().flatten().collect()))
    }

    /// The items of at most 100 keys.
    async fn batch_get_some(
        &self,
        mut keys: Vec<Key>,
        read: Read,
    ) -> Result<HashMap<Key, Item>, Error> {
        let mut found = HashMap::with_capacity(keys.len());
        let mut attempt = 0;
        while !keys.is_empty() {
            let wanted = KeysAndAttributes::builder()
                .set_keys(Some(keys.iter().map(key_item).collect()))
                .consistent_read(read == Read::Consistent)
                .build()
                .map_err(|error| Error::internal("building a batch read", error))?;
            let output = self
                .client
                .batch_get_item()
                .request_items(&*self.name, wanted)
                .return_consumed_capacity(ReturnConsumedCapacity::Total)
                .send()
                .await
                .map_err(failure)?;
            meter(output.consumed_capacity.as_deref().unwrap_or_default());
            for item in output.responses.into_iter().flatten().flat_map(|(_, i)| i) {
                if let Some(key) = key_of(&item) {
                    found.insert(key, item);
                }
            }
            // The table answers what it has capacity and room for, and names the rest.
            let unread: Vec<Key> = output
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

    /// The records that a query finds, up to its limit, page after page.
    pub(super) async fn query<T: Record>(&self, query: Query) -> Result<Vec<Stored<T>>, Error> {
        let mut expression = query.filter.clone().unwrap_or_default().0;
        let filter = (!expression.text.is_empty()).then(|| expression.text.clone());
        let (pk, sk) = match query.index {
            None => ("pk", "sk"),
            Some("gsi1") => ("gsi1pk", "gsi1sk"),
            Some(_) => ("gsi2pk", "gsi2sk"),
        };
        let mut condition =
            expression.clause("# = :", pk, [query.partition.as_str().into_attribute()]);
        if let Some((first, last)) = &query.range {
            let range = [first.as_str(), last.as_str()].map(IntoAttribute::into_attribute);
            condition.push_str(" AND ");
            condition.push_str(&expression.clause("# BETWEEN : AND :", sk, range));
        }
        // A page's limit counts what is filtered out as well. Ten times the rows that are wanted
        // end a search of common words early; after that, pages are as large as they get.
        let mut filtered_page = Some(query.limit.saturating_mul(10));
        let mut records = Vec::new();
        let mut start = None;
        loop {
            let page = query.limit - records.len();
            let rows = if filter.is_some() {
                filtered_page.take()
            } else {
                Some(page)
            };
            let output = self
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
                .return_consumed_capacity(ReturnConsumedCapacity::Total)
                .send()
                .await
                .map_err(failure)?;
            meter(output.consumed_capacity.as_slice());
            for item in output.items.into_iter().flatten().take(page) {
                records.push(stored(item)?);
            }
            start = output.last_evaluated_key;
            if start.is_none() || records.len() >= query.limit {
                return Ok(records);
            }
        }
    }

    /// One conditional write. A put or an update that the SDK repeats after a lost answer is
    /// recognised as done by the write's id; a delete goes through [`transact`](Self::transact),
    /// whose token does the same.
    pub(super) async fn write(&self, write: Write) -> Result<Result<(), Refused>, Error> {
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
                Err(Single::Refused(item)) => {
                    return Ok(Err(Refused {
                        failed: vec![true],
                        items: vec![item],
                    }));
                }
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
                let output = self
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
                    .return_consumed_capacity(ReturnConsumedCapacity::Total)
                    .send()
                    .await
                    .map_err(|error| {
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
                let output: UpdateItemOutput = self
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
                    .return_consumed_capacity(ReturnConsumedCapacity::Total)
                    .send()
                    .await
                    .map_err(|error| {
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
    pub(super) async fn add(&self, key: Key, name: &str, by: i64) -> Result<i64, Error> {
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
    pub(super) async fn transact(&self, writes: Vec<Write>) -> Result<Result<(), Refused>, Error> {
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
            let sent = self
                .client
                .transact_write_items()
                .set_transact_items(Some(items.clone()))
                .client_request_token(&token)
                .return_consumed_capacity(ReturnConsumedCapacity::Total)
                .send()
                .await;
            let error = match sent {
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
        let old = ReturnValuesOnConditionCheckFailure::AllOld;
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
                    .return_values_on_condition_check_failure(old)
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
                        .return_values_on_condition_check_failure(old)
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
                    .return_values_on_condition_check_failure(old)
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
                    .return_values_on_condition_check_failure(old)
                    .build()
                    .map_err(invalid)?,
            ),
        }
        .build())
    }
}

/// Why a single write was not done.
enum Single {
    Refused(Option<Item>),
    Conflict(Error),
    Failed(Error),
}

fn single<E>(error: SdkError<E>, item: Option<Item>) -> Single
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    match error.code() {
        Some("ConditionalCheckFailedException") => Single::Refused(item),
        Some("TransactionConflictException") => Single::Conflict(failure(error)),
        _ => Single::Failed(failure(error)),
    }
}

fn wrote(item: Option<&Item>, write_id: &str) -> bool {
    item.and_then(|item| item.get(WRITE_ID))
        .and_then(|value| value.as_s().ok())
        .is_some_and(|id| id == write_id)
}

/// The refused writes of a cancelled transaction; `None` when it was cancelled by no condition.
fn refused(error: &SdkError<TransactWriteItemsError>) -> Option<Refused> {
    let Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) =
        error.as_service_error()
    else {
        return None;
    };
    let reasons = cancelled.cancellation_reasons();
    let failed: Vec<bool> = reasons
        .iter()
        .map(|reason| reason.code() == Some("ConditionalCheckFailed"))
        .collect();
    failed.contains(&true).then(|| Refused {
        failed,
        items: reasons.iter().map(|reason| reason.item.clone()).collect(),
    })
}

/// Whether another write of the same items stood in the way, which passes.
fn is_conflict(error: &SdkError<TransactWriteItemsError>) -> bool {
    match error.as_service_error() {
        Some(TransactWriteItemsError::TransactionInProgressException(_)) => true,
        Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
            let passing = [
                "None",
                "TransactionConflict",
                "ThrottlingError",
                "ProvisionedThroughputExceeded",
            ];
            cancelled
                .cancellation_reasons()
                .iter()
                .all(|reason| reason.code().is_some_and(|code| passing.contains(&code)))
        }
        _ => false,
    }
}

/// Waits a random time that doubles with every attempt: up to 20 ms, then 40, then 80.
async fn back_off(attempt: u32) {
    let most = 10_u64 << attempt.min(6);
    tokio::time::sleep(Duration::from_millis(1 + random::below(most))).await;
}

/// What a failed request of the table means to the one who asked.
fn failure<E>(error: SdkError<E>) -> Error
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    let passing = [
        "InternalServerError",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ServiceUnavailable",
        "ThrottlingException",
        "TransactionCanceledException",
        "TransactionConflictException",
        "TransactionInProgressException",
    ];
    match &error {
        SdkError::ServiceError(_) if !error.code().is_some_and(|code| passing.contains(&code)) => {
            Error::internal("asking the table", error)
        }
        SdkError::ConstructionFailure(_) => Error::internal("asking the table", error),
        _ => unavailable(error),
    }
}

fn unavailable(source: impl Into<crate::error::Source>) -> Error {
    Error::Unavailable {
        what: "the database",
        source: source.into(),
    }
}

fn meter(consumed: &[ConsumedCapacity]) {
    let units = consumed.iter().filter_map(ConsumedCapacity::capacity_units);
    telemetry::count_table_request(units.sum());
}

fn key_item(key: &Key) -> Item {
    Item::from([
        ("pk".to_owned(), key.pk.as_str().into_attribute()),
        ("sk".to_owned(), key.sk.as_str().into_attribute()),
    ])
}

fn key_of(item: &Item) -> Option<Key> {
    let text = |name| item.get(name)?.as_s().ok().cloned();
    Some(Key::new(text("pk")?, text("sk")?))
}

/// The record in an item, whatever its `kind`; unknown attributes are ignored.
fn stored<T: DeserializeOwned>(mut item: Item) -> Result<Stored<T>, Error> {
    let version = item
        .remove("version")
        .and_then(|value| value.as_n().ok()?.parse().ok())
        .unwrap_or(1);
    serde_dynamo::from_item(item)
        .map(|record| Stored { record, version })
        .map_err(|error| Error::internal("reading a record", error))
}

fn item<T: Record>(record: &T, version: i64) -> Result<Item, Error> {
    let mut item: Item = serde_dynamo::to_item(record)
        .map_err(|error| Error::internal("writing a record", error))?;
    // An absent attribute reads as null, and costs nothing.
    item.retain(|_, value| !value.is_null());
    let Key { pk, sk } = record.key();
    let mut put = |name: &str, value: AttributeValue| item.insert(name.to_owned(), value);
    put("pk", pk.into_attribute());
    put("sk", sk.into_attribute());
    put("kind", T::KIND.into_attribute());
    put("version", version.into_attribute());
    if let Some(Key { pk, sk }) = record.gsi1() {
        put("gsi1pk", pk.into_attribute());
        put("gsi1sk", sk.into_attribute());
    }
    if let Some(Key { pk, sk }) = record.gsi2() {
        put("gsi2pk", pk.into_attribute());
        put("gsi2sk", sk.into_attribute());
    }
    if let Some(at) = record.expires_at() {
        put("expiresAt", at.into_attribute());
    }
    Ok(item)
}

type Names = HashMap<String, String>;

/// The text, names and values of an update with its condition, whose values are renamed so that
/// the two do not meet.
fn update_expression(change: &Change, condition: &Expression) -> (String, Names, Item) {
    let mut names = change.expression.names.clone();
    names.extend(condition.names.clone());
    let mut values = change.expression.values.clone();
    for (placeholder, value) in &condition.values {
        values.insert(placeholder.replacen(":v", ":c", 1), value.clone());
    }
    (change.text(), names, values)
}

fn condition_text(condition: &Expression) -> String {
    condition.text.replace(":v", ":c")
}

fn some_text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn some<V: Clone>(map: &HashMap<String, V>) -> Option<HashMap<String, V>> {
    (!map.is_empty()).then(|| map.clone())
}
