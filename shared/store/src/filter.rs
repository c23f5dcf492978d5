//! Filters of lists as conditions on attributes.

use aws_sdk_dynamodb::types::AttributeValue;
use model::{AnyOf, Error, FilterValue, SearchText, Timestamp, UserId};

use super::{
    table::{Condition, IntoAttribute, attribute},
    words::having_words,
};

/// Builds the condition of a filter. Each method adds nothing for a parameter that the client left out.
pub(crate) struct Filter {
    condition: Condition,
    /// The user that `me` stands for.
    caller: UserId,
}

impl Filter {
    /// A filter that every row matches.
    pub(crate) fn of(caller: UserId) -> Self {
        Self {
            condition: Condition::default(),
            caller,
        }
    }

    /// Rows whose attribute has one of the values.
    pub(crate) fn any<T: FilterValue>(
        mut self,
        name: &str,
        values: Option<&AnyOf<T>>,
    ) -> Result<Self, Error> {
        if let Some(values) = values {
            let values = self.values(values)?;
            self.condition = self.condition.one_of(name, values);
        }
        Ok(self)
    }

    /// Rows whose attribute is a set with one of the values.
    pub(crate) fn having<T: FilterValue>(
        mut self,
        name: &str,
        values: Option<&AnyOf<T>>,
    ) -> Result<Self, Error> {
        if let Some(values) = values {
            let values = self.values(values)?;
            self.condition = self.condition.has_one_of(name, values);
        }
        Ok(self)
    }

    /// Rows with an instant from that one on.
    pub(crate) fn since(mut self, name: &str, first: Option<Timestamp>) -> Self {
        if let Some(first) = first {
            let first = [first.into_attribute()];
            self.condition = self.condition.and("# >= :", name, first);
        }
        self
    }

    /// Rows with an instant before that one.
    pub(crate) fn before(mut self, name: &str, end: Option<Timestamp>) -> Self {
        if let Some(end) = end {
            let end = [end.into_attribute()];
            self.condition = self.condition.and("# < :", name, end);
        }
        self
    }

    pub(crate) fn is(mut self, name: &str, value: Option<impl IntoAttribute>) -> Self {
        if let Some(value) = value {
            self.condition = self.condition.equals(name, value);
        }
        self
    }

    /// Rows whose attribute is anything else than this.
    pub(crate) fn other_than(mut self, name: &str, value: impl IntoAttribute) -> Self {
        let value = [value.into_attribute()];
        self.condition = self.condition.and("# <> :", name, value);
        self
    }

    /// Rows with a word that begins so, for each word of the query, as
    /// [`words`](table::Record::words) has them.
    pub(crate) fn query(mut self, query: Option<&SearchText>) -> Self {
        if let Some(query) = query {
            self.condition = having_words(self.condition, query);
        }
        self
    }

    /// Rows whose attribute is a list with this text.
    pub(crate) fn listing(mut self, name: &str, text: Option<&str>) -> Self {
        if let Some(text) = text {
            let text = [text.into_attribute()];
            self.condition = self.condition.and("contains(#, :)", name, text);
        }
        self
    }

    pub(crate) fn condition(self) -> Option<Condition> {
        (!self.condition.is_empty()).then_some(self.condition)
    }

    fn values<T: FilterValue>(
        &self,
        values: &AnyOf<T>,
    ) -> Result<Vec<Option<AttributeValue>>, Error> {
        let values = values.0.iter();
        let stored = |value: &T| {
            value
                .stored(self.caller)
                .map(|value| attribute(&value))
                .transpose()
        };
        values.map(stored).collect()
    }
}
