//! Reads: by key, by keys, and lists.

use std::collections::{HashMap, HashSet};

use aws_sdk_dynamodb::types::{KeysAndAttributes, ReturnConsumedCapacity};
use model::Error;
use serde::de::DeserializeOwned;

use super::{
    ATTEMPTS, Batch, IntoAttribute, Item, Query, Read, Stored, Table, back_off,
    failure::{failure, unavailable},
    item::{key_item, key_of, stored},
    meter,
};
use crate::key::{AnyKey, Index, Key, List};

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
}
