//! What may stand in a field.

use std::fmt::Display;

use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::{
    ToSchema,
    openapi::{Ref, RefOr, Schema},
};

use crate::{Fault, FaultCode};

/// A value that was read; `None` only when a fault was reported.
pub type Reading<T> = Option<T>;

/// A place in what a client sent, and the faults found so far.
#[derive(Debug)]
pub struct Place<'a> {
    pointer: String,
    /// What stands between this place and a name below it: `?` for the parameters of a query.
    separator: char,
    faults: &'a mut Vec<Fault>,
}

impl<'a> Place<'a> {
    /// The whole of a body.
    pub fn body(faults: &'a mut Vec<Fault>) -> Self {
        Self {
            pointer: String::new(),
            separator: '/',
            faults,
        }
    }

    /// The whole of a query, whose parameters are text.
    pub fn query(faults: &'a mut Vec<Fault>) -> Self {
        Self {
            separator: '?',
            ..Self::body(faults)
        }
    }

    /// A member or an element.
    pub fn at(&mut self, name: impl Display) -> Place<'_> {
        Place {
            pointer: format!("{}{}{name}", self.pointer, self.separator),
            separator: self.separator,
            faults: self.faults,
        }
    }

    /// The same place, whose faults are told elsewhere.
    pub(super) fn apart<'b>(&self, faults: &'b mut Vec<Fault>) -> Place<'b> {
        Place {
            pointer: self.pointer.clone(),
            separator: self.separator,
            faults,
        }
    }

    /// Whether this is a parameter of a query, whose value is text whatever it means.
    #[must_use]
    pub const fn is_query(&self) -> bool {
        self.separator == '?'
    }

    /// Reports a fault of what stands here.
    pub fn report(&mut self, code: FaultCode, detail: impl Into<String>) {
        self.faults.push(Fault {
            pointer: self.pointer.clone(),
            code,
            detail: detail.into(),
        });
    }

    /// Reports a fault, and answers that nothing was read.
    pub fn fault<T>(&mut self, code: FaultCode, detail: impl Into<String>) -> Reading<T> {
        self.report(code, detail);
        None
    }

    /// Reports a value of the wrong type, null among them.
    pub fn wrong<T>(&mut self, value: &Value, expected: &str) -> Reading<T> {
        if value.is_null() {
            let detail = format!("`{}` cannot be null.", self.name());
            return self.fault(FaultCode::Null, detail);
        }
        self.fault(FaultCode::Type, format!("Expected {expected}."))
    }

    /// The member's own name.
    pub(super) fn name(&self) -> &str {
        let own = self.pointer.rsplit(self.separator).next();
        own.unwrap_or_default()
    }
}

/// A name that a client chose, as it stands in a JSON pointer (RFC 6901).
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A type of what may stand in a field.
pub trait Field: Sized {
    /// Whether the field must be sent.
    const REQUIRED: bool = true;

    /// Reads what was sent.
    fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self>;

    /// What an absent field means.
    fn absent(place: &mut Place<'_>) -> Reading<Self> {
        let detail = format!("Send `{}`.", place.name());
        place.fault(FaultCode::Required, detail)
    }

    /// Checks an element of a list against those before it.
    fn among(&self, _before: &[Self], _place: &mut Place<'_>) {}

    /// How the API's document describes it.
    fn field_schema() -> RefOr<Schema>;

    /// The schemas of the document that [`field_schema`](Self::field_schema) refers to.
    fn field_schemas(_: &mut Vec<(String, RefOr<Schema>)>) {}
}

/// Reads one of a fixed set of names: an enum without fields.
pub fn one_of<T: DeserializeOwned>(value: &Value, place: &mut Place<'_>) -> Reading<T> {
    if !value.is_string() {
        return place.wrong(value, "a string");
    }
    T::deserialize(value)
        .map_err(|error| place.report(FaultCode::Value, format!("This is an {error}.")))
        .ok()
}

/// The schema of such an enum, in a component of its own.
#[must_use]
pub fn one_of_schema<T: ToSchema>() -> RefOr<Schema> {
    Ref::from_schema_name(T::name()).into()
}

/// A schema with a description.
#[must_use]
pub fn described(schema: RefOr<Schema>, description: &[&str]) -> RefOr<Schema> {
    let text: Vec<&str> = description.iter().map(|line| line.trim()).collect();
    let text = text.join("\n");
    if text.is_empty() {
        return schema;
    }
    match schema {
        RefOr::Ref(mut reference) => {
            reference.description = text;
            RefOr::Ref(reference)
        }
        RefOr::T(Schema::Object(mut object)) => {
            object.description = Some(text);
            RefOr::T(Schema::Object(object))
        }
        RefOr::T(Schema::Array(mut array)) => {
            array.description = Some(text);
            RefOr::T(Schema::Array(array))
        }
        RefOr::T(Schema::OneOf(mut one_of)) => {
            one_of.description = Some(text);
            RefOr::T(Schema::OneOf(one_of))
        }
        other @ RefOr::T(_) => other,
    }
}
