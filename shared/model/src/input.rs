//! Reads a JSON body field by field, so that one answer lists every fault of it.
//!
//! A body type implements [`Input`]; it asks [`Fields`] for each of its fields with a reader such
//! as [`text`] or [`id`], and then builds itself from what was there:
//!
//! ```
//! use model::input::{Fields, Input, text};
//!
//! struct Rename {
//!     title: String,
//! }
//!
//! impl Input for Rename {
//!     fn read(body: &mut Fields<'_>) -> Option<Self> {
//!         let title = body.required("title", text(1..=255));
//!         Some(Self { title: title? })
//!     }
//! }
//! ```

use std::{borrow::Cow, ops::RangeInclusive};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{Id, MAX_ID, Timestamp, error::Fault};

/// A body that a client may send. Unknown fields are ignored.
pub trait Input: Sized {
    /// Reads the fields; `None` only when a fault was reported to `body`.
    fn read(body: &mut Fields<'_>) -> Option<Self>;
}

/// Parses a body: either the value, or every fault of the text.
pub fn parse<T: Input>(text: &[u8]) -> Result<T, Vec<Fault>> {
    let whole = |code: &'static str, detail: String| {
        vec![Fault {
            pointer: String::new(),
            code: Cow::Borrowed(code),
            detail,
        }]
    };
    let value: Value = serde_json::from_slice(text)
        .map_err(|error| whole("json", format!("The body is not valid JSON: {error}.")))?;
    let Value::Object(object) = value else {
        return Err(whole("type", "The body must be a JSON object.".into()));
    };
    let mut faults = Vec::new();
    let read = T::read(&mut Fields {
        object: &object,
        path: String::new(),
        faults: &mut faults,
    });
    match read {
        Some(value) if faults.is_empty() => Ok(value),
        _ => Err(faults),
    }
}

/// A field of a partial update: absent keeps, null clears, a value replaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The field was not sent.
    #[default]
    Keep,
    /// The field was sent as null.
    Clear,
    /// The field was sent with a value.
    Set(T),
}

impl<T> Patch<T> {
    /// Applies the change to an optional field.
    pub fn apply(self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => *field = None,
            Self::Set(value) => *field = Some(value),
        }
    }

    /// The new value, when one was sent.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Keep | Self::Clear => None,
        }
    }

    /// Whether the field was sent, as null or as a value.
    pub const fn is_sent(&self) -> bool {
        !matches!(self, Self::Keep)
    }
}

/// Why a value does not do: a stable code and a text for a person.
#[derive(Debug)]
pub struct Wrong(pub &'static str, pub String);

/// What a reader of one field answers.
pub type Reading<T> = Result<T, Wrong>;

/// The fields of one JSON object, and the faults found in them so far.
#[derive(Debug)]
pub struct Fields<'a> {
    object: &'a Map<String, Value>,
    /// JSON pointer of the object within the body.
    path: String,
    faults: &'a mut Vec<Fault>,
}

impl Fields<'_> {
    /// A field that must be there and not null; `None` when it is at fault.
    pub fn required<T>(&mut self, name: &str, read: impl Fn(&Value) -> Reading<T>) -> Option<T> {
        match self.object.get(name) {
            None => {
                self.fault(name, "required", format!("Send `{name}`."));
                None
            }
            Some(value) => self.value(name, value, read),
        }
    }

    /// A field that may be absent or null.
    pub fn optional<T>(&mut self, name: &str, read: impl Fn(&Value) -> Reading<T>) -> Option<T> {
        match self.object.get(name) {
            None | Some(Value::Null) => None,
            Some(value) => self.value(name, value, read),
        }
    }

    /// A field that may be absent, but not null: in a partial update, or with a default.
    pub fn not_null<T>(&mut self, name: &str, read: impl Fn(&Value) -> Reading<T>) -> Option<T> {
        let value = self.object.get(name)?;
        self.value(name, value, read)
    }

    /// A nullable field of a partial update.
    pub fn patch<T>(&mut self, name: &str, read: impl Fn(&Value) -> Reading<T>) -> Patch<T> {
        match self.object.get(name) {
            None => Patch::Keep,
            Some(Value::Null) => Patch::Clear,
            Some(value) => self
                .value(name, value, read)
                .map_or(Patch::Keep, Patch::Set),
        }
    }

    /// An array of objects, each read by `read`; `None` when it or an element is at fault.
    pub fn objects<T>(
        &mut self,
        name: &str,
        count: RangeInclusive<usize>,
        read: impl Fn(&mut Fields<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let elements = self.required(name, array(count))?;
        let mut values = Vec::with_capacity(elements.len());
        let mut whole = true;
        for (at, element) in elements.iter().enumerate() {
            let path = format!("{}/{name}/{at}", self.path);
            let value = if let Value::Object(object) = element {
                read(&mut Fields {
                    object,
                    path,
                    faults: self.faults,
                })
            } else {
                self.faults.push(Fault {
                    pointer: path,
                    code: Cow::Borrowed("type"),
                    detail: "Expected an object.".into(),
                });
                None
            };
            whole &= value.is_some();
            values.extend(value);
        }
        whole.then_some(values)
    }

    /// An array of values, each read by `read`; `None` when it or an element is at fault.
    pub fn values<T>(
        &mut self,
        name: &str,
        count: RangeInclusive<usize>,
        read: impl Fn(&Value) -> Reading<T>,
    ) -> Option<Vec<T>> {
        let elements = self.required(name, array(count))?;
        let mut values = Vec::with_capacity(elements.len());
        for (at, element) in elements.iter().enumerate() {
            values.extend(self.value(&format!("{name}/{at}"), element, &read));
        }
        (values.len() == elements.len()).then_some(values)
    }

    /// Reports a fault of a field, or of the object itself when `name` is empty.
    pub fn fault(&mut self, name: &str, code: &'static str, detail: impl Into<String>) {
        let pointer = if name.is_empty() {
            self.path.clone()
        } else {
            format!("{}/{name}", self.path)
        };
        self.faults.push(Fault {
            pointer,
            code: Cow::Borrowed(code),
            detail: detail.into(),
        });
    }

    /// Whether any of these fields was sent, as null or as a value.
    #[must_use]
    pub fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.object.contains_key(*name))
    }

    /// Whether a field was sent with a value, be it at fault.
    #[must_use]
    pub fn has_value(&self, name: &str) -> bool {
        self.object.get(name).is_some_and(|value| !value.is_null())
    }

    fn value<T>(
        &mut self,
        name: &str,
        value: &Value,
        read: impl Fn(&Value) -> Reading<T>,
    ) -> Option<T> {
        let reading = if value.is_null() {
            Err(Wrong("null", format!("`{name}` cannot be null.")))
        } else {
            read(value)
        };
        reading
            .map_err(|Wrong(code, detail)| self.fault(name, code, detail))
            .ok()
    }
}

/// A string of so many characters; where at least one is asked for, not only white space.
pub fn text(length: RangeInclusive<usize>) -> impl Fn(&Value) -> Reading<String> {
    move |value| {
        let text = string(value)?;
        let (least, most) = (*length.start(), *length.end());
        if least > 0 && text.trim().is_empty() {
            return Err(Wrong(
                "blank",
                "Expected some text, not only white space.".into(),
            ));
        }
        if length.contains(&text.chars().count()) {
            Ok(text.to_owned())
        } else {
            Err(Wrong(
                "length",
                format!("Expected {least} to {most} characters."),
            ))
        }
    }
}

/// An id of a record: an integer from 1 to 2^53-1.
pub fn id<I: Id>(value: &Value) -> Reading<I> {
    integer(1..=MAX_ID)(value).and_then(|number| {
        I::new(number).ok_or_else(|| Wrong("range", format!("Expected 1 to {MAX_ID}.")))
    })
}

/// An integer within a range.
pub fn integer(range: RangeInclusive<i64>) -> impl Fn(&Value) -> Reading<i64> {
    move |value| {
        let Value::Number(number) = value else {
            return Err(Wrong("type", "Expected an integer.".into()));
        };
        if number.is_f64() {
            return Err(Wrong(
                "type",
                "Expected an integer without decimals.".into(),
            ));
        }
        match number.as_i64() {
            Some(number) if range.contains(&number) => Ok(number),
            _ => Err(Wrong(
                "range",
                format!("Expected {} to {}.", range.start(), range.end()),
            )),
        }
    }
}

/// An instant of RFC 3339 with any offset.
pub fn instant(value: &Value) -> Reading<Timestamp> {
    string(value)?
        .parse()
        .map_err(|error| Wrong("date_time", format!("This is {error}.")))
}

/// One of a fixed set of names: an enum without fields.
pub fn one_of<T: DeserializeOwned>(value: &Value) -> Reading<T> {
    string(value)?;
    T::deserialize(value).map_err(|error| Wrong("value", format!("This is an {error}.")))
}

/// A short name of lower-case letters, digits and underscores, 1 to 64 of them.
pub fn slug(value: &Value) -> Reading<String> {
    let text = string(value)?;
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if (1..=64).contains(&text.len()) && text.bytes().all(plain) {
        Ok(text.to_owned())
    } else {
        Err(Wrong(
            "pattern",
            "Expected 1 to 64 lower-case letters, digits or underscores.".into(),
        ))
    }
}

/// A JSON object of at most 16 KiB as written without spaces, nested at most five levels deep.
pub fn object(value: &Value) -> Reading<Map<String, Value>> {
    const BYTES: usize = 16 * 1024;
    const LEVELS: usize = 5;
    let Value::Object(object) = value else {
        return Err(Wrong("type", "Expected an object.".into()));
    };
    if levels(value) > LEVELS {
        return Err(Wrong("depth", format!("Expected at most {LEVELS} levels.")));
    }
    if value.to_string().len() > BYTES {
        return Err(Wrong("length", "Expected at most 16 KiB of JSON.".into()));
    }
    Ok(object.clone())
}

/// Levels of nesting: 0 for a scalar. The parser has bounded the depth already.
fn levels(value: &Value) -> usize {
    match value {
        Value::Object(object) => 1 + object.values().map(levels).max().unwrap_or(0),
        Value::Array(array) => 1 + array.iter().map(levels).max().unwrap_or(0),
        _ => 0,
    }
}

fn array(count: RangeInclusive<usize>) -> impl Fn(&Value) -> Reading<Vec<Value>> {
    move |value| {
        let Value::Array(elements) = value else {
            return Err(Wrong("type", "Expected an array.".into()));
        };
        if count.contains(&elements.len()) {
            Ok(elements.clone())
        } else {
            Err(Wrong(
                "length",
                format!("Expected {} to {} elements.", count.start(), count.end()),
            ))
        }
    }
}

fn string(value: &Value) -> Reading<&str> {
    value
        .as_str()
        .ok_or_else(|| Wrong("type", "Expected a string.".into()))
}
