//! Reads: by key, in batches, and of lists.

use std::collections::{HashMap, HashSet};

use aws_sdk_dynamodb::{
    Client,
    types::{KeysAndAttributes, ReturnConsumedCapacity},
};
use futures::future::try_join_all;
use model::base::{Clock, Error};
use serde::de::DeserializeOwned;

use crate::{
    AnyKey, Batch, Index, Key, REFERENCE, Read, Readable, RecordList, Stored, Table,
    attribute::Item,
    back_off,
    client::ATTEMPTS,
    failure::failure,
    item::{key_item, key_of, readable_at, stored_at},
    meter::{self, count_read},
    page::{ListPosition, Page, PageRequest, Row},
    query::{Expressed, Query},
    unavailable,
};

/// Opens a connection to the table by reading a key without an item, so that the first request need
/// not wait for it. A failure is ignored; the first request meets it again.
pub async fn warm_up(client: &Client, table: &str) {
    let nothing = AnyKey::found("WARM_UP".to_owned(), "WARM_UP".to_owned());
    let table = Table::new(client.clone(), table, Clock::system());
    let _ = table
        .batch_get([nothing], Read::Eventual)
        .await;
}

impl Table {
    /// Reads the record of a key, if there is one. An unreadable record is an error.
    pub async fn get<R: DeserializeOwned>(
        &self,
        key: &Key<R>,
        read: Read,
    ) -> Result<Option<Stored<R>>, Error> {
        let mut item = self.item(key.as_ref(), read).await?;
        if item.is_none() && read == Read::Lasting {
            item = self
                .item(key.as_ref(), Read::Consistent)
                .await?;
        }
        item.map(|item| stored_at(key.as_ref(), item))
            .transpose()
    }

    async fn item(&self, key: &AnyKey, read: Read) -> Result<Option<Item>, Error> {
        meter::allow_read()?;
        let request = self
            .client
            .get_item()
            .table_name(&*self.name)
            .set_key(Some(key_item(key)))
            .consistent_read(read == Read::Consistent)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        // The SDK's futures are large. On the heap, one future can hold several side by side.
        let output = Box::pin(request.send())
            .await
            .map_err(failure)?;
        count_read(output.consumed_capacity.as_slice());
        Ok(output.item)
    }

    /// Reads the items of several keys, each once, in concurrent requests of at most 100 keys.
    pub async fn batch_get(
        &self,
        keys: impl IntoIterator<Item = impl Into<AnyKey>>,
        read: Read,
    ) -> Result<Batch, Error> {
        let keys: HashSet<AnyKey> = keys
            .into_iter()
            .map(Into::into)
            .collect();
        let mut batch = self
            .batch_get_all(keys.iter(), read)
            .await?;
        if read == Read::Lasting {
            let missing = keys
                .iter()
                .filter(|key| !batch.has(key));
            let missing = self
                .batch_get_all(missing, Read::Consistent)
                .await?;
            batch = batch.and(missing);
        }
        Ok(batch)
    }

    async fn batch_get_all(
        &self,
        keys: impl Iterator<Item = &AnyKey>,
        read: Read,
    ) -> Result<Batch, Error> {
        let keys: Vec<AnyKey> = keys.cloned().collect();
        let some = keys.chunks(100).map(<[_]>::to_vec);
        let items = try_join_all(some.map(|keys| self.batch_get_some(keys, read))).await?;
        Ok(Batch(items.into_iter().flatten().collect()))
    }

    /// Reads the items of at most 100 keys, in as many requests as the table needs.
    async fn batch_get_some(
        &self,
        mut keys: Vec<AnyKey>,
        read: Read,
    ) -> Result<HashMap<AnyKey, Item>, Error> {
        let mut items = HashMap::with_capacity(keys.len());
        let mut attempt = 0;
        while !keys.is_empty() {
            meter::allow_read()?;
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
            let output = Box::pin(request.send())
                .await
                .map_err(failure)?;
            count_read(
                output
                    .consumed_capacity
                    .as_deref()
                    .unwrap_or_default(),
            );
            for item in output
                .responses
                .into_iter()
                .flatten()
                .flat_map(|(_, i)| i)
            {
                if let Some(key) = key_of(&item) {
                    items.insert(key, item);
                }
            }
            // The table returns as many items as capacity and size allow, and the keys of the rest.
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
        Ok(items)
    }

    /// Reads a list up to its limit, without unreadable records.
    pub async fn list<R: DeserializeOwned, I: Index>(
        &self,
        list: RecordList<R, I>,
    ) -> Result<Vec<R>, Error> {
        let stored = self.list_stored(list).await?;
        Ok(stored
            .into_iter()
            .map(|stored| stored.record)
            .collect())
    }

    /// As [`list`](Self::list), with the versions that the next writes expect.
    pub async fn list_stored<R: DeserializeOwned, I: Index>(
        &self,
        list: RecordList<R, I>,
    ) -> Result<Vec<Stored<R>>, Error> {
        self.rows(&list, |_, readable| readable.yes())
            .await
    }

    /// As [`list`](Self::list), with the position of each record.
    pub async fn list_rows<R: DeserializeOwned, I: Index>(
        &self,
        list: RecordList<R, I>,
    ) -> Result<Vec<Row<R>>, Error> {
        self.rows(&list, |place, readable| {
            let record = readable.yes()?.record;
            Some(Row { record, place })
        })
        .await
    }

    /// As [`list`](Self::list), with the keys of unreadable records.
    pub async fn list_readable<R: DeserializeOwned, I: Index>(
        &self,
        list: RecordList<R, I>,
    ) -> Result<Vec<Readable<R>>, Error> {
        self.rows(&list, |_, readable| Some(readable))
            .await
    }

    /// Reads a page of a list, without unreadable records. A page of a filtered list may have fewer
    /// rows than are wanted, even none, and still have an end from which the next page goes on.
    pub async fn page<R: DeserializeOwned, I: Index>(
        &self,
        list: RecordList<R, I>,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<R>>, Error> {
        self.page_keeping(list, |_| true, wanted)
            .await
    }

    /// As [`page`](Self::page) of a filtered list, whose rows match if `keeps` accepts the record.
    pub async fn page_where<R: DeserializeOwned, I: Index>(
        &self,
        list: RecordList<R, I>,
        keeps: impl Fn(&R) -> bool,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<R>>, Error> {
        self.page_keeping(list.filtered(), keeps, wanted)
            .await
    }

    async fn page_keeping<R: DeserializeOwned, I: Index>(
        &self,
        list: RecordList<R, I>,
        keeps: impl Fn(&R) -> bool,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<R>>, Error> {
        let query = list.after(wanted.after.as_ref()).query;
        let most = wanted.most();
        let mut rows = Vec::new();
        let mut end = None;
        let mut walk = Walk::new(&query);
        // One row more than is wanted shows whether another page follows.
        while rows.len() <= most {
            // Frequent matches are found in a short read. If there were too few, they are rare, and
            // one long read follows.
            let next = if query.is_filtered {
                match walk.answers {
                    0 => most
                        .saturating_mul(10)
                        .min(query.most_read),
                    _ => query.most_read - walk.read,
                }
            } else {
                most + 1 - rows.len()
            };
            let Some(items) = self.walk(&mut walk, next).await? else {
                break;
            };
            for item in items {
                let (place, readable) = found(&query, item)?;
                rows.extend(
                    readable
                        .yes()
                        .filter(|stored| keeps(&stored.record))
                        .map(|record| Row { record, place }),
                );
            }
            if walk.answers == query.most_answers
                || (query.is_filtered && walk.read >= query.most_read)
            {
                end = walk
                    .start
                    .take()
                    .and_then(|mut at| query.position(&mut at));
                break;
            }
        }
        Ok(Page { rows, end }.cut(most))
    }

    /// As [`page`](Self::page) of an index, with the keys of unreadable records: takes the keys
    /// from the index, and reads their items consistently. Leaves out items that are gone, or no
    /// longer in this part of the index.
    pub async fn page_current<R: DeserializeOwned, I: Index>(
        &self,
        list: RecordList<R, I>,
        wanted: &PageRequest,
    ) -> Result<Page<Readable<R>>, Error> {
        let query = list.query.clone();
        let page = self.page(list.places(), wanted).await?;
        let keys = page
            .rows
            .iter()
            .map(|row| row.place.key());
        let Batch(mut items) = self
            .batch_get(keys, Read::Consistent)
            .await?;
        let rows = page
            .rows
            .into_iter()
            .filter_map(|Row { place, .. }| {
                let item = items.remove(&place.key())?;
                query.holds(&item).then(|| Row {
                    record: readable_at(&place, item),
                    place,
                })
            });
        Ok(Page {
            rows: rows.collect(),
            end: page.end,
        })
    }

    /// Reads a list up to its limit, and keeps the records for which `take` returns a value.
    async fn rows<R: DeserializeOwned, I, T>(
        &self,
        RecordList { query, .. }: &RecordList<R, I>,
        take: impl Fn(ListPosition, Readable<R>) -> Option<T>,
    ) -> Result<Vec<T>, Error> {
        let mut rows = Vec::new();
        let mut walk = Walk::new(query);
        while rows.len() < query.limit {
            let left = query.limit - rows.len();
            let Some(items) = self.walk(&mut walk, left).await? else {
                break;
            };
            for item in items {
                let (place, readable) = found(query, item)?;
                rows.extend(take(place, readable));
            }
        }
        Ok(rows)
    }

    /// Reads the next `most` items of a query, or fewer if they fill 1 MB, and returns those that
    /// match its filter. `None` at the end.
    async fn walk(&self, walk: &mut Walk<'_>, most: usize) -> Result<Option<Vec<Item>>, Error> {
        if walk.is_over {
            return Ok(None);
        }
        meter::allow_read()?;
        let expressed = &walk.expressed;
        let request = self
            .client
            .query()
            .table_name(&*self.name)
            .set_index_name(walk.query.index.map(str::to_owned))
            .key_condition_expression(&expressed.condition)
            .set_filter_expression(expressed.filter.clone())
            .set_projection_expression(expressed.projection.clone())
            .set_expression_attribute_names(Some(expressed.names.clone()))
            .set_expression_attribute_values(Some(expressed.values.clone()))
            .scan_index_forward(!walk.query.descending)
            .consistent_read(walk.query.read == Read::Consistent)
            .limit(i32::try_from(most).unwrap_or(i32::MAX))
            .set_exclusive_start_key(walk.start.take())
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let output = Box::pin(request.send())
            .await
            .map_err(failure)?;
        count_read(output.consumed_capacity.as_slice());
        walk.answers += 1;
        walk.read += usize::try_from(output.scanned_count).unwrap_or_default();
        walk.start = output.last_evaluated_key;
        walk.is_over = walk.start.is_none();
        Ok(Some(output.items.unwrap_or_default()))
    }
}

/// Decodes an item of a list, and takes its position.
fn found<R: DeserializeOwned>(
    query: &Query,
    mut item: Item,
) -> Result<(ListPosition, Readable<R>), Error> {
    let place = query.position(&mut item);
    let place = place.ok_or_else(|| Error::internal("reading a list", "no key"))?;
    if item.contains_key(REFERENCE) {
        // The key of the text follows from it.
        item.extend(key_item(&place.key()));
    }
    let readable = readable_at(&place, item);
    Ok((place, readable))
}

/// The progress of a query.
struct Walk<'a> {
    query: &'a Query,
    expressed: Expressed,
    /// The next request's exclusive start key.
    start: Option<Item>,
    answers: usize,
    /// The number of items read, including those that the filter dropped.
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
