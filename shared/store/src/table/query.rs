//! What a read asks for.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;

use super::{
    expression::{Condition, Expression, Names, some_text},
    item::{IntoAttribute, Item},
};
use crate::{
    key::{Index, Main},
    page::{MOST_ROWS, Place},
};

/// How fresh a read has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// All writes before it are seen.
    Consistent,
    /// Half the price; the newest writes may be missing.
    Eventual,
}

/// Which keys a list reads.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    /// The index, and what it calls its partition key and its sort key.
    pub(super) index: Option<&'static str>,
    pub(super) names: [&'static str; 2],
    pub(crate) partition: String,
    /// First and last sort key, both included.
    pub(crate) first: Option<String>,
    pub(crate) last: Option<String>,
    /// Only what comes behind it.
    pub(crate) after: Option<Place>,
    pub(crate) descending: bool,
    pub(crate) read: Read,
    pub(crate) limit: usize,
    pub(crate) filter: Option<Condition>,
    /// How many rows a page reads at most to find those that fit.
    pub(crate) most_read: usize,
    /// Only these attributes, and the keys; all of them otherwise.
    pub(crate) only: Option<&'static [&'static str]>,
}

impl Query {
    /// The items of a partition, by sort key.
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
            most_read: MOST_ROWS,
            only: None,
        }
    }

    /// As the table wants it.
    pub(super) fn expressed(&self) -> Expressed {
        let mut expression = self.filter.clone().unwrap_or_default().0;
        let filter = some_text(&expression.text);
        let [pk, sk] = self.names;
        let partition = self.partition.as_str().into_attribute();
        let mut condition = expression.clause("# = :", pk, [partition]);
        let text = |sort: &String| sort.as_str().into_attribute();
        let (first, last) = (self.first.as_ref().map(text), self.last.as_ref().map(text));
        let range = match (first, last) {
            (None, None) => None,
            (Some(first), None) => Some(expression.clause("# >= :", sk, [first])),
            (None, Some(last)) => Some(expression.clause("# <= :", sk, [last])),
            (Some(first), Some(last)) => {
                Some(expression.clause("# BETWEEN : AND :", sk, [first, last]))
            }
        };
        if let Some(range) = range {
            condition.push_str(" AND ");
            condition.push_str(&range);
        }
        let projection = self.only.map(|only| {
            let keys = [Main::PARTITION, Main::SORT, pk, sk];
            let keys: BTreeSet<_> = keys.into_iter().collect();
            let attributes = only.iter().copied().chain(keys);
            let names = attributes.map(|name| expression.name(name));
            names.collect::<Vec<_>>().join(", ")
        });
        let Expression { names, values, .. } = expression;
        Expressed {
            condition,
            filter,
            projection,
            names,
            values,
        }
    }

    /// Where to begin, as the table wants it.
    pub(super) fn start(&self) -> Option<Item> {
        let Place { pk, sk, sort } = self.after.as_ref()?;
        let [partition_name, sort_name] = self.names;
        let mut start = Item::from([
            (Main::PARTITION.to_owned(), pk.as_str().into_attribute()),
            (Main::SORT.to_owned(), sk.as_str().into_attribute()),
        ]);
        if let (Some(_), Some(sort)) = (self.index, sort) {
            let partition = self.partition.as_str().into_attribute();
            start.insert(partition_name.to_owned(), partition);
            start.insert(sort_name.to_owned(), sort.as_str().into_attribute());
        }
        Some(start)
    }

    /// Takes the place of an item, or of where a read ended, out of it.
    pub(super) fn place(&self, item: &mut Item) -> Option<Place> {
        let mut text = |name| match item.remove(name) {
            Some(AttributeValue::S(text)) => Some(text),
            _ => None,
        };
        let pk = text(Main::PARTITION)?;
        let sk = text(Main::SORT)?;
        let sort = self.index.and_then(|_| text(self.names[1]));
        Some(Place { pk, sk, sort })
    }
}

/// The expressions of a query.
pub(super) struct Expressed {
    pub(super) condition: String,
    pub(super) filter: Option<String>,
    pub(super) projection: Option<String>,
    pub(super) names: Names,
    pub(super) values: HashMap<String, AttributeValue>,
}
