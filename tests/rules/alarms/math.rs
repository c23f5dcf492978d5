//! CloudWatch's metric math, as far as the template uses it.
//!
//! An operation with a missing value is missing; a function of an array leaves missing values out.

use std::collections::BTreeMap;

/// Returns the value of an expression for one datapoint; none if it is missing. `METRICS()` is all
/// values.
pub fn evaluate(expression: &str, values: &BTreeMap<String, Option<f64>>) -> Option<f64> {
    let mut parser = Parser {
        rest: expression.trim_start(),
        values,
    };
    let value = parser.comparison();
    assert!(parser.rest.is_empty(), "{expression:?}: {:?}", parser.rest);
    value
}

struct Parser<'a> {
    rest: &'a str,
    values: &'a BTreeMap<String, Option<f64>>,
}

impl<'a> Parser<'a> {
    fn takes(&mut self, token: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(token) else {
            return false;
        };
        self.rest = rest.trim_start();
        true
    }

    fn must_take(&mut self, token: &str) {
        assert!(self.takes(token), "{token:?} before {:?}", self.rest);
    }

    fn comparison(&mut self) -> Option<f64> {
        let left = self.sum();
        let is_true: fn(f64, f64) -> bool = if self.takes(">=") {
            |left, right| left >= right
        } else if self.takes("<=") {
            |left, right| left <= right
        } else if self.takes(">") {
            |left, right| left > right
        } else if self.takes("<") {
            |left, right| left < right
        } else {
            return left;
        };
        let right = self.sum();
        Some(f64::from(is_true(left?, right?)))
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product();
        loop {
            let sign = if self.takes("+") {
                1.0
            } else if self.takes("-") {
                -1.0
            } else {
                return value;
            };
            let right = self.product();
            value = value
                .zip(right)
                .map(|(left, right)| left + sign * right);
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.operand();
        loop {
            if self.takes("*") {
                let right = self.operand();
                value = value
                    .zip(right)
                    .map(|(left, right)| left * right);
            } else if self.takes("/") {
                let right = self
                    .operand()
                    .filter(|right| *right != 0.0);
                value = value
                    .zip(right)
                    .map(|(left, right)| left / right);
            } else {
                return value;
            }
        }
    }

    fn operand(&mut self) -> Option<f64> {
        if self.takes("(") {
            let value = self.comparison();
            self.must_take(")");
            return value;
        }
        let word = self.word();
        if let Ok(number) = word.parse() {
            return Some(number);
        }
        if !self.takes("(") {
            return *self
                .values
                .get(word)
                .unwrap_or_else(|| panic!("{word:?}"));
        }
        let value = match word {
            "IF" => {
                let mut next = || {
                    let value = self.comparison();
                    self.takes(",");
                    value
                };
                let condition = next();
                let yes = next();
                let no = next();
                condition.and_then(|condition| if condition == 0.0 { no } else { yes })
            }
            "SUM" => {
                let array = self.array();
                (!array.is_empty()).then(|| array.iter().sum())
            }
            "MAX" => self
                .array()
                .into_iter()
                .reduce(f64::max),
            unknown => panic!("the function {unknown}"),
        };
        self.must_take(")");
        value
    }

    /// The values of an array that are not missing.
    fn array(&mut self) -> Vec<f64> {
        if self.takes("METRICS()") {
            return self
                .values
                .values()
                .copied()
                .flatten()
                .collect();
        }
        self.must_take("[");
        let mut values = Vec::new();
        loop {
            values.extend(self.comparison());
            if self.takes("]") {
                return values;
            }
            self.must_take(",");
        }
    }

    fn word(&mut self) -> &'a str {
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "._".contains(letter);
        let end = self
            .rest
            .find(|letter| !is_part(letter));
        let (word, rest) = self
            .rest
            .split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        word
    }
}

#[test]
fn missing_values_count_as_in_cloudwatch() {
    let values = [("a", Some(6.0)), ("b", Some(3.0)), ("none", None)];
    let values = values
        .map(|(name, value)| (name.to_owned(), value))
        .into();
    for (expression, value) in [
        ("a - b * 2", Some(0.0)),
        ("(a - b) * 2 / 4", Some(1.5)),
        ("a + none", None),
        ("a / (b - 3)", None),
        ("SUM([a, none, 2 * b])", Some(12.0)),
        ("SUM([none])", None),
        ("MAX([a / 2, b / 10])", Some(3.0)),
        ("MAX(METRICS())", Some(6.0)),
        ("IF(a >= 6, b, none)", Some(3.0)),
        ("IF(a > 6, none, 1.5)", Some(1.5)),
        ("IF(none >= 1, a, b)", None),
    ] {
        assert_eq!(evaluate(expression, &values), value, "{expression}");
    }
}
