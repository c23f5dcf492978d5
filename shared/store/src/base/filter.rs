//! Filters of lists as conditions on attributes.

use aws_sdk_dynamodb::types::AttributeValue;
use model::base::{AnyOf, FilterValue, SearchText, Timestamp, UserId};
use table::{Condition, IntoAttribute, attribute};

use crate::{Result, base::words::having_words};

/// Builds the condition of a filter. Each method adds nothing for a parameter that the client left
/// out.
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
    ) -> Result<Self> {
        if let Some(values) = self.values(values)? {
            self.condition = self.condition.one_of(name, values);
        }
        Ok(self)
    }

    /// Rows whose attribute is a set with one of the values.
    pub(crate) fn having<T: FilterValue>(
        mut self,
        name: &str,
        values: Option<&AnyOf<T>>,
    ) -> Result<Self> {
        if let Some(values) = self.values(values)? {
            self.condition = self.condition.has_one_of(name, values);
        }
        Ok(self)
    }

    /// Rows with an instant from that one on.
    pub(crate) fn since(self, name: &str, first: Option<Timestamp>) -> Self {
        self.and("# >= :", name, first)
    }

    /// Rows with an instant before that one.
    pub(crate) fn before(self, name: &str, end: Option<Timestamp>) -> Self {
        self.and("# < :", name, end)
    }

    pub(crate) fn is(self, name: &str, value: Option<impl IntoAttribute>) -> Self {
        self.and("# = :", name, value)
    }

    /// Rows that have the attribute, or lack it.
    pub(crate) fn has(mut self, name: &str, value: Option<bool>) -> Self {
        let clause = match value {
            Some(true) => "attribute_exists(#)",
            Some(false) => "attribute_not_exists(#)",
            None => return self,
        };
        self.condition = self.condition.and(clause, name, []);
        self
    }

    pub(crate) fn and(
        mut self,
        clause: &str,
        name: &str,
        value: Option<impl IntoAttribute>,
    ) -> Self {
        if let Some(value) = value {
            self.condition = self
                .condition
                .and(clause, name, [value.into_attribute()]);
        }
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

    pub(crate) fn condition(self) -> Option<Condition> {
        (!self.condition.is_empty()).then_some(self.condition)
    }

    fn values<T: FilterValue>(
        &self,
        values: Option<&AnyOf<T>>,
    ) -> Result<Option<Vec<Option<AttributeValue>>>> {
        let stored = |value: &T| {
            let stored = value.stored(self.caller);
            stored
                .map(|value| attribute(&value))
                .transpose()
        };
        let values = values.map(|AnyOf(values)| values.iter().map(stored).collect());
        values.transpose()
    }
}
