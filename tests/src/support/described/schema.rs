//! Schemas of the document, each compiled once, when a value is first held against it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, LazyLock, Mutex},
};

use jsonschema::{Registry, ValidationError, Validator, error::ValidationErrorKind};
use serde_json::{Map, Value, json};

/// The document as clients get it.
pub static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::to_value(crate::support::document()).unwrap());

/// The document's schemas for answers, which allow nothing beyond them. Under `schemas` each is
/// closed; under `parts` it is open at its top, to be combined with others.
static CLOSED: LazyLock<Value> = LazyLock::new(|| {
    let schemas = DOCUMENT["components"]["schemas"]
        .as_object()
        .unwrap();
    let closed_by = |close: fn(&Value) -> Value| -> Map<String, Value> {
        schemas
            .iter()
            .map(|(name, schema)| (name.clone(), close(schema)))
            .collect()
    };
    json!({"schemas": closed_by(closed), "parts": closed_by(part)})
});

/// Stands for a value that only a later version knows. Answers may have it wherever the document
/// lists values.
pub const LATER: &str = "of_a_later_version";

/// Members that are not always there.
const SOMETIMES: [&str; 1] = ["Problem.errors"];

/// Address of the components for what clients send.
const SENT: &str = "urn:workdesk:sent";

/// Address of the components for what the service sends.
const ANSWERED: &str = "urn:workdesk:answered";

/// The components under both addresses. All schemas share it, so that none copies them.
static COMPONENTS: LazyLock<Registry<'static>> = LazyLock::new(|| {
    Registry::new()
        .add(SENT, json!({"components": DOCUMENT["components"]}))
        .and_then(|registry| registry.add(ANSWERED, json!({"components": *CLOSED})))
        .and_then(jsonschema::RegistryBuilder::prepare)
        .unwrap()
});

/// A schema of the document.
#[derive(Clone)]
pub struct Schema(Arc<LazyLock<Validator, Compile>>);

type Compile = Box<dyn FnOnce() -> Validator + Send>;

/// Reads the components, which takes a second or more.
pub fn ready() {
    LazyLock::force(&COMPONENTS);
}

impl Schema {
    /// For requests: unknown members are ignored, as they are by the service.
    pub fn of_request(schema: &Value) -> Self {
        Self::located(schema, SENT)
    }

    /// For answers: unknown members are faults.
    pub fn of_answer(schema: &Value) -> Self {
        Self::located(&closed(schema), ANSWERED)
    }

    /// The schema with its references into the components of an address. Equal schemas are one:
    /// most statuses of most operations answer with the same few.
    fn located(schema: &Value, address: &str) -> Self {
        static ALL: Mutex<BTreeMap<String, Schema>> = Mutex::new(BTreeMap::new());
        let mut schema = schema.clone();
        locate(&mut schema, address);
        let mut schemas = ALL.lock().unwrap();
        let located = schemas
            .entry(schema.to_string())
            .or_insert_with(|| {
                let compile: Compile = Box::new(move || {
                    let options = jsonschema::draft202012::options().should_validate_formats(true);
                    options
                        .with_registry(&COMPONENTS)
                        .build(&schema)
                        .unwrap()
                });
                Self(Arc::new(LazyLock::new(compile)))
            });
        located.clone()
    }

    /// Returns the faults of a value, as (JSON pointer, text).
    pub fn faults(&self, value: &Value) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        for error in self.0.iter_errors(value) {
            note(&error, &mut faults);
        }
        faults
    }

    /// Returns the faults of a header or a parameter, whose text is a value or several between
    /// commas.
    pub fn faults_of_text(&self, text: &str) -> Vec<(String, String)> {
        let value = |text: &str| match (text.parse::<i64>(), text.parse::<bool>()) {
            (Ok(number), _) => json!(number),
            (_, Ok(value)) => json!(value),
            _ => json!(text),
        };
        let parts: Vec<_> = text.split(',').collect();
        let values: Vec<_> = parts
            .iter()
            .map(|part| value(part))
            .collect();
        let readings = [value(text), json!(parts), json!(values)];
        let readings = readings
            .iter()
            .map(|reading| self.faults(reading));
        let any = readings.into_iter().find(Vec::is_empty);
        any.unwrap_or_else(|| self.faults(&json!(text)))
    }
}

/// Has the references of a schema point to the components of an address.
fn locate(schema: &mut Value, address: &str) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(place) if name == "$ref" && place.starts_with('#') => {
                        place.insert_str(0, address);
                    }
                    value => locate(value, address),
                }
            }
        }
        Value::Array(elements) => elements
            .iter_mut()
            .for_each(|element| locate(element, address)),
        _ => {}
    }
}

/// A fault, and those within what may be one of several, such as an object or null.
fn note(error: &ValidationError<'_>, faults: &mut Vec<(String, String)>) {
    faults.push((error.instance_path().to_string(), error.to_string()));
    if let ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } =
        error.kind()
    {
        for inner in context.iter().flatten() {
            note(inner, faults);
        }
    }
}

/// Resolves a reference; returns any other value itself.
pub fn resolved(value: &Value) -> &Value {
    match value["$ref"].as_str() {
        Some(place) => resolved(
            DOCUMENT
                .pointer(place.trim_start_matches('#'))
                .unwrap(),
        ),
        None => value,
    }
}

/// The schema without anything that it does not name.
fn closed(schema: &Value) -> Value {
    let composed = schema["properties"].is_object() || schema["allOf"].is_array();
    let mut copy = rewritten(schema, composed);
    let is_object = match &schema["type"] {
        Value::Array(types) => types.contains(&json!("object")),
        kind => kind == "object",
    };
    let says_so = |name| schema.get(name).is_some();
    if (composed || is_object)
        && !says_so("additionalProperties")
        && !says_so("unevaluatedProperties")
    {
        copy["unevaluatedProperties"] = json!(false);
    }
    copy
}

/// The schema as one of several that hold for the same object.
fn part(schema: &Value) -> Value {
    rewritten(schema, true)
}

/// The schema with everything below it closed, but what holds for the same object if it is a part.
fn rewritten(schema: &Value, is_part: bool) -> Value {
    let Some(members) = schema.as_object() else {
        return schema.clone();
    };
    let same = if is_part { part } else { closed };
    let folder = if is_part { "parts" } else { "schemas" };
    let each = |list: &Value, rewrite: fn(&Value) -> Value| -> Value {
        list.as_array()
            .unwrap()
            .iter()
            .map(rewrite)
            .collect()
    };
    let member = |(keyword, value): (&String, &Value)| {
        let value = match keyword.as_str() {
            "$ref" => {
                let place = value.as_str().unwrap();
                let name = place
                    .strip_prefix("#/components/schemas/")
                    .unwrap();
                json!(format!("#/components/{folder}/{name}"))
            }
            "properties" => {
                let members = value.as_object().unwrap().iter();
                let members = members.map(|(name, schema)| (name.clone(), closed(schema)));
                members.collect()
            }
            "items" | "additionalProperties" | "propertyNames" => closed(value),
            "enum" => {
                let names = value
                    .as_array()
                    .into_iter()
                    .flatten()
                    .cloned();
                names.chain([json!(LATER)]).collect()
            }
            "prefixItems" => each(value, closed),
            "allOf" => each(value, part),
            "oneOf" | "anyOf" => each(value, same),
            _ => value.clone(),
        };
        (keyword.clone(), value)
    };
    Value::Object(members.iter().map(member).collect())
}

/// Members that a schema describes as if they could be absent; the service sends null instead.
pub fn optional_members(schema: &Value) -> BTreeSet<String> {
    let mut optional = BTreeSet::new();
    look_for_optional_members("", schema, &mut BTreeSet::new(), &mut optional);
    optional.retain(|name| !SOMETIMES.contains(&name.as_str()));
    optional
}

fn look_for_optional_members<'a>(
    name: &'a str,
    schema: &'a Value,
    seen: &mut BTreeSet<&'a str>,
    optional: &mut BTreeSet<String>,
) {
    if let Some(place) = schema["$ref"].as_str() {
        if seen.insert(place) {
            let name = place.rsplit('/').next().unwrap();
            look_for_optional_members(name, resolved(schema), seen, optional);
        }
        return;
    }
    let required = schema["required"].as_array();
    for (member, inner) in schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
    {
        if !required.is_some_and(|names| names.contains(&json!(member))) {
            optional.insert(format!("{name}.{member}"));
        }
        look_for_optional_members(name, inner, seen, optional);
    }
    let inner = ["items", "additionalProperties"].map(|keyword| schema.get(keyword));
    let lists =
        ["allOf", "oneOf", "anyOf", "prefixItems"].map(|keyword| schema[keyword].as_array());
    let inner = inner.into_iter().flatten();
    for inner in inner.chain(lists.into_iter().flatten().flatten()) {
        look_for_optional_members(name, inner, seen, optional);
    }
}
