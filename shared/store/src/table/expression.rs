//! The expressions of conditions and updates, which name every attribute and value by a placeholder.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use model::Id;

use super::item::{IntoAttribute, Item};
use crate::key::{Index, Main, Sort};

/// What a write expects of the item that is there. Clauses are joined by AND.
#[derive(Clone, Debug, Default)]
pub(crate) struct Condition(pub(super) Expression);

impl Condition {
    /// There is no item.
    pub(crate) fn absent() -> Self {
        Self::default().and("attribute_not_exists(#)", Main::PARTITION, [])
    }

    /// There is an item.
    pub(crate) fn exists() -> Self {
        Self::default().and("attribute_exists(#)", Main::PARTITION, [])
    }

    /// There is an item of that version: nobody wrote it since it was read.
    pub(crate) fn version(version: i64) -> Self {
        Self::default().equals("version", version)
    }

    /// The attribute has that value, which also means that there is an item.
    pub(crate) fn equals(self, name: &str, value: impl IntoAttribute) -> Self {
        self.and("# = :", name, [value.into_attribute()])
    }

    /// The attribute is of a type, such as `N`.
    pub(crate) fn of_type(self, name: &str, kind: &str) -> Self {
        self.and("attribute_type(#, :)", name, [kind.into_attribute()])
    }

    /// The attribute is absent.
    pub(crate) fn lacks(self, name: &str) -> Self {
        self.and("attribute_not_exists(#)", name, [])
    }

    /// The set does not have the number; none that is absent does.
    pub(crate) fn not_in_set(self, name: &str, id: impl Id) -> Self {
        self.and("NOT contains(#, :)", name, [id.get().into_attribute()])
    }

    /// The set has the number.
    pub(crate) fn in_set(self, name: &str, id: impl Id) -> Self {
        self.and("contains(#, :)", name, [id.get().into_attribute()])
    }

    /// The set has less than `most` numbers, as one that is absent does.
    pub(crate) fn set_below(self, name: &str, most: usize) -> Self {
        let room = "(attribute_not_exists(#) OR size(#) < :)";
        self.and(room, name, [AttributeValue::N(most.to_string())])
    }

    /// Whether everything fits.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.text.is_empty()
    }

    /// The attribute has one of the values, or is absent if one of them is `None`.
    pub(crate) fn one_of(
        self,
        name: &str,
        values: impl IntoIterator<Item = Option<AttributeValue>>,
    ) -> Self {
        self.any_clause(name, values, "# = :")
    }

    /// The attribute is a set with one of the values, or is absent if one of them is `None`.
    pub(crate) fn has_one_of(
        self,
        name: &str,
        values: impl IntoIterator<Item = Option<AttributeValue>>,
    ) -> Self {
        self.any_clause(name, values, "contains(#, :)")
    }

    fn any_clause(
        mut self,
        name: &str,
        values: impl IntoIterator<Item = Option<AttributeValue>>,
        clause: &str,
    ) -> Self {
        let values = values.into_iter();
        let clauses = values.map(|value| match value {
            Some(value) => self.0.clause(clause, name, [value]),
            None => self.0.clause("attribute_not_exists(#)", name, []),
        });
        let any = clauses.collect::<Vec<_>>().join(" OR ");
        self.0.join(&format!("({any})"));
        self
    }

    /// One more clause, in which `#` stands for the attribute's name and `:` for the next value.
    pub(crate) fn and<const N: usize>(
        mut self,
        clause: &str,
        name: &str,
        values: [AttributeValue; N],
    ) -> Self {
        let clause = self.0.clause(clause, name, values);
        self.0.join(&clause);
        self
    }
}

/// Text of an expression with its placeholders, which keep clear of reserved words.
#[derive(Clone, Debug, Default)]
pub(super) struct Expression {
    pub(super) text: String,
    pub(super) names: HashMap<String, String>,
    pub(super) values: HashMap<String, AttributeValue>,
}

impl Expression {
    /// One more clause.
    fn join(&mut self, clause: &str) {
        if !self.text.is_empty() {
            self.text.push_str(" AND ");
        }
        self.text.push_str(clause);
    }

    pub(super) fn clause<const N: usize>(
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

    pub(super) fn name(&mut self, name: &str) -> String {
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

/// What an update does to an item's attributes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    pub(super) expression: Expression,
    pub(super) set: Vec<String>,
    pub(super) add: Vec<String>,
    pub(super) delete: Vec<String>,
    pub(super) remove: Vec<String>,
}

impl Change {
    /// Gives the attribute a value.
    pub(crate) fn set(mut self, name: &str, value: impl IntoAttribute) -> Self {
        let clause = self
            .expression
            .clause("# = :", name, [value.into_attribute()]);
        self.set.push(clause);
        self
    }

    /// Adds to a number, which is 0 when absent.
    pub(crate) fn add(mut self, name: &str, by: i64) -> Self {
        let clause = self.expression.clause("# :", name, [by.into_attribute()]);
        self.add.push(clause);
        self
    }

    /// Puts a number into a set, which is empty when absent and may have it already.
    pub(crate) fn put_in_set(mut self, name: &str, id: impl Id) -> Self {
        let clause = self.expression.clause("# :", name, [set_of(id)]);
        self.add.push(clause);
        self
    }

    /// Puts numbers into a set, which is empty when absent and may have some of them already. There is
    /// at least one.
    pub(crate) fn put_all_in_set(mut self, name: &str, numbers: &[i64]) -> Self {
        let numbers = numbers.iter().map(ToString::to_string).collect();
        let clause = self
            .expression
            .clause("# :", name, [AttributeValue::Ns(numbers)]);
        self.add.push(clause);
        self
    }

    /// Puts a text into a set of texts, which is empty when absent and may have it already.
    pub(crate) fn put_text_in_set(mut self, name: &str, text: String) -> Self {
        let clause = self
            .expression
            .clause("# :", name, [AttributeValue::Ss(vec![text])]);
        self.add.push(clause);
        self
    }

    /// Takes a number out of a set, which need not have it. The attribute goes with its last one.
    pub(crate) fn take_from_set(mut self, name: &str, id: impl Id) -> Self {
        let clause = self.expression.clause("# :", name, [set_of(id)]);
        self.delete.push(clause);
        self
    }

    /// Takes the attribute away.
    pub(crate) fn remove(mut self, name: &str) -> Self {
        let clause = self.expression.name(name);
        self.remove.push(clause);
        self
    }

    /// Moves the item within the partition that it has in an index.
    pub(crate) fn move_to<I: Index>(self, place: Sort<I>) -> Self {
        self.set(I::SORT, place.into_text())
    }

    /// Takes the item out of an index.
    pub(crate) fn leave<I: Index>(self, _: I) -> Self {
        self.remove(I::PARTITION).remove(I::SORT)
    }

    pub(super) fn text(&self) -> String {
        [
            ("SET ", &self.set),
            ("ADD ", &self.add),
            ("DELETE ", &self.delete),
            ("REMOVE ", &self.remove),
        ]
        .into_iter()
        .filter(|(_, clauses)| !clauses.is_empty())
        .map(|(verb, clauses)| format!("{verb}{}", clauses.join(", ")))
        .collect::<Vec<_>>()
        .join(" ")
    }
}

fn set_of(id: impl Id) -> AttributeValue {
    AttributeValue::Ns(vec![id.get().to_string()])
}

pub(super) type Names = HashMap<String, String>;

/// The text, names and values of an update with its condition, whose values are renamed so that
/// the two do not meet.
pub(super) fn update_expression(change: &Change, condition: &Expression) -> (String, Names, Item) {
    let mut names = change.expression.names.clone();
    names.extend(condition.names.clone());
    let mut values = change.expression.values.clone();
    for (placeholder, value) in &condition.values {
        values.insert(placeholder.replacen(":v", ":c", 1), value.clone());
    }
    (change.text(), names, values)
}

pub(super) fn condition_text(condition: &Expression) -> String {
    condition.text.replace(":v", ":c")
}

pub(super) fn some_text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

pub(super) fn some<V: Clone>(map: &HashMap<String, V>) -> Option<HashMap<String, V>> {
    (!map.is_empty()).then(|| map.clone())
}
