//! The table's stream as the event source of a function: the size of a batch, and the filter of its
//! records.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// A function's share of the table's stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamSource {
    /// Most records of an invocation.
    pub batch_size: usize,
    /// A record passes if one of them matches it. Without patterns, all records pass.
    patterns: Vec<Pattern>,
}

/// A pattern of `FilterCriteria`, without comparisons: no function needs one.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    /// Each member is there, and matches.
    Members(BTreeMap<String, Pattern>),
    /// The value is one of these.
    OneOf(Vec<Value>),
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct StreamProperties {
    batch_size: usize,
    filter_criteria: Option<Criteria>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Criteria {
    filters: Vec<Filter>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Filter {
    pattern: String,
}

impl StreamSource {
    pub(super) fn read(properties: StreamProperties) -> Result<Self, String> {
        let criteria = properties
            .filter_criteria
            .map(|criteria| criteria.filters);
        let filters = criteria.unwrap_or_default().into_iter();
        let patterns = filters.map(|Filter { pattern }| {
            let read: Option<Value> = serde_json::from_str(&pattern).ok();
            let read = read.as_ref().and_then(Pattern::read);
            read.ok_or_else(|| format!("the local stack does not know the filter {pattern}"))
        });
        Ok(Self {
            batch_size: properties.batch_size,
            patterns: patterns.collect::<Result<_, _>>()?,
        })
    }

    /// Returns true if the function gets the record.
    pub fn passes(&self, record: &Value) -> bool {
        let mut patterns = self.patterns.iter();
        self.patterns.is_empty() || patterns.any(|pattern| pattern.matches(record))
    }
}

impl Pattern {
    /// Reads a pattern. `None` for one with comparisons.
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Object(members) => {
                let members = members.iter();
                let read = members.map(|(name, value)| Some((name.clone(), Self::read(value)?)));
                read.collect::<Option<_>>()
                    .map(Self::Members)
            }
            Value::Array(values) => {
                let are_plain = values
                    .iter()
                    .all(|value| !value.is_object() && !value.is_array());
                are_plain.then(|| Self::OneOf(values.clone()))
            }
            _ => None,
        }
    }

    fn matches(&self, value: &Value) -> bool {
        match self {
            Self::Members(members) => {
                let mut members = members.iter();
                members.all(|(name, pattern)| {
                    value
                        .get(name)
                        .is_some_and(|value| pattern.matches(value))
                })
            }
            Self::OneOf(values) => values.contains(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn source(patterns: &[&str]) -> Result<StreamSource, String> {
        let filters = patterns
            .iter()
            .map(|pattern| json!({"Pattern": pattern}));
        let criteria = json!({"Filters": filters.collect::<Vec<_>>()});
        let properties = json!({"BatchSize": 7, "FilterCriteria": criteria});
        StreamSource::read(serde_json::from_value(properties).unwrap())
    }

    #[test]
    fn a_record_passes_by_one_of_the_patterns() {
        let of = |image: &str| {
            format!(r#"{{"dynamodb":{{"{image}":{{"kind":{{"S":["task","tag"]}}}}}}}}"#)
        };
        let source = source(&[&of("NewImage"), &of("OldImage")]).unwrap();
        assert_eq!(source.batch_size, 7);
        for (record, passes) in [
            (
                json!({"dynamodb": {"NewImage": {"kind": {"S": "task"}}}}),
                true,
            ),
            (
                json!({"dynamodb": {"OldImage": {"kind": {"S": "tag"}}}}),
                true,
            ),
            (
                json!({"dynamodb": {"NewImage": {"kind": {"S": "user"}}}}),
                false,
            ),
            (
                json!({"dynamodb": {"NewImage": {"kind": {"N": "task"}}}}),
                false,
            ),
            (json!({"dynamodb": {"NewImage": {}}}), false),
            (json!({}), false),
        ] {
            assert_eq!(source.passes(&record), passes, "{record}");
        }
    }

    #[test]
    fn without_patterns_all_records_pass_and_an_unknown_one_is_refused() {
        assert!(source(&[]).unwrap().passes(&json!({})));
        for unknown in ["x", "7", r#"{"eventName":[{"prefix":"IN"}]}"#] {
            let error = source(&[unknown]).unwrap_err();
            assert!(error.contains(unknown), "{error}");
        }
    }
}
