//! Reads: by key, by keys, and lists.

use std::collections::{HashMap, HashSet};

use aws_sdk_dynamodb::types::{KeysAndAttributes, ReturnConsumedCapacity};
use model::Error;
use serde::de::DeserializeOwned;

use super::{
    ATTEMPTS, Batch, Item, Query, Read, Stored, Table, back_off,
    failure::{failure, unavailable},
    item::{Readable, key_item, key_of, readable_at, stored_at},
    meter,
    query::Expressed,
};
use crate::{
    key::{AnyKey, Index, Key, List},
    page::{Page, Place, Row, Wanted},
};

/// After so many answers of the table, of which each but the first was asked for because the one
/// before it was cut at a megabyte, a page ends: it holds as much as an answer of ours may.
const FULL_ANSWERS: usize = 5;

impl Table {
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
        let stored = |item| stored_at(key.as_ref(), item);
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

    /// The records of a list that read, up to its limit.
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
        self.rows(&list.query, Readable::yes).await
    }

    /// As [`list`](Self::list), for who has to know of those that do not read.
    pub(crate) async fn list_readable<R: DeserializeOwned, I: Index>(
        &self,
        list: List<R, I>,
    ) -> Result<Vec<Readable<R>>, Error> {
        self.rows(&list.query, Some).await
    }

    /// A page of a list, without those that do not read. Filtered, it may have fewer rows than are
    /// wanted, even none, and yet go on.
    pub(crate) async fn page<R: DeserializeOwned, I: Index>(
        &self,
        list: List<R, I>,
        wanted: &Wanted,
    ) -> Result<Page<Stored<R>>, Error> {
        self.page_of(list, wanted, Readable::yes).await
    }

    /// As [`page`](Self::page), for who has to know of those that do not read.
    pub(crate) async fn page_readable<R: DeserializeOwned, I: Index>(
        &self,
        list: List<R, I>,
        wanted: &Wanted,
    ) -> Result<Page<Readable<R>>, Error> {
        self.page_of(list, wanted, Some).await
    }

    /// A page of what `take` takes.
    async fn page_of<R: DeserializeOwned, I: Index, T>(
        &self,
        list: List<R, I>,
        wanted: &Wanted,
        take: impl Fn(Readable<R>) -> Option<T>,
    ) -> Result<Page<T>, Error> {
        let query = list.after(wanted.after.as_ref()).query;
        let most = wanted.most();
        let mut rows = Vec::new();
        let mut end = None;
        let mut walk = Walk::new(&query);
        // One more than is wanted tells whether there are more.
        while rows.len() <= most {
            let next = match &query.filter {
                None => most + 1 - rows.len(),
                // What is common is found among the first rows; what is rare is worth one long look.
                Some(_) if walk.answers == 0 => most.saturating_mul(10).min(query.most_read),
                Some(_) => query.most_read - walk.read,
            };
            let Some(items) = self.walk(&mut walk, next).await? else {
                break;
            };
            for item in items {
                let (place, readable) = found(&query, item)?;
                rows.extend(take(readable).map(|record| Row { record, place }));
            }
            if walk.answers == FULL_ANSWERS
                || (query.filter.is_some() && walk.read >= query.most_read)
            {
                end = walk.start.take().and_then(|mut at| query.place(&mut at));
                break;
            }
        }
        Ok(Page { rows, end }.cut(most))
    }

    /// What `take` takes of a list, up to its limit.
    async fn rows<R: DeserializeOwned, T>(
        &self,
        query: &Query,
        take: impl Fn(Readable<R>) -> Option<T>,
    ) -> Result<Vec<T>, Error> {
        let mut rows = Vec::new();
        let mut walk = Walk::new(query);
        while rows.len() < query.limit {
            let left = query.limit - rows.len();
            let Some(items) = self.walk(&mut walk, left).await? else {
                break;
            };
            for item in items {
                let (_, readable) = found(query, item)?;
                rows.extend(take(readable));
            }
        }
        Ok(rows)
    }

    /// What comes next in a walk: the items among the next `most` that are not filtered out, or
    /// fewer than that when they fill a megabyte. None at the end.
    async fn walk(&self, walk: &mut Walk<'_>, most: usize) -> Result<Option<Vec<Item>>, Error> {
        if walk.is_over {
            return Ok(None);
        }
        let Expressed {
            condition,
            filter,
            projection,
            names,
            values,
        } = &walk.expressed;
        let request = self
            .client
            .query()
            .table_name(&*self.name)
            .set_index_name(walk.query.index.map(str::to_owned))
            .key_condition_expression(condition)
            .set_filter_expression(filter.clone())
            .set_projection_expression(projection.clone())
            .set_expression_attribute_names(Some(names.clone()))
            .set_expression_attribute_values(Some(values.clone()))
            .scan_index_forward(!walk.query.descending)
            .consistent_read(walk.query.read == Read::Consistent)
            .limit(i32::try_from(most).unwrap_or(i32::MAX))
            .set_exclusive_start_key(walk.start.take())
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let sent = Box::pin(request.send()).await;
        let output = sent.map_err(failure)?;
        meter(output.consumed_capacity.as_slice());
        walk.answers += 1;
        walk.read += usize::try_from(output.scanned_count).unwrap_or_default();
        walk.start = output.last_evaluated_key;
        walk.is_over = walk.start.is_none();
        Ok(Some(output.items.unwrap_or_default()))
    }
}

/// What was found under which keys.
fn found<R: DeserializeOwned>(
    query: &Query,
    mut item: Item,
) -> Result<(Place, Readable<R>), Error> {
    let place = query.place(&mut item);
    let place = place.ok_or_else(|| Error::internal("reading a list", "no key"))?;
    let readable = readable_at(&place, item);
    Ok((place, readable))
}

/// How far a query has been read.
struct Walk<'a> {
    query: &'a Query,
    expressed: Expressed,
    /// Where to go on.
    start: Option<Item>,
    /// How many answers of the table that took.
    answers: usize,
    /// How many items were read, those among them that were filtered out.
    read: usize,
    is_over: bool,
}

impl<'a> Walk<'a> {
    fn new(query: &'a Query) -> Self {
        Self {
            query,
            expressed: query.expressed(),
            start: query.start(),
            answers: 0,
            read: 0,
            is_over: false,
        }
    }
}
