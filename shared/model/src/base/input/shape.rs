//! Fields that may be absent or null, and lists.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::{
    ArrayBuilder, ObjectBuilder, OneOfBuilder, RefOr, Schema,
    schema::{AnyOfBuilder, SchemaType, Type},
};

use crate::base::{Fault, FaultCode};

use super::{Field, InputPlace, Reading};

impl Field for bool {
    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        match value {
            Value::Bool(value) => Some(*value),
            Value::String(text) if place.is_query() => text.parse().ok(),
            _ => None,
        }
        .or_else(|| place.wrong(value, "true or false"))
    }

    fn field_schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Boolean)
            .into()
    }
}

/// Absent and null both mean none.
impl<T: Field> Field for Option<T> {
    const ABSENT: Option<fn() -> Self> = Some(|| None);

    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        if value.is_null() {
            Some(None)
        } else {
            T::read(value, place).map(Some)
        }
    }

    fn field_schema() -> RefOr<Schema> {
        nullable(T::field_schema())
    }

    fn field_schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        T::field_schemas(schemas);
    }
}

/// A field with a default, which absent and null both mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Defaulted<T>(pub T);

impl<T: Field + Default + Serialize> Field for Defaulted<T> {
    const ABSENT: Option<fn() -> Self> = Some(Self::default);

    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        if value.is_null() {
            Some(Self::default())
        } else {
            T::read(value, place).map(Self)
        }
    }

    fn field_schema() -> RefOr<Schema> {
        let default = serde_json::to_value(T::default()).ok();
        either_null(T::field_schema())
            .default(default)
            .into()
    }

    fn field_schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        T::field_schemas(schemas);
    }
}

/// A field of a partial update. Absent keeps the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PatchField<T> {
    #[default]
    Keep,
    Set(T),
}

impl<T> PatchField<T> {
    pub fn apply<F: From<T>>(self, field: &mut F) {
        if let Self::Set(value) = self {
            *field = value.into();
        }
    }

    /// Returns true if the field was sent, also as null.
    pub const fn is_sent(&self) -> bool {
        matches!(self, Self::Set(_))
    }
}

impl<T: Field> Field for PatchField<T> {
    const ABSENT: Option<fn() -> Self> = Some(|| Self::Keep);

    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        T::read(value, place).map(Self::Set)
    }

    fn field_schema() -> RefOr<Schema> {
        T::field_schema()
    }

    fn field_schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        T::field_schemas(schemas);
    }
}

/// A nullable field of a partial update. Absent keeps the value, null clears it.
pub type Patch<T> = PatchField<Option<T>>;

impl<T> Patch<T> {
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Keep => Patch::Keep,
            Self::Set(value) => Patch::Set(value.map(make)),
        }
    }

    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Set(value) => value.as_ref(),
            Self::Keep => None,
        }
    }
}

/// A required field; null clears the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nullable<T>(pub Option<T>);

impl<T: Field> Field for Nullable<T> {
    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        Option::<T>::read(value, place).map(Self)
    }

    fn field_schema() -> RefOr<Schema> {
        nullable(T::field_schema())
    }

    fn field_schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        T::field_schemas(schemas);
    }
}

/// A list of `LEAST` to `MOST` elements. The faults of all elements are reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundedList<T, const LEAST: usize, const MOST: usize>(pub Vec<T>);

impl<T: Field, const LEAST: usize, const MOST: usize> Field for BoundedList<T, LEAST, MOST> {
    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        let Value::Array(elements) = value else {
            return place.wrong(value, "an array");
        };
        if !(LEAST..=MOST).contains(&elements.len()) {
            let rule = format!("have {LEAST} to {MOST} elements");
            return place.must(FaultCode::Length, rule);
        }
        let mut values = Vec::with_capacity(elements.len());
        for (at, element) in elements.iter().enumerate() {
            let mut place = place.at(at);
            if let Some(value) = T::read(element, &mut place) {
                value.among(&values, &mut place);
                values.push(value);
            }
        }
        (values.len() == elements.len()).then_some(Self(values))
    }

    fn field_schema() -> RefOr<Schema> {
        ArrayBuilder::new()
            .items(T::field_schema())
            .min_items(Some(LEAST))
            .max_items(Some(MOST))
            .into()
    }

    fn field_schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        T::field_schemas(schemas);
    }
}

/// An element with its own result: its faults are kept with it and do not refuse the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apart<T>(pub Result<T, Vec<Fault>>);

impl<T: Field> Field for Apart<T> {
    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        let mut faults = Vec::new();
        let read = T::read(value, &mut place.apart(&mut faults));
        Some(Self(
            read.filter(|_| faults.is_empty())
                .ok_or(faults),
        ))
    }

    /// Allows any value beside the elements that fit. All types are named, since linters report a
    /// schema without a type.
    fn field_schema() -> RefOr<Schema> {
        use Type::{Array, Boolean, Null, Number, Object, String};
        let any_type = SchemaType::from_iter([Object, Array, String, Number, Boolean, Null]);
        let any_value = ObjectBuilder::new().schema_type(SchemaType::AnyValue);
        AnyOfBuilder::new()
            .item(T::field_schema())
            .item(
                ArrayBuilder::new()
                    .schema_type(any_type)
                    .items(any_value),
            )
            .into()
    }

    fn field_schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        T::field_schemas(schemas);
    }
}

fn nullable(mut schema: RefOr<Schema>) -> RefOr<Schema> {
    match &mut schema {
        RefOr::T(Schema::Object(object)) => {
            if let SchemaType::Type(kind) = object.schema_type.clone() {
                object.schema_type = SchemaType::from_iter([kind, Type::Null]);
            }
        }
        // With `oneOf`, validators would report faults of the elements at the list.
        RefOr::T(Schema::Array(array)) => {
            array.schema_type = SchemaType::from_iter([Type::Array, Type::Null]);
        }
        _ => return either_null(schema).into(),
    }
    schema
}

fn either_null(schema: RefOr<Schema>) -> OneOfBuilder {
    OneOfBuilder::new()
        .item(ObjectBuilder::new().schema_type(Type::Null))
        .item(schema)
}
