//! Rendered calls of a target system, and conditions on their answers.

use std::collections::BTreeMap;

use model::base::JsonText;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::connection::values::{any, same};

/// A rendered call of a target system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiCall {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: String,
    /// The path below the system's base URL, percent-encoded.
    pub path: String,
    /// Members of the query; only a read has some.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub query: BTreeMap<String, String>,
    pub body: Option<JsonText>,
    /// Statuses that mean success.
    pub expect: Vec<u16>,
    /// Conditions on the body that success requires besides the status; all must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub success: Vec<AnswerCondition>,
    /// Answers of a call that was already done.
    #[serde(default)]
    pub already_done: Vec<AlreadyDone>,
}

/// An answer of a call whose effect had already taken place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlreadyDone {
    pub status: u16,
    /// The body's `code`; absent for any code.
    pub code: Option<String>,
}

impl ApiCall {
    /// Creates a GET, which changes nothing and expects 200.
    pub fn get(path: &str) -> Self {
        Self {
            method: "GET".to_owned(),
            path: path.to_owned(),
            expect: vec![200],
            ..Self::default()
        }
    }

    /// Returns method and path as the API shows them: `POST /usage-batches/ub_1001/reprocess`.
    pub fn summary(&self) -> String {
        let mut text = format!("{} {}", self.method, self.path);
        for (place, (name, value)) in self.query.iter().enumerate() {
            let mark = if place == 0 { '?' } else { '&' };
            text.extend([&*mark.to_string(), name, "=", value]);
        }
        text
    }

    /// True if it may change something.
    pub fn changes(&self) -> bool {
        self.method != "GET"
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerCondition {
    /// The JSON pointer (RFC 6901) of the value.
    pub at: String,
    pub is: Vec<Value>,
    /// Values of a call under way, which is no failure.
    #[serde(default)]
    pub pending: Vec<Value>,
}

impl AnswerCondition {
    /// True if an answer meets it. A missing value does not.
    pub fn holds(&self, answer: &Value) -> bool {
        self.finds(&self.is, answer)
    }

    /// True if an answer has one of these values there.
    fn finds(&self, values: &[Value], answer: &Value) -> bool {
        let said = answer.pointer(&self.at);
        said.is_some_and(|said| {
            values
                .iter()
                .any(|value| same(value, said))
        })
    }

    /// True if an answer has another value there, and none for a call under way.
    pub(crate) fn is_denied(&self, answer: &Value) -> bool {
        answer.pointer(&self.at).is_some() && !self.holds(answer) && !self.is_pending(answer)
    }

    /// True if an answer says that the call is under way.
    pub(crate) fn is_pending(&self, answer: &Value) -> bool {
        self.finds(&self.pending, answer)
    }

    /// Returns it in words: ``/state is `paid` ``.
    pub fn says(&self) -> String {
        format!("{} is {}", self.at, any(&self.is))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_that_says_nothing_is_no_success() {
        let paid = AnswerCondition {
            at: "/invoice/state".into(),
            is: vec![json!("paid")],
            pending: Vec::new(),
        };
        assert!(paid.holds(&json!({"invoice": {"state": "paid"}})));
        assert_eq!(paid.says(), "/invoice/state is `paid`");
        for other in [
            json!({"invoice": {"state": "open"}}),
            json!({}),
            json!("paid"),
        ] {
            assert!(!paid.holds(&other), "{other}");
        }
    }
}
