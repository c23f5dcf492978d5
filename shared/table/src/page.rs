use crate::{AnyKey, Key, padded};

/// The most rows of a page, and the most reads of a list with a filter.
pub const MOST_ROWS: usize = 1_000;

#[derive(Clone, Debug, Default)]
pub struct PageRequest {
    /// The most rows, 1,000 by default and at most.
    pub rows: Option<usize>,
    /// The position after which the page begins; the list's beginning by default.
    pub after: Option<ListPosition>,
}

/// Some rows of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    pub rows: Vec<Row<T>>,
    /// The position where the next page begins, if there may be one.
    pub end: Option<ListPosition>,
}

#[derive(Clone, Debug)]
pub struct Row<T> {
    pub record: T,
    /// Its position in the list.
    pub place: ListPosition,
}

/// A position in a list: the keys of the row that is or was there. It is valid for that list only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListPosition {
    pub(crate) pk: String,
    pub(crate) sk: String,
    /// The sort key in the index, if the list is one of an index.
    pub(crate) sort: Option<String>,
}

impl PageRequest {
    /// The first page, with at most so many rows.
    pub const fn first(rows: usize) -> Self {
        Self {
            rows: Some(rows),
            after: None,
        }
    }

    pub fn most(&self) -> usize {
        self.rows
            .unwrap_or(MOST_ROWS)
            .min(MOST_ROWS)
    }
}

impl<T> Page<T> {
    /// A page of a short list that was read as a whole. Rows are sorted by a number that is unique
    /// among them.
    pub fn of(records: Vec<T>, number: impl Fn(&T) -> i64, wanted: &PageRequest) -> Self {
        let rows = records.into_iter().map(|record| {
            let pk = String::new();
            let sk = padded(number(&record));
            let place = ListPosition { pk, sk, sort: None };
            Row { record, place }
        });
        Self::sorted(rows.collect(), false, wanted)
    }

    /// A page of a list that was read as a whole. Rows are sorted by their places.
    pub fn sorted(mut rows: Vec<Row<T>>, descending: bool, wanted: &PageRequest) -> Self {
        rows.sort_unstable_by(|row, other| {
            row.place
                .sorted_by()
                .cmp(other.place.sorted_by())
        });
        if descending {
            rows.reverse();
        }
        if let Some(after) = wanted
            .after
            .as_ref()
            .map(ListPosition::sorted_by)
        {
            rows.retain(|Row { place, .. }| {
                place.sorted_by() != after && (place.sorted_by() < after) == descending
            });
        }
        Self { rows, end: None }.cut(wanted.most())
    }

    /// A page without rows that ends its list.
    pub const fn empty() -> Self {
        Self {
            rows: Vec::new(),
            end: None,
        }
    }

    pub fn records(&self) -> impl Iterator<Item = &T> + Clone {
        self.rows.iter().map(|row| &row.record)
    }

    /// Replaces each record, and drops the rows for which `map` returns `None`.
    pub fn filter_map<U>(self, mut map: impl FnMut(T) -> Option<U>) -> Page<U> {
        let rows = self
            .rows
            .into_iter()
            .filter_map(|Row { record, place }| {
                let record = map(record)?;
                Some(Row { record, place })
            });
        Page {
            rows: rows.collect(),
            end: self.end,
        }
    }

    pub fn map<U>(self, mut map: impl FnMut(T) -> U) -> Page<U> {
        self.filter_map(|record| Some(map(record)))
    }

    /// Keeps at most so many rows. If that drops some, the next page begins after the last row
    /// kept.
    #[must_use]
    pub fn cut(mut self, most: usize) -> Self {
        if self.rows.len() > most {
            self.rows.truncate(most);
            self.end = self
                .rows
                .last()
                .map(|row| row.place.clone());
        }
        self
    }
}

impl ListPosition {
    pub fn key(&self) -> AnyKey {
        AnyKey::found(self.pk.clone(), self.sk.clone())
    }

    pub fn sk(&self) -> &str {
        &self.sk
    }

    /// The position of a record in a list of the table.
    pub fn in_table<R>(key: Key<R>) -> Self {
        let (pk, sk) = key.into_parts();
        Self { pk, sk, sort: None }
    }

    /// The position of a record in a list of an index.
    pub fn in_index<R, I>(key: Key<R>, sort: Key<R, I>) -> Self {
        let (pk, sk) = key.into_parts();
        let (_, sort) = sort.into_parts();
        Self {
            pk,
            sk,
            sort: Some(sort),
        }
    }

    /// The sort key in the index, if the list is one of an index.
    pub fn sort(&self) -> Option<&str> {
        self.sort.as_deref()
    }

    /// The text by which the rows of the list are sorted.
    pub fn sorted_by(&self) -> &str {
        self.sort.as_deref().unwrap_or(&self.sk)
    }

    /// The position of the same row in a list by id, in the table or in an index.
    #[must_use]
    pub fn by_id(self) -> Self {
        Self {
            sort: Some(self.sk.clone()),
            ..self
        }
    }

    /// The position as text. A partition key with `prefix` is written without it, so that the text
    /// does not name the tenant.
    pub fn to_text(&self, prefix: &str) -> String {
        let pk = self
            .pk
            .strip_prefix(prefix)
            .unwrap_or(&self.pk);
        match &self.sort {
            Some(sort) => format!("{}\n{pk}\n{sort}", self.sk),
            None => format!("{}\n{pk}", self.sk),
        }
    }

    /// Reads a position from its text. `None` for another text. The partition key begins with
    /// `prefix`, so that no text reaches another tenant.
    pub fn from_text(prefix: &str, text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '\n');
        let sk = parts.next()?.to_owned();
        let pk = format!("{prefix}{}", parts.next()?);
        let sort = parts.next().map(str::to_owned);
        Some(Self { pk, sk, sort })
    }
}
