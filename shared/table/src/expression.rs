//! Conditions and updates. Their expressions use a placeholder for every attribute name and value.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use model::base::Id;

use crate::{Index, IntoAttribute, Key, Main, SortKey, attribute::Item};

/// The condition of a write, or the filter of a list. Clauses are joined by AND; without any, every
/// item matches.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Condition(pub(crate) Expression);

impl Condition {
    /// There is no item.
    pub fn absent() -> Self {
        Self::default().and("attribute_not_exists(#)", Main::PARTITION, [])
    }

    /// There is an item.
    pub fn exists() -> Self {
        Self::default().and("attribute_exists(#)", Main::PARTITION, [])
    }

    /// There is an item of that version: it has not been written since it was read.
    pub fn version(version: i64) -> Self {
        Self::default().equals("version", version)
    }

    /// The attribute has that value. This implies that there is an item.
    pub fn equals(self, name: &str, value: impl IntoAttribute) -> Self {
        self.and("# = :", name, [value.into_attribute()])
    }

    /// The attribute is of a type, such as `N`.
    pub fn of_type(self, name: &str, kind: &str) -> Self {
        self.and("attribute_type(#, :)", name, [kind.into_attribute()])
    }

    pub fn lacks(self, name: &str) -> Self {
        self.and("attribute_not_exists(#)", name, [])
    }

    pub fn in_set(self, name: &str, id: impl Id) -> Self {
        self.and("contains(#, :)", name, [id.get().into_attribute()])
    }

    /// The set has fewer than `most` numbers. An absent set has none.
    pub fn set_below(self, name: &str, most: usize) -> Self {
        self.absent_or(name, "size(#) < :", most)
    }

    /// The attribute is absent, or compares to the value as the clause says.
    pub fn absent_or(self, name: &str, clause: &str, value: impl IntoAttribute) -> Self {
        let clause = format!("(attribute_not_exists(#) OR {clause})");
        self.and(&clause, name, [value.into_attribute()])
    }

    /// True if there is no clause, so that every item matches.
    pub fn is_empty(&self) -> bool {
        self.0.text.is_empty()
    }

    /// The attribute has one of the values, at most 100. `None` stands for an absent attribute.
    pub fn one_of(
        mut self,
        name: &str,
        values: impl IntoIterator<Item = Option<AttributeValue>>,
    ) -> Self {
        let mut there = Vec::new();
        let mut is_absent = None;
        for value in values {
            match value {
                Some(value) => there.push(value),
                None => {
                    is_absent = Some(
                        self.0
                            .clause("attribute_not_exists(#)", name, []),
                    );
                }
            }
        }
        let is_one = (!there.is_empty()).then(|| {
            let places = vec![":"; there.len()].join(", ");
            self.0
                .clause(&format!("# IN ({places})"), name, there)
        });
        self.any(is_one.into_iter().chain(is_absent))
    }

    /// The attribute is a set that contains one of the values. `None` stands for an absent
    /// attribute.
    pub fn has_one_of(
        mut self,
        name: &str,
        values: impl IntoIterator<Item = Option<AttributeValue>>,
    ) -> Self {
        let clauses: Vec<_> = values
            .into_iter()
            .map(|value| match value {
                Some(value) => self
                    .0
                    .clause("contains(#, :)", name, [value]),
                None => self
                    .0
                    .clause("attribute_not_exists(#)", name, []),
            })
            .collect();
        self.any(clauses.into_iter())
    }

    /// One of the clauses holds. Each has an attribute of its own, as in [`and`](Self::and).
    pub fn either<const N: usize>(mut self, clauses: [(&str, &str, AttributeValue); N]) -> Self {
        let clauses = clauses.map(|(clause, name, value)| self.0.clause(clause, name, [value]));
        self.any(clauses.into_iter())
    }

    fn any(mut self, clauses: impl Iterator<Item = String>) -> Self {
        let any = clauses.collect::<Vec<_>>().join(" OR ");
        self.0.join(&format!("({any})"));
        self
    }

    /// Adds a clause, in which `#` stands for the attribute's name and each `:` for the next value.
    pub fn and<const N: usize>(
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

/// The text of an expression, and its placeholders. They avoid conflicts with reserved words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expression {
    pub(crate) text: String,
    pub(crate) names: HashMap<String, String>,
    pub(crate) values: HashMap<String, AttributeValue>,
}

impl Expression {
    fn join(&mut self, clause: &str) {
        if !self.text.is_empty() {
            self.text.push_str(" AND ");
        }
        self.text.push_str(clause);
    }

    /// Builds a clause, in which `#` stands for the attribute's name and each `:` for the next
    /// value.
    pub(crate) fn clause(
        &mut self,
        clause: &str,
        name: &str,
        values: impl IntoIterator<Item = AttributeValue>,
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

    /// Returns the placeholder of an attribute's name.
    pub(crate) fn name(&mut self, name: &str) -> String {
        let placeholder = format!("#{name}");
        self.names
            .insert(placeholder.clone(), name.to_owned());
        placeholder
    }

    /// Returns the placeholder of a value.
    fn value(&mut self, value: AttributeValue) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values
            .insert(placeholder.clone(), value);
        placeholder
    }
}

/// Changes of an item's attributes by an update.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct UpdateExpression {
    expression: Expression,
    /// The clauses of each verb.
    clauses: HashMap<&'static str, Vec<String>>,
}

impl UpdateExpression {
    pub fn set(self, name: &str, value: impl IntoAttribute) -> Self {
        self.set_attribute(name, value.into_attribute())
    }

    /// Sets the attribute to a value in DynamoDB's form.
    pub fn set_attribute(self, name: &str, value: AttributeValue) -> Self {
        self.and("SET", "# = :", name, Some(value))
    }

    /// Adds to a number. An absent one is 0.
    pub fn add(self, name: &str, by: i64) -> Self {
        self.and("ADD", "# :", name, Some(by.into_attribute()))
    }

    /// Adds a number to a set, which may be absent or contain it already.
    pub fn put_in_set(self, name: &str, id: impl Id) -> Self {
        self.put_all_in_set(name, &[id.get()])
    }

    /// Adds numbers, at least one, to a set, which may be absent or contain some of them already.
    pub fn put_all_in_set(self, name: &str, numbers: &[i64]) -> Self {
        self.and("ADD", "# :", name, Some(set_of(numbers)))
    }

    /// Removes a number from a set, which need not contain it. The attribute is removed with its
    /// last number.
    pub fn take_from_set(self, name: &str, id: impl Id) -> Self {
        self.and("DELETE", "# :", name, Some(set_of(&[id.get()])))
    }

    pub fn remove(self, name: &str) -> Self {
        self.and("REMOVE", "#", name, None)
    }

    fn and(
        mut self,
        verb: &'static str,
        clause: &str,
        name: &str,
        value: Option<AttributeValue>,
    ) -> Self {
        let clause = self
            .expression
            .clause(clause, name, value);
        self.clauses
            .entry(verb)
            .or_default()
            .push(clause);
        self
    }

    /// Changes the item's sort key in an index. It stays in its partition.
    pub fn move_to<I: Index>(self, place: SortKey<I>) -> Self {
        self.set(I::SORT, place.into_text())
    }

    /// Puts the item into an index, or moves it there.
    pub fn enter<R, I: Index>(self, key: Key<R, I>) -> Self {
        let (partition, sort) = key.into_parts();
        self.set(I::PARTITION, partition)
            .set(I::SORT, sort)
    }

    pub fn leave<I: Index>(self, _: I) -> Self {
        self.remove(I::PARTITION)
            .remove(I::SORT)
    }

    fn text(&self) -> String {
        let verbs = ["SET", "ADD", "DELETE", "REMOVE"].iter();
        let clauses = verbs.filter_map(|verb| {
            let clauses = self.clauses.get(verb)?.join(", ");
            Some(format!("{verb} {clauses}"))
        });
        clauses.collect::<Vec<_>>().join(" ")
    }
}

fn set_of(numbers: &[i64]) -> AttributeValue {
    AttributeValue::Ns(
        numbers
            .iter()
            .map(ToString::to_string)
            .collect(),
    )
}

/// Attribute names by placeholder.
pub(crate) type Names = HashMap<String, String>;

/// The text, names and values of an update with its condition. The condition's values are renamed
/// from `:v` to `:c`, as in [`condition_text`], to keep them apart from the update's.
pub(crate) fn update_expression(
    change: &UpdateExpression,
    condition: &Expression,
) -> (String, Names, Item) {
    let mut names = change.expression.names.clone();
    names.extend(condition.names.clone());
    let mut values = change.expression.values.clone();
    for (placeholder, value) in &condition.values {
        values.insert(placeholder.replacen(":v", ":c", 1), value.clone());
    }
    (change.text(), names, values)
}

/// The text of a condition that stands beside an update.
pub(crate) fn condition_text(condition: &Expression) -> String {
    condition.text.replace(":v", ":c")
}

/// The text, unless it is empty: the SDK wants `None` for an absent expression.
pub(crate) fn some_text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// The map, unless it is empty: the SDK wants `None` for absent placeholders.
pub(crate) fn some<V: Clone>(map: &HashMap<String, V>) -> Option<HashMap<String, V>> {
    (!map.is_empty()).then(|| map.clone())
}
