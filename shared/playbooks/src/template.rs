//! Templates of texts, paths and bodies: `{name}` is a parameter's value, `{read.name}` a fact.

use model::base::characters::{is_hidden, is_invisible};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::{Map, Value};

/// All characters but the unreserved ones of RFC 3986.
const NOT_UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Placeholder(String),
}

/// A placeholder without a value, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Missing(pub(super) String);

impl TryFrom<String> for Template {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else {
                return Err(format!("a brace stays open in {text:?}"));
            };
            if !name.split('.').all(is_name) || name.matches('.').count() > 1 {
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
    pub(super) fn placeholders(&self) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .filter_map(|piece| match piece {
                Piece::Placeholder(name) => Some(name.as_str()),
                Piece::Text(_) => None,
            })
    }

    /// Renders the text. Fails with the first placeholder that has no value.
    pub(super) fn render(&self, value: impl Fn(&str) -> Option<String>) -> Result<String, Missing> {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => Ok(text.clone()),
            Piece::Placeholder(name) => value(name).ok_or_else(|| Missing(name.clone())),
        };
        self.0.iter().map(piece).collect()
    }

    /// True if it begins with a slash and each placeholder is a whole segment.
    pub(super) fn is_path(&self) -> bool {
        let marked = self.render(|_| Some("\u{0}".to_owned()));
        let marked = marked.unwrap_or_default();
        let is_whole = |segment: &str| segment == "\u{0}" || !segment.contains('\u{0}');
        marked.starts_with('/') && marked.split('/').all(is_whole)
    }

    pub(super) fn ends_with_placeholder(&self) -> bool {
        matches!(self.0.last(), Some(Piece::Placeholder(_)))
    }

    /// True if it is `kind/` and one placeholder, of any kind or of this one.
    pub(super) fn is_record(&self, of: Option<&str>) -> bool {
        let [Piece::Text(kind), Piece::Placeholder(_)] = self.0.as_slice() else {
            return false;
        };
        let kind = kind
            .strip_suffix('/')
            .unwrap_or_default();
        is_name(kind) && of.is_none_or(|of| of == kind)
    }
}

/// True for lower-case letters and underscores.
pub(super) fn is_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    !text.is_empty() && text.bytes().all(is_plain)
}

pub(super) fn segment(value: &str) -> String {
    utf8_percent_encode(value, NOT_UNRESERVED).to_string()
}

/// A JSON body. A string that consists of one placeholder takes the value with its type.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub(super) struct Body(Vec<(String, Json)>);

#[derive(Clone, Debug, PartialEq)]
enum Json {
    Text(Template),
    Object(Body),
    Array(Vec<Json>),
    Fixed(Value),
}

impl TryFrom<Map<String, Value>> for Body {
    type Error = String;

    fn try_from(members: Map<String, Value>) -> Result<Self, String> {
        let members = members.into_iter();
        let read = members.map(|(name, value)| Ok((name, Json::read(value)?)));
        read.collect::<Result<_, _>>().map(Self)
    }
}

impl Body {
    pub(super) fn placeholders(&self) -> Vec<&str> {
        let members = self.0.iter();
        members
            .flat_map(|(_, json)| json.placeholders())
            .collect()
    }

    /// Renders the body. Fails with the first placeholder that has no value.
    pub(super) fn render(
        &self,
        value: &impl Fn(&str) -> Option<Value>,
    ) -> Result<Map<String, Value>, Missing> {
        let members = self.0.iter();
        let members = members.map(|(name, member)| Ok((name.clone(), member.render(value)?)));
        members.collect()
    }
}

impl Json {
    fn read(value: Value) -> Result<Self, String> {
        Ok(match value {
            Value::String(text) => Self::Text(text.try_into()?),
            Value::Object(members) => Self::Object(members.try_into()?),
            Value::Array(elements) => {
                let elements = elements.into_iter().map(Self::read);
                Self::Array(elements.collect::<Result<_, _>>()?)
            }
            other => Self::Fixed(other),
        })
    }

    fn placeholders(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => text.placeholders().collect(),
            Self::Object(body) => body.placeholders(),
            Self::Array(elements) => elements
                .iter()
                .flat_map(Self::placeholders)
                .collect(),
            Self::Fixed(_) => Vec::new(),
        }
    }

    fn render(&self, value: &impl Fn(&str) -> Option<Value>) -> Result<Value, Missing> {
        Ok(match self {
            Self::Text(text) => match text.0.as_slice() {
                [Piece::Placeholder(name)] => value(name).ok_or_else(|| Missing(name.clone()))?,
                _ => Value::String(text.render(|name| value(name).map(plain))?),
            },
            Self::Object(body) => Value::Object(body.render(value)?),
            Self::Array(elements) => {
                let elements = elements
                    .iter()
                    .map(|element| element.render(value));
                Value::Array(elements.collect::<Result<_, _>>()?)
            }
            Self::Fixed(fixed) => fixed.clone(),
        })
    }
}

/// True for a character that an id cannot have, since it is invisible.
pub(super) fn is_unseen(character: char) -> bool {
    is_hidden(character) || is_invisible(character)
}

/// Returns a text of an alert or a target system in backticks, without invisible characters.
pub(super) fn quoted(text: &str) -> String {
    let seen: String = text
        .chars()
        .filter(|character| !is_unseen(*character))
        .collect();
    agent::connection::quoted(&seen)
}

pub(super) fn plain(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
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
        for text in "{|}|a}b|{a|{}|{A}|{a b}|{a}}|{{a}}|{.a}|{a.}|{a.b.c}".split('|') {
            assert!(template(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_value_is_not_looked_at_for_placeholders() {
        let rendered = template("<{a}>")
            .unwrap()
            .render(|_| Some("{a}".into()));
        assert_eq!(rendered, Ok("<{a}>".to_owned()));
    }

    #[test]
    fn the_place_that_stays_empty_is_named() {
        let two = template("{a}{b}").unwrap();
        let rendered = two.render(|name| (name == "a").then(|| "1".into()));
        assert_eq!(rendered, Err(Missing("b".to_owned())));
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
        let body: Body = serde_json::from_value(body).unwrap();
        let rendered = body.render(&|name| (name == "n").then(|| json!(7)));
        let expected = json!({"n": 7, "t": "n is 7", "deep": [{"n": 7}], "k": 1, "z": null});
        assert_eq!(json!(rendered.unwrap()), expected);
    }
}
