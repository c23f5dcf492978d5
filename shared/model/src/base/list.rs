//! The query of a list: filters, sort order, limit and cursor.

use serde::Serialize;
use serde_json::Value;
use utoipa::openapi::{ArrayBuilder, schema::AnyOfBuilder};

use crate::{
    base::{
        FaultCode, UserId, Whole,
        input::{Field, Fields, Input, InputPlace, Property, Reading, Schema, read_field, string},
    },
    input,
};

/// The query of a list with filters `F` and sort orders `S`.
#[derive(Clone, Debug)]
pub struct Listing<F, S> {
    pub filter: F,
    pub sort: S,
    pub part: Part,
}

pub trait SortOrder: Field + Default + Copy + Send {}

impl<S: Field + Default + Copy + Send> SortOrder for S {}

input! {
    pub struct Part {
        /// The most rows of a page; without it, up to 1,000 rows or 4 MB.
        limit: Option<Limit>,
        /// The start of the page, from the `Link` header of the page before.
        cursor: Option<Cursor>,
    }
}

/// The most rows of a page.
pub type Limit = Whole<1, 200>;

/// A place in a list. Only the service can read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(String);

/// A filter for rows with one of these values: at most `MOST`, separated by commas or in repeated
/// parameters. A repeated parameter is not split at commas if its values may hold commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnyOf<T, const MOST: usize = 50>(pub Vec<T>);

/// A filter for rows with one of these ids.
pub type Ids<T> = AnyOf<T, 100>;

/// A filter for a value, or `none` for rows without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrNone<T> {
    None,
    Some(T),
}

/// A user; `me` is the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Me,
    User(UserId),
}

/// A value of a filter on an attribute that may be absent.
pub trait FilterValue {
    /// Returns the stored value. `None` for an absent attribute.
    fn stored(&self, caller: UserId) -> Option<impl Serialize>;
}

impl<T: Serialize> FilterValue for T {
    fn stored(&self, _: UserId) -> Option<impl Serialize> {
        Some(self)
    }
}

impl FilterValue for Who {
    fn stored(&self, caller: UserId) -> Option<impl Serialize> {
        Some(self.user(caller))
    }
}

impl<T: FilterValue> FilterValue for OrNone<T> {
    fn stored(&self, caller: UserId) -> Option<impl Serialize> {
        match self {
            Self::None => None,
            Self::Some(value) => value.stored(caller),
        }
    }
}

impl Cursor {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T> AnyOf<T> {
    /// Returns the value, if there is exactly one.
    pub fn only(&self) -> Option<&T> {
        match self.0.as_slice() {
            [value] => Some(value),
            _ => None,
        }
    }

    /// Returns true if the filter fits the value of a row.
    pub fn has<V: PartialEq<T>>(&self, value: &V) -> bool {
        self.0
            .iter()
            .any(|element| value == element)
    }
}

impl AnyOf<OrNone<Who>> {
    /// Returns true if the filter fits the user of a row. `me` is the caller.
    pub fn names_user(&self, user: Option<UserId>, caller: UserId) -> bool {
        self.names(user.map(Who::User).as_ref())
            || (user == Some(caller) && self.names(Some(&Who::Me)))
    }
}

impl<T: PartialEq> AnyOf<OrNone<T>> {
    /// Returns true if the filter fits the value of a row.
    pub fn names(&self, value: Option<&T>) -> bool {
        self.0
            .iter()
            .any(|element| match element {
                OrNone::None => value.is_none(),
                OrNone::Some(element) => value == Some(element),
            })
    }
}

impl<T: PartialEq + 'static> AnyOf<OrNone<T>> {
    /// Returns true if one of the values is named, or `none` for no values.
    pub fn names_one_of<'a>(&self, values: impl IntoIterator<Item = &'a T>) -> bool {
        let mut values = values.into_iter().peekable();
        match values.peek() {
            None => self.names(None),
            Some(_) => values.any(|value| self.names(Some(value))),
        }
    }
}

impl<T: Copy> AnyOf<OrNone<T>> {
    /// Returns the value, if there is exactly one and it is not `none`.
    pub fn only_value(&self) -> Option<T> {
        match self.only()? {
            OrNone::Some(value) => Some(*value),
            OrNone::None => None,
        }
    }
}

impl Who {
    pub const fn user(self, caller: UserId) -> UserId {
        match self {
            Self::Me => caller,
            Self::User(user) => user,
        }
    }
}

impl<F: Input, S: SortOrder> Input for Listing<F, S> {
    fn read_object(object: &Fields, place: &mut InputPlace<'_>) -> Reading<Self> {
        let filter = F::read_object(object, place);
        let sort: Reading<Option<S>> = read_field(object, SORT, place);
        let part = Part::read_object(object, place);
        Some(Self {
            filter: filter?,
            sort: sort?.unwrap_or_default(),
            part: part?,
        })
    }

    fn properties() -> Vec<Property> {
        let mut properties = F::properties();
        properties.push(Property {
            name: SORT.to_owned(),
            required: false,
            schema: S::field_schema(),
        });
        properties.extend(Part::properties());
        properties
    }

    fn schemas(schemas: &mut Vec<(String, Schema)>) {
        F::schemas(schemas);
        Part::schemas(schemas);
        S::field_schemas(schemas);
    }
}

const SORT: &str = "sort";

impl Field for Cursor {
    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        place
            .text(value)
            .map(|text| Self(text.to_owned()))
    }

    fn field_schema() -> Schema {
        string()
            .pattern(Some("^[A-Za-z0-9_-]+$"))
            .into()
    }
}

impl<T: Field + PartialEq, const MOST: usize> Field for AnyOf<T, MOST> {
    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        let parts: Vec<&str> = match value {
            Value::String(text) => text.split(',').collect(),
            Value::Array(repeated) => {
                let texts = repeated
                    .iter()
                    .filter_map(Value::as_str);
                if T::HOLDS_COMMAS {
                    texts.collect()
                } else {
                    texts
                        .flat_map(|text| text.split(','))
                        .collect()
                }
            }
            other => return place.wrong(other, "a string"),
        };
        if parts.len() > MOST {
            return place.must(FaultCode::Length, format!("have at most {MOST} values"));
        }
        let mut values = Vec::new();
        for part in parts {
            let value = T::read(&Value::from(part), place)?;
            if !values.contains(&value) {
                values.push(value);
            }
        }
        Some(Self(values))
    }

    fn field_schema() -> Schema {
        ArrayBuilder::new()
            .items(T::field_schema())
            .min_items(Some(1))
            .max_items(Some(MOST))
            .into()
    }

    fn field_schemas(schemas: &mut Vec<(String, Schema)>) {
        T::field_schemas(schemas);
    }
}

impl<T: Field> Field for OrNone<T> {
    const HOLDS_COMMAS: bool = T::HOLDS_COMMAS;

    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        if value == "none" {
            return Some(Self::None);
        }
        T::read(value, &mut place.or("none")).map(Self::Some)
    }

    fn field_schema() -> Schema {
        or_word(T::field_schema(), "none")
    }

    fn field_schemas(schemas: &mut Vec<(String, Schema)>) {
        T::field_schemas(schemas);
    }
}

impl Field for Who {
    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        if value == "me" {
            return Some(Self::Me);
        }
        UserId::read(value, &mut place.or("me")).map(Self::User)
    }

    fn field_schema() -> Schema {
        or_word(UserId::field_schema(), "me")
    }

    fn field_schemas(schemas: &mut Vec<(String, Schema)>) {
        UserId::field_schemas(schemas);
    }
}

/// Adds a word to a schema. Where the schema allows any text, the word may also be a value.
fn or_word(schema: Schema, word: &str) -> Schema {
    let word = string().enum_values(Some([word]));
    AnyOfBuilder::new()
        .item(schema)
        .item(word)
        .into()
}
