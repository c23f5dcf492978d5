//! Lists in pages.

use model::OrganizationId;

use super::key::{AnyKey, padded, tenant_prefix};

/// The most rows of a page, also when nobody says how many; and the most that one reads of a list
/// of which it keeps only some.
pub(crate) const MOST_ROWS: usize = 1_000;

/// Which page of a list is wanted.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// At most so many rows; 1,000 otherwise.
    pub rows: Option<usize>,
    /// Only what comes after this place.
    pub after: Option<Place>,
}

/// Some rows of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// The rows.
    pub rows: Vec<Row<T>>,
    /// Where the list goes on, if there may be more of it.
    pub end: Option<Place>,
}

/// A record of a list.
#[derive(Clone, Debug)]
pub struct Row<T> {
    /// The record.
    pub record: T,
    /// Where it stands.
    pub place: Place,
}

/// A place in a list: the keys of the row that stands there, or stood. It means something only to
/// the list that it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub(crate) pk: String,
    pub(crate) sk: String,
    /// The sort key within the index that has the list.
    pub(crate) sort: Option<String>,
}

impl Wanted {
    /// The first page, of at most so many rows.
    #[must_use]
    pub const fn first(rows: usize) -> Self {
        Self {
            rows: Some(rows),
            after: None,
        }
    }

    /// How many rows are wanted at most.
    pub(crate) fn most(&self) -> usize {
        self.rows.unwrap_or(MOST_ROWS).min(MOST_ROWS)
    }
}

impl<T> Page<T> {
    /// A page of a list that is read as a whole, since it is never long. Its order is that of a
    /// number, which no two records have in common.
    pub fn of(mut records: Vec<T>, number: impl Fn(&T) -> i64, wanted: &Wanted) -> Self {
        records.sort_by_key(&number);
        let after = wanted.after.as_ref().map(|place| place.sk.as_str());
        let rows = records.into_iter().map(|record| Row {
            place: Place {
                pk: String::new(),
                sk: padded(number(&record)),
                sort: None,
            },
            record,
        });
        let page = Self {
            rows: rows
                .filter(|row| after.is_none_or(|after| row.place.sk.as_str() > after))
                .collect(),
            end: None,
        };
        page.cut(wanted.most())
    }

    /// Of a list in which nothing can be.
    pub(crate) const fn empty() -> Self {
        Self {
            rows: Vec::new(),
            end: None,
        }
    }

    /// The records.
    pub fn records(&self) -> impl Iterator<Item = &T> + Clone {
        self.rows.iter().map(|row| &row.record)
    }

    /// The page with other records in the same places, where there is another.
    pub fn filter_map<U>(self, map: impl FnMut(T) -> Option<U>) -> Page<U> {
        let mut map = map;
        let rows = self.rows.into_iter().filter_map(|Row { record, place }| {
            let record = map(record)?;
            Some(Row { record, place })
        });
        Page {
            rows: rows.collect(),
            end: self.end,
        }
    }

    /// The page with other records in the same places.
    pub fn map<U>(self, map: impl FnMut(T) -> U) -> Page<U> {
        let mut map = map;
        self.filter_map(|record| Some(map(record)))
    }

    /// At most so many rows; where there are more, the list goes on behind the last that is left.
    pub(crate) fn cut(mut self, most: usize) -> Self {
        if self.rows.len() > most {
            self.rows.truncate(most);
            self.end = self.rows.last().map(|row| row.place.clone());
        }
        self
    }
}

impl Place {
    /// The key of the row that stands there.
    pub(crate) fn key(&self) -> AnyKey {
        AnyKey::found(self.pk.clone(), self.sk.clone())
    }

    /// The place of the same row in a list by id, in the table or in an index.
    pub(crate) fn by_id(self) -> Self {
        Self {
            sort: Some(self.sk.clone()),
            ..self
        }
    }

    /// As text of which nothing tells whose it is.
    #[must_use]
    pub fn to_text(&self, tenant: OrganizationId) -> String {
        let prefix = tenant_prefix(tenant);
        let pk = self.pk.strip_prefix(&prefix).unwrap_or(&self.pk);
        match &self.sort {
            Some(sort) => format!("{}\n{pk}\n{sort}", self.sk),
            None => format!("{}\n{pk}", self.sk),
        }
    }

    /// The place of that tenant that has this text.
    #[must_use]
    pub fn from_text(tenant: OrganizationId, text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '\n');
        let sk = parts.next()?.to_owned();
        let pk = format!("{}{}", tenant_prefix(tenant), parts.next()?);
        let sort = parts.next().map(str::to_owned);
        Some(Self { pk, sk, sort })
    }
}
