use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;

use crate::{
    Condition, Index, IntoAttribute, Main,
    attribute::Item,
    expression::{Names, some_text},
    item::key_item,
    page::{ListPosition, MOST_ROWS},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// Sees all earlier writes.
    Consistent,
    /// Costs half. The newest writes may be missing.
    Eventual,
    /// As [`Eventual`](Self::Eventual), and again [`Consistent`](Self::Consistent) for what is
    /// missing. For records that are never deleted: a new one is found, and a changed one may be
    /// the one before. A list has no keys that could be missing, and is read as `Eventual`.
    Lasting,
}

/// The most requests of a page. The table ends each answer at 1 MB, so a page holds up to 5 MB: as
/// much as an answer of the service may.
const FULL_ANSWERS: usize = 5;

/// The most requests of a filtered page: the short read, and the long one. So it reads up to 2 MB.
pub(crate) const FILTERED_ANSWERS: usize = 2;

#[derive(Clone, Debug)]
pub(crate) struct Query {
    /// The index, and the attribute names of its partition key and its sort key.
    pub(crate) index: Option<&'static str>,
    pub(crate) names: [&'static str; 2],
    pub(crate) partition: String,
    /// First sort key, included.
    pub(crate) first: Option<String>,
    /// Last sort key, included.
    pub(crate) last: Option<String>,
    /// Exclusive start.
    pub(crate) after: Option<ListPosition>,
    pub(crate) descending: bool,
    pub(crate) read: Read,
    /// The most rows of a list that is not read in pages.
    pub(crate) limit: usize,
    pub(crate) filter: Option<Condition>,
    /// True if a filter drops rows, that of the table or one of the reader.
    pub(crate) is_filtered: bool,
    pub(crate) most_answers: usize,
    /// The most rows that a filtered page reads.
    pub(crate) most_read: usize,
    /// The attributes that are read beside the keys; all by default.
    pub(crate) only: Option<&'static [&'static str]>,
}

impl Query {
    /// All items of a partition, by sort key.
    pub(crate) const fn new<I: Index>(partition: String) -> Self {
        Self {
            index: I::NAME,
            names: [I::PARTITION, I::SORT],
            partition,
            first: None,
            last: None,
            after: None,
            descending: false,
            read: Read::Eventual,
            limit: MOST_ROWS,
            filter: None,
            is_filtered: false,
            most_answers: FULL_ANSWERS,
            most_read: MOST_ROWS,
            only: None,
        }
    }

    pub(crate) fn expressed(&self) -> Expressed {
        let mut expression = self
            .filter
            .clone()
            .unwrap_or_default()
            .0;
        let filter = some_text(&expression.text);
        let [pk, sk] = self.names;
        let partition = self.partition.as_str().into_attribute();
        let mut condition = expression.clause("# = :", pk, [partition]);
        let text = |sort: &String| sort.as_str().into_attribute();
        let first = self.first.as_ref().map(text);
        let last = self.last.as_ref().map(text);
        condition += &match (first, last) {
            (None, None) => String::new(),
            (Some(first), None) => expression.clause(" AND # >= :", sk, [first]),
            (None, Some(last)) => expression.clause(" AND # <= :", sk, [last]),
            (Some(first), Some(last)) => {
                expression.clause(" AND # BETWEEN : AND :", sk, [first, last])
            }
        };
        let projection = self.only.map(|only| {
            let keys: BTreeSet<_> = [Main::PARTITION, Main::SORT, pk, sk]
                .into_iter()
                .collect();
            let attributes = only.iter().copied().chain(keys);
            let names = attributes.map(|name| expression.name(name));
            names.collect::<Vec<_>>().join(", ")
        });
        Expressed {
            condition,
            filter,
            projection,
            names: expression.names,
            values: expression.values,
        }
    }

    /// Returns whether an item is in the queried range, whatever its filter.
    pub(crate) fn holds(&self, item: &Item) -> bool {
        let text = |name| {
            item.get(name)
                .and_then(|value| value.as_s().ok())
        };
        let [partition, sort] = self.names.map(text);
        let is_in_range = |sort: &String| {
            let first = self.first.as_ref();
            let last = self.last.as_ref();
            first.is_none_or(|first| first <= sort) && last.is_none_or(|last| sort <= last)
        };
        partition == Some(&self.partition) && sort.is_some_and(is_in_range)
    }

    /// The exclusive start key, if there is one.
    pub(crate) fn start(&self) -> Option<Item> {
        let after = self.after.as_ref()?;
        let mut start = key_item(&after.key());
        if let (Some(_), Some(sort)) = (self.index, after.sort()) {
            let [partition_name, sort_name] = self.names.map(str::to_owned);
            start.insert(partition_name, self.partition.as_str().into_attribute());
            start.insert(sort_name, sort.into_attribute());
        }
        Some(start)
    }

    /// Removes the keys from an item, or from the last evaluated key, and returns them as a
    /// position.
    pub(crate) fn position(&self, item: &mut Item) -> Option<ListPosition> {
        let mut text = |name| match item.remove(name) {
            Some(AttributeValue::S(text)) => Some(text),
            _ => None,
        };
        let pk = text(Main::PARTITION)?;
        let sk = text(Main::SORT)?;
        let sort = self
            .index
            .and_then(|_| text(self.names[1]));
        Some(ListPosition { pk, sk, sort })
    }
}

pub(crate) struct Expressed {
    pub(crate) condition: String,
    pub(crate) filter: Option<String>,
    pub(crate) projection: Option<String>,
    pub(crate) names: Names,
    pub(crate) values: HashMap<String, AttributeValue>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Gsi4;

    #[test]
    fn an_item_that_moved_within_its_index_or_left_it_is_not_held() {
        let mut query = Query::new::<Gsi4>("DUE#1".to_owned());
        query.last = Some("2026-01-15".to_owned());
        let item = |partition: &str, sort: &str| {
            let key = [(Gsi4::PARTITION, partition), (Gsi4::SORT, sort)];
            Item::from(key.map(|(name, text)| (name.to_owned(), text.into_attribute())))
        };
        assert!(query.holds(&item("DUE#1", "2026-01-15")));
        assert!(!query.holds(&item("DUE#1", "2026-01-16")), "later");
        assert!(!query.holds(&item("DUE#2", "2026-01-14")), "elsewhere");
        assert!(!query.holds(&Item::new()), "gone");
        query.first = Some("2026-01-15".to_owned());
        assert!(!query.holds(&item("DUE#1", "2026-01-14")), "earlier");
    }
}
