use std::collections::BTreeMap;

use model::base::{
    FaultCode,
    input::{Component, Field, Form, InputPlace, Reading, Schema, escaped, map_of, string},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, schema::Type},
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

impl Field for Measure {
    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        let Some(number) = value.as_f64() else {
            return place.wrong(value, "a number");
        };
        if number.abs() > 1e15 {
            return place.must(FaultCode::Range, "be from -10^15 to 10^15");
        }
        // The smallest number that DynamoDB stores without an error.
        let tiny = number.abs() < 1e-100;
        Some(Self(if tiny { 0.0 } else { number }))
    }

    fn field_schema() -> Schema {
        ObjectBuilder::new()
            .schema_type(Type::Number)
            .minimum(Some(-1e15))
            .maximum(Some(1e15))
            .into()
    }
}

impl Currency {
    pub fn new(text: &str) -> Option<Self> {
        let is_one = text.len() == 3
            && text
                .bytes()
                .all(|byte| byte.is_ascii_uppercase());
        is_one.then(|| Self(text.to_owned()))
    }
}

model::as_text!(Currency);

impl Field for Currency {
    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        let rule = "be three capital letters, as ISO 4217 has them";
        Self::new(place.text(value)?).or_else(|| place.must(FaultCode::Pattern, rule))
    }

    fn field_schema() -> Schema {
        string()
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
    fn parse(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        let members = place.object(value)?;
        if members.len() > Self::MOST {
            let rule = format!("have at most {} labels", Self::MOST);
            return place.must(FaultCode::Length, rule);
        }
        let mut labels = BTreeMap::new();
        let mut whole = true;
        for (name, value) in members {
            if name.is_empty()
                || Form::Lines
                    .check(name, 0, Self::LONGEST_NAME)
                    .is_err()
            {
                let most = Self::LONGEST_NAME;
                let detail = format!("The name of a label must have 1 to {most} characters.");
                place.report(FaultCode::Length, detail);
                whole = false;
                continue;
            }
            let mut place = place.at(escaped(name));
            let Value::String(text) = value else {
                whole = place
                    .wrong::<()>(value, "a string")
                    .is_some();
                continue;
            };
            match Form::Lines.check(text, 0, Self::LONGEST_VALUE) {
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
    fn schema() -> Schema {
        let name = string()
            .min_length(Some(1))
            .max_length(Some(Self::LONGEST_NAME));
        map_of(
            string()
                .max_length(Some(Self::LONGEST_VALUE))
                .into(),
        )
        .property_names(Some(name))
        .max_properties(Some(Self::MOST))
        .description(Some("Further properties, by name."))
        .examples([serde_json::json!({"gateway": "stripe", "region": "eu"})])
        .into()
    }
}

impl ToSchema for Labels {}
