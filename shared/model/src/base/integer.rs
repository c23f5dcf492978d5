use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{KnownFormat, ObjectBuilder, RefOr, Schema, SchemaFormat, schema::Type},
};

use crate::base::{
    FaultCode,
    input::{Component, Field, InputPlace, Reading},
};

/// The largest id, and the largest integer that a JavaScript number holds exactly.
pub const MAX_ID: i64 = (1 << 53) - 1;

/// The position of a record within a list, from 0 to [`MAX_ID`]; ties are broken by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Order(i64);

impl Order {
    /// The position with this number, clamped to the bounds.
    pub fn at(number: i64) -> Self {
        Self(number.clamp(0, MAX_ID))
    }

    pub const fn get(self) -> i64 {
        self.0
    }
}

impl Component for Order {
    fn parse(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        integer(value, place, 0, MAX_ID).map(Self)
    }
}

/// An integer from `LEAST` to `MOST`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole<const LEAST: i64, const MOST: i64>(pub i64);

impl<const LEAST: i64, const MOST: i64> Whole<LEAST, MOST> {
    /// The number as a count.
    pub fn count(self) -> usize {
        usize::try_from(self.0).unwrap_or_default()
    }
}

/// An integer that every JSON client holds exactly.
impl Field for i64 {
    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        integer(value, place, -MAX_ID, MAX_ID)
    }

    fn field_schema() -> RefOr<Schema> {
        integer_schema(-MAX_ID, MAX_ID).into()
    }
}

impl<const LEAST: i64, const MOST: i64> Field for Whole<LEAST, MOST> {
    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        integer(value, place, LEAST, MOST).map(Self)
    }

    fn field_schema() -> RefOr<Schema> {
        integer_schema(LEAST, MOST).into()
    }
}

impl PartialSchema for Order {
    fn schema() -> RefOr<Schema> {
        let about = "Position within a list, ascending; ties are broken by id.";
        integer_schema(0, MAX_ID)
            .description(Some(about))
            .examples([2048])
            .into()
    }
}

impl ToSchema for Order {}

/// Reads an integer from `least` to `most`; in a query it is text.
pub fn integer(value: &Value, place: &mut InputPlace<'_>, least: i64, most: i64) -> Reading<i64> {
    let (number, code) = match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() != 0.0 => (None, FaultCode::Type),
            // `1.0` and `1e2` are integers.
            Some(float) if number.is_f64() => (exactly(float), FaultCode::Range),
            _ => (number.as_i64(), FaultCode::Range),
        },
        Value::String(text) if place.is_query() => match text.parse() {
            Ok(number) => (Some(number), FaultCode::Range),
            Err(_) => (None, FaultCode::Type),
        },
        _ => return place.wrong(value, &format!("an integer from {least} to {most}")),
    };
    match number {
        Some(number) if (least..=most).contains(&number) => Some(number),
        _ => place.must(code, format!("be an integer from {least} to {most}")),
    }
}

/// Converts a float without decimals to an integer, if it is within the integers that a float holds
/// exactly.
fn exactly(float: f64) -> Option<i64> {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "both are exact up to 2^53-1"
    )]
    (float.abs() <= MAX_ID as f64).then_some(float as i64)
}

pub fn integer_schema(least: i64, most: i64) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
        .minimum(Some(least))
        .maximum(Some(most))
}
