//! Fields: where a value stands in a request, and how its type reads it.

use std::fmt::Display;

use serde_json::{Map, Value};
use utoipa::{
    ToSchema,
    openapi::{Ref, RefOr, Schema},
};

use crate::base::{Fault, FaultCode, names::OneOf};

pub type Json = Value;

/// A value that was read; `None` only when a fault was reported.
pub type Reading<T> = Option<T>;

/// The most characters of a value that a message shows.
const SHOWN: usize = 40;

/// The most unknown members of an object that are reported.
const MOST_UNKNOWN: usize = 20;

/// The handling of members that an operation does not read (RFC 7240, 4.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemberHandling {
    /// They are ignored.
    #[default]
    Lenient,
    /// Each is a fault.
    Strict,
}

/// A place in a request, and the faults found so far.
#[derive(Debug)]
pub struct InputPlace<'a> {
    pointer: String,
    /// The character between this place and a name below it: `?` for the parameters of a query.
    separator: char,
    /// The words that a filter takes beside its values: `none`.
    words: Vec<&'static str>,
    handling: MemberHandling,
    faults: &'a mut Vec<Fault>,
}

impl<'a> InputPlace<'a> {
    pub fn body(faults: &'a mut Vec<Fault>) -> Self {
        Self {
            pointer: String::new(),
            separator: '/',
            words: Vec::new(),
            handling: MemberHandling::Lenient,
            faults,
        }
    }

    /// This place, where unknown members are handled so.
    #[must_use]
    pub fn handling(self, handling: MemberHandling) -> Self {
        Self { handling, ..self }
    }

    /// The whole query, whose parameters are text.
    pub fn query(faults: &'a mut Vec<Fault>) -> Self {
        Self {
            separator: '?',
            ..Self::body(faults)
        }
    }

    /// A member or an element of this place.
    pub fn at(&mut self, name: impl Display) -> InputPlace<'_> {
        let pointer = format!("{}{}{name}", self.pointer, self.separator);
        self.with(pointer, Vec::new())
    }

    /// This place with its faults in another list.
    pub(super) fn apart<'b>(&self, faults: &'b mut Vec<Fault>) -> InputPlace<'b> {
        InputPlace {
            pointer: self.pointer.clone(),
            separator: self.separator,
            words: self.words.clone(),
            handling: self.handling,
            faults,
        }
    }

    /// This place, which takes a word as well.
    pub fn or(&mut self, word: &'static str) -> InputPlace<'_> {
        self.with(self.pointer.clone(), [&self.words[..], &[word]].concat())
    }

    fn with(&mut self, pointer: String, words: Vec<&'static str>) -> InputPlace<'_> {
        InputPlace {
            pointer,
            separator: self.separator,
            words,
            handling: self.handling,
            faults: self.faults,
        }
    }

    /// Returns true for a parameter of a query, whose value is always sent as text.
    pub const fn is_query(&self) -> bool {
        self.separator == '?'
    }

    pub fn report(&mut self, code: FaultCode, detail: impl Into<String>) {
        self.faults.push(Fault {
            pointer: self.pointer.clone(),
            code,
            detail: detail.into(),
        });
    }

    /// Reports a fault at this place and returns `None`.
    pub fn fault<T>(&mut self, code: FaultCode, detail: impl Into<String>) -> Reading<T> {
        self.report(code, detail);
        None
    }

    /// Reports a broken rule and returns `None`. The rule is the predicate of a sentence without
    /// its `must`: `be a string`.
    pub fn must<T>(&mut self, code: FaultCode, rule: impl Display) -> Reading<T> {
        let words = self
            .words
            .iter()
            .flat_map(|word| [", or `", word, "`"]);
        let words: String = words.collect();
        self.fault(code, format!("{} must {rule}{words}.", self.subject()))
    }

    /// Reports a value of the wrong type, null among them. A body that is null has the wrong type.
    pub fn wrong<T>(&mut self, value: &Value, expected: &str) -> Reading<T> {
        if value.is_null() && !self.pointer.is_empty() {
            let detail = format!("{} cannot be null.", self.subject());
            return self.fault(FaultCode::Null, detail);
        }
        self.must(FaultCode::Type, format!("be {expected}"))
    }

    /// Returns a value that is a string. Reports any other.
    pub fn text<'v>(&mut self, value: &'v Value) -> Reading<&'v str> {
        value
            .as_str()
            .or_else(|| self.wrong(value, "a string"))
    }

    /// Returns a value that is an object. Reports any other.
    pub fn object<'v>(&mut self, value: &'v Value) -> Reading<&'v Map<String, Value>> {
        value
            .as_object()
            .or_else(|| self.wrong(value, "an object"))
    }

    /// Reports the members of an object other than those with these names, if the handling is
    /// strict. Reports at most 20.
    pub fn known_members(
        &mut self,
        object: &Map<String, Value>,
        names: impl FnOnce() -> Vec<String>,
    ) {
        if self.handling == MemberHandling::Lenient {
            return;
        }
        let names = names();
        let unknown = object
            .keys()
            .filter(|name| !names.contains(name));
        for name in unknown.take(MOST_UNKNOWN) {
            let detail = format!(
                "The operation reads no member `{}` here. Send these alone: {}.",
                shortened(name),
                names.join(", ")
            );
            self.at(escaped(name))
                .report(FaultCode::UnknownMember, detail);
        }
    }

    /// Reports a value that is not one of the `names`; `noun` is their noun with its article.
    pub fn unknown_name<T>(&mut self, value: &Value, noun: &str, names: &[&str]) -> Reading<T> {
        let sent = shortened(self.text(value)?);
        let wanted = match names {
            [only] => format!("`{only}`"),
            names => format!("one of: {}", names.join(", ")),
        };
        let detail = format!("{sent:?} is not {noun}. Send {wanted}.");
        self.fault(FaultCode::Value, detail)
    }

    /// The subject of a sentence about this place.
    fn subject(&self) -> String {
        let mut names = self.pointer.rsplit(self.separator);
        let name = names.next().unwrap_or_default();
        match names.next() {
            None => "The body".to_owned(),
            Some(list) if name.parse::<usize>().is_ok() => format!("Element {name} of `{list}`"),
            Some(_) => format!("`{name}`"),
        }
    }
}

/// The beginning of a text that a client sent, for messages.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Escapes a name that a client chose for a JSON pointer (RFC 6901).
pub fn escaped(name: &str) -> String {
    name.replace('~', "~0")
        .replace('/', "~1")
}

pub trait Field: Sized {
    /// Makes the value of a field that was not sent; none for a required one.
    const ABSENT: Option<fn() -> Self> = None;

    const HOLDS_COMMAS: bool = false;

    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self>;

    /// Checks an element of a list against those before it.
    fn among(&self, _before: &[Self], _place: &mut InputPlace<'_>) {}

    /// The schema of the field in the OpenAPI document.
    fn field_schema() -> RefOr<Schema>;

    /// Adds the schemas to which [`field_schema`](Self::field_schema) refers.
    fn field_schemas(_: &mut Vec<(String, RefOr<Schema>)>) {}
}

/// A field whose type has a schema of its own among the document's components.
pub trait Component: ToSchema + Sized {
    const HOLDS_COMMAS: bool = false;

    fn parse(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self>;
}

impl<T: Component> Field for T {
    const HOLDS_COMMAS: bool = T::HOLDS_COMMAS;

    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        T::parse(value, place)
    }

    fn field_schema() -> RefOr<Schema> {
        Ref::from_schema_name(T::name()).into()
    }

    fn field_schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

impl<T: OneOf> Component for T {
    fn parse(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        match T::deserialize(value) {
            Ok(name) => Some(name),
            Err(_) => place.unknown_name(value, T::NOUN, &allowed(&T::schema())),
        }
    }
}

fn allowed(schema: &RefOr<Schema>) -> Vec<&str> {
    let RefOr::T(Schema::Object(object)) = schema else {
        return Vec::new();
    };
    let names = object.enum_values.iter().flatten();
    names
        .filter_map(Value::as_str)
        .collect()
}
