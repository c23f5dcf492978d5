use std::{collections::BTreeMap, fmt, ops::Deref};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        ObjectBuilder, RefOr, Schema,
        schema::{AdditionalProperties, Type},
    },
};

use model::{
    FaultCode,
    input::{Component, Field, Form, Place, Reading, escaped},
};

/// A measured number from -10^15 to 10^15. A number too small for the table becomes 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Measure(f64);

/// A currency's ISO 4217 code: three capital letters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Currency(String);

/// Further properties by name: at most 50, with names of 1 to 100 characters and values of up to
/// 250.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Labels(pub BTreeMap<String, String>);

impl Measure {
    const MOST: f64 = 1e15;
    /// The smallest number that DynamoDB stores without an error.
    const LEAST: f64 = 1e-100;
}

impl Field for Measure {
    fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        let Some(number) = value.as_f64() else {
            return place.wrong(value, "a number");
        };
        if number.abs() > Self::MOST {
            return place.must(FaultCode::Range, "be from -10^15 to 10^15");
        }
        let tiny = number.abs() < Self::LEAST;
        Some(Self(if tiny { 0.0 } else { number }))
    }

    fn field_schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Number)
            .minimum(Some(-Self::MOST))
            .maximum(Some(Self::MOST))
            .into()
    }
}

impl Currency {
    pub fn new(text: &str) -> Option<Self> {
        let is_one = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
        is_one.then(|| Self(text.to_owned()))
    }
}

impl Deref for Currency {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl Field for Currency {
    fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        let Value::String(text) = value else {
            return place.wrong(value, "a string");
        };
        let rule = "be three capital letters, as ISO 4217 has them";
        Self::new(text).or_else(|| place.must(FaultCode::Pattern, rule))
    }

    fn field_schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some("^[A-Z]{3}$"))
            .examples(["EUR"])
            .into()
    }
}

impl Labels {
    pub(super) const MOST: usize = 50;
    pub(super) const LONGEST_NAME: usize = 100;
    pub(super) const LONGEST_VALUE: usize = 250;
}

impl Component for Labels {
    fn parse(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        let Value::Object(members) = value else {
            return place.wrong(value, "an object");
        };
        if members.len() > Self::MOST {
            let rule = format!("have at most {} labels", Self::MOST);
            return place.must(FaultCode::Length, rule);
        }
        let mut labels = BTreeMap::new();
        let mut whole = true;
        for (name, value) in members {
            if name.is_empty() || Form::Text.check(name, 0, Self::LONGEST_NAME).is_err() {
                let detail = format!(
                    "The name of a label must have 1 to {} characters.",
                    Self::LONGEST_NAME
                );
                place.report(FaultCode::Length, detail);
                whole = false;
                continue;
            }
            let mut place = place.at(escaped(name));
            let Value::String(text) = value else {
                whole = place.wrong::<()>(value, "a string").is_some();
                continue;
            };
            match Form::Text.check(text, 0, Self::LONGEST_VALUE) {
                Ok(()) => {
                    labels.insert(name.clone(), text.clone());
                }
                Err(error) => {
                    place.must::<()>(error.code(), error);
                    whole = false;
                }
            }
        }
        whole.then_some(Self(labels))
    }
}

impl PartialSchema for Labels {
    fn schema() -> RefOr<Schema> {
        let text = |least: usize, most: usize| {
            ObjectBuilder::new()
                .schema_type(Type::String)
                .min_length((least > 0).then_some(least))
                .max_length(Some(most))
        };
        let value: Schema = text(0, Self::LONGEST_VALUE).into();
        let name: Schema = text(1, Self::LONGEST_NAME).into();
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .additional_properties(Some(AdditionalProperties::RefOr(RefOr::T(value))))
            .property_names(Some(name))
            .max_properties(Some(Self::MOST))
            .description(Some("Further properties, by name."))
            .examples([serde_json::json!({"gateway": "stripe", "region": "eu"})])
            .into()
    }
}

impl ToSchema for Labels {}
