//! Attribute values of items and expressions.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use model::base::Error;
use serde::Serialize;

pub(crate) type Item = HashMap<String, AttributeValue>;

/// A value of an expression. Anything that serializes is one, as a field of a record.
pub trait IntoAttribute {
    /// Converts it into DynamoDB's form.
    fn into_attribute(self) -> AttributeValue;
}

impl<T: Serialize> IntoAttribute for T {
    fn into_attribute(self) -> AttributeValue {
        // Numbers, texts and names always serialize. DynamoDB refuses an empty set, so that a value
        // that does not serialize fails its request.
        attribute(&self).unwrap_or_else(|_| AttributeValue::Ns(Vec::new()))
    }
}

/// Converts any value into DynamoDB's form.
pub fn attribute(value: &impl Serialize) -> Result<AttributeValue, Error> {
    serde_dynamo::to_attribute_value(value)
        .map_err(|error| Error::internal("writing a value", error))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Status {
        InProgress,
    }

    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    struct Number(i64);

    #[test]
    fn values_have_the_form_of_a_field() {
        let text = |text: &str| AttributeValue::S(text.to_owned());
        let number = |digits: &str| AttributeValue::N(digits.to_owned());
        assert_eq!(Status::InProgress.into_attribute(), text("in_progress"));
        assert_eq!(Number(7).into_attribute(), number("7"));
        assert_eq!((-7_i64).into_attribute(), number("-7"));
        assert_eq!("a".into_attribute(), text("a"));
        assert_eq!(String::from("b").into_attribute(), text("b"));
        assert_eq!(true.into_attribute(), AttributeValue::Bool(true));
    }

    #[test]
    fn a_value_that_does_not_serialize_is_one_that_the_table_refuses() {
        let no_text_as_name = HashMap::from([((1, 2), 3)]);
        attribute(&no_text_as_name).unwrap_err();
        let empty = AttributeValue::Ns(Vec::new());
        assert_eq!(no_text_as_name.into_attribute(), empty);
    }
}
