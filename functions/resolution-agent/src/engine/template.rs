//! Texts, paths and bodies with placeholders: `{name}` stands for a parameter's value.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::Value;

/// All but the unreserved characters of RFC 3986.
const NOT_UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A text with placeholders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Placeholder(String),
}

impl TryFrom<String> for Template {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after
                .split_once('}')
                .ok_or_else(|| format!("a brace stays open in {text:?}"))?;
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
            if name.is_empty() || !name.bytes().all(plain) {
                return Err(format!("{{{name}}} is no placeholder, in {text:?}"));
            }
            if !before.is_empty() {
                pieces.push(Piece::Text(before.to_owned()));
            }
            pieces.push(Piece::Placeholder(name.to_owned()));
            rest = after;
        }
        if rest.contains('}') {
            return Err(format!("a brace was never opened in {text:?}"));
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        Ok(Self(pieces))
    }
}

impl Template {
    /// The names of its placeholders.
    pub(super) fn placeholders(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Placeholder(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }

    /// The text with values in the places; the first place that stays empty is the error.
    pub(super) fn render(&self, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
        self.0
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => Ok(text.clone()),
                Piece::Placeholder(name) => value(name).ok_or_else(|| name.clone()),
            })
            .collect()
    }

    /// Whether each placeholder is a whole segment of a path that begins with a slash.
    pub(super) fn is_path(&self) -> bool {
        let marked = self
            .render(|_| Some("\u{0}".to_owned()))
            .unwrap_or_default();
        marked.starts_with('/')
            && marked
                .split('/')
                .all(|segment| segment == "\u{0}" || !segment.contains('\u{0}'))
    }

    /// The single placeholder that is all of the text, if it is that.
    fn only_placeholder(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Piece::Placeholder(name)] => Some(name),
            _ => None,
        }
    }
}

/// A value as a segment of a path.
pub(super) fn segment(value: &str) -> String {
    utf8_percent_encode(value, NOT_UNRESERVED).to_string()
}

/// A JSON body: a string that is a placeholder and nothing else takes the value with its type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Text(Template),
    Object(Vec<(String, Json)>),
    Array(Vec<Json>),
    Fixed(Value),
}

impl Json {
    pub(super) fn read(value: Value) -> Result<Self, String> {
        Ok(match value {
            Value::String(text) => Self::Text(text.try_into()?),
            Value::Object(members) => Self::Object(
                members
                    .into_iter()
                    .map(|(name, value)| Ok((name, Self::read(value)?)))
                    .collect::<Result<_, String>>()?,
            ),
            Value::Array(elements) => Self::Array(
                elements
                    .into_iter()
                    .map(Self::read)
                    .collect::<Result<_, String>>()?,
            ),
            other => Self::Fixed(other),
        })
    }

    pub(super) fn placeholders(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => text.placeholders().collect(),
            Self::Object(members) => members.iter().flat_map(|(_, m)| m.placeholders()).collect(),
            Self::Array(elements) => elements.iter().flat_map(Self::placeholders).collect(),
            Self::Fixed(_) => Vec::new(),
        }
    }

    pub(super) fn render(&self, value: &impl Fn(&str) -> Option<Value>) -> Result<Value, String> {
        Ok(match self {
            Self::Text(text) => match text.only_placeholder() {
                Some(name) => value(name).ok_or_else(|| name.to_owned())?,
                None => Value::String(text.render(|name| {
                    value(name).map(|value| match value {
                        Value::String(text) => text,
                        other => other.to_string(),
                    })
                })?),
            },
            Self::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|(name, member)| Ok((name.clone(), member.render(value)?)))
                    .collect::<Result<_, String>>()?,
            ),
            Self::Array(elements) => Value::Array(
                elements
                    .iter()
                    .map(|element| element.render(value))
                    .collect::<Result<_, String>>()?,
            ),
            Self::Fixed(fixed) => fixed.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn template(text: &str) -> Result<Template, String> {
        Template::try_from(text.to_owned())
    }

    #[test]
    fn braces_that_are_no_placeholders_are_refused() {
        for text in ["{", "}", "a}b", "{a", "{}", "{A}", "{a b}", "{a}}", "{{a}}"] {
            assert!(template(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_value_is_not_looked_at_for_placeholders() {
        let rendered = template("<{a}>").unwrap().render(|_| Some("{a}".into()));
        assert_eq!(rendered, Ok("<{a}>".to_owned()));
    }

    #[test]
    fn the_place_that_stays_empty_is_named() {
        let rendered = template("{a}{b}")
            .unwrap()
            .render(|name| (name == "a").then(|| "1".into()));
        assert_eq!(rendered, Err("b".to_owned()));
    }

    #[test]
    fn a_placeholder_of_a_path_is_a_whole_segment() {
        assert!(template("/a/{b}/c").unwrap().is_path());
        assert!(template("/{b}").unwrap().is_path());
        for text in ["a/{b}", "/a-{b}", "/{a}{b}", "{a}"] {
            assert!(!template(text).unwrap().is_path(), "{text}");
        }
    }

    #[test]
    fn a_body_takes_values_with_their_types() {
        let body = json!({"n": "{n}", "t": "n is {n}", "deep": [{"n": "{n}"}], "k": 1, "z": null});
        let body = Json::read(body).unwrap();
        let rendered = body
            .render(&|name| (name == "n").then(|| json!(7)))
            .unwrap();
        assert_eq!(
            rendered,
            json!({"n": 7, "t": "n is 7", "deep": [{"n": 7}], "k": 1, "z": null})
        );
    }
}
