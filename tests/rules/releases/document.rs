//! Within a major version, the document only grows: whoever uses an operation goes on.
//!
//! A later document may have more operations, optional parameters and fields, values, codes and
//! statuses of failures. Clients ignore unknown fields, and treat an unknown value as another one.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tests::support::{METHODS, Record, described::DOCUMENT};

/// The direction of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Clients send it: what they may send today, they may send tomorrow.
    Sent,
    /// The service sends it: what clients find today, they find tomorrow.
    Answered,
}

/// Bounds of requests, with the sign of a narrower one.
const BOUNDS: [(&str, f64); 7] = [
    ("minLength", 1.0),
    ("minimum", 1.0),
    ("minItems", 1.0),
    ("maxLength", -1.0),
    ("maximum", -1.0),
    ("maxItems", -1.0),
    ("maxProperties", -1.0),
];

/// Two documents, and the differences that break a client.
struct Comparison<'a> {
    old: &'a Value,
    new: &'a Value,
    breaks: Vec<String>,
    /// Pairs of named schemas that were compared, or are about to be.
    seen: BTreeSet<(String, String, bool)>,
}

/// Returns the breaks of the new document, each with its place.
fn breaks(old: &Value, new: &Value) -> Vec<String> {
    let mut comparison = Comparison {
        old,
        new,
        breaks: Vec::new(),
        seen: BTreeSet::new(),
    };
    comparison.operations();
    comparison.breaks
}

fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(place) => resolved(document, document.pointer(&place[1..]).unwrap()),
        None => value,
    }
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns the texts of a list that the other one lacks.
fn lacks<'a>(list: &'a Value, other: &Value) -> Vec<&'a Value> {
    let lacking = elements(list).filter(|value| !elements(other).any(|element| element == *value));
    lacking.collect()
}

/// The types of a schema; none for one that names no type.
fn types(schema: &Value) -> BTreeSet<&str> {
    match &schema["type"] {
        Value::String(name) => BTreeSet::from([name.as_str()]),
        several => elements(several)
            .filter_map(Value::as_str)
            .collect(),
    }
}

/// A schema with its parts joined, and without a reference at its top.
fn whole(document: &Value, schema: &Value) -> Value {
    let schema = resolved(document, schema);
    let Some(parts) = schema["allOf"].as_array() else {
        return schema.clone();
    };
    let mut merged = schema.clone();
    let own = merged.as_object_mut().unwrap();
    own.remove("allOf");
    for part in parts {
        for (keyword, value) in members(&whole(document, part)) {
            let present = own
                .entry(keyword.clone())
                .or_insert(Value::Null);
            match (present, value) {
                (Value::Object(present), Value::Object(more)) => present.extend(more.clone()),
                (Value::Array(present), Value::Array(more)) => present.extend(more.clone()),
                (present, value) => *present = value.clone(),
            }
        }
    }
    merged
}

/// The alternatives of a schema, or the schema itself.
fn alternatives(schema: &Value) -> Vec<&Value> {
    let several = ["oneOf", "anyOf"].map(|keyword| schema[keyword].as_array());
    let several: Vec<&Value> = several
        .into_iter()
        .flatten()
        .flatten()
        .collect();
    if several.is_empty() {
        vec![schema]
    } else {
        several
    }
}

impl Comparison<'_> {
    fn note(&mut self, place: &str, change: impl std::fmt::Display) {
        self.breaks
            .push(format!("{place}: {change}"));
    }

    fn operations(&mut self) {
        let old = self.old;
        let new = self.new;
        for (path, item) in members(&old["paths"]) {
            for method in METHODS {
                let place = format!("{method} {path}");
                let method = method.to_ascii_lowercase();
                let Some(before) = item.get(&method) else {
                    continue;
                };
                match new["paths"][path].get(&method) {
                    Some(after) => self.operation(&place, before, after),
                    None => self.note(&place, "the operation is gone"),
                }
            }
        }
        for (name, message) in members(&old["webhooks"]) {
            let body = |message: &Value| message["post"]["requestBody"].clone();
            let before = body(message);
            let after = body(&new["webhooks"][name]);
            self.contents(&format!("webhook {name}"), &before, &after, Way::Answered);
        }
    }

    fn operation(&mut self, place: &str, before: &Value, after: &Value) {
        for scheme in lacks(&before["security"], &after["security"]) {
            self.note(place, format!("{scheme} signs in no more"));
        }
        for need in lacks(&after["x-needs"], &before["x-needs"]) {
            self.note(place, format!("it needs {need}"));
        }
        self.parameters(place, before, after);
        let body = &before["requestBody"];
        let later = &after["requestBody"];
        let body = resolved(self.old, body);
        let later = resolved(self.new, later);
        if later["required"] == true && body["required"] != true {
            self.note(place, "the body is required");
        }
        let body = body.clone();
        let later = later.clone();
        self.contents(place, &body, &later, Way::Sent);
        for (status, answer) in members(&before["responses"]) {
            let place = format!("{place} {status}");
            let Some(later) = after["responses"].get(status) else {
                self.note(&place, "the status is gone");
                continue;
            };
            let answer = resolved(self.old, answer).clone();
            let later = resolved(self.new, later).clone();
            self.contents(&place, &answer, &later, Way::Answered);
            for (name, header) in members(&answer["headers"]) {
                let header = resolved(self.old, header);
                let later = &later["headers"][name];
                let is_kept = resolved(self.new, later)["required"] == header["required"];
                if later.is_null() || !is_kept {
                    self.note(
                        &place,
                        format!("the header {name} is gone, or not always there"),
                    );
                }
            }
        }
        for (status, _) in members(&after["responses"]) {
            if status.starts_with('2')
                && before["responses"]
                    .get(status)
                    .is_none()
            {
                self.note(place, format!("{status} is another success"));
            }
        }
    }

    fn parameters(&mut self, place: &str, before: &Value, after: &Value) {
        let parameters_of = |document: &Value, operation: &Value| -> Vec<Value> {
            let listed = elements(&operation["parameters"]);
            listed
                .map(|parameter| resolved(document, parameter).clone())
                .collect()
        };
        let old = parameters_of(self.old, before);
        let new = parameters_of(self.new, after);
        let is_same = |earlier: &Value, later: &Value| {
            earlier["name"] == later["name"] && earlier["in"] == later["in"]
        };
        for earlier in &old {
            let place = format!("{place} ?{}", earlier["name"].as_str().unwrap());
            let Some(later) = new
                .iter()
                .find(|later| is_same(earlier, later))
            else {
                self.note(&place, "the parameter is gone");
                continue;
            };
            if later["required"] == true && earlier["required"] != true {
                self.note(&place, "the parameter is required");
            }
            self.schema(&place, &earlier["schema"], &later["schema"], Way::Sent);
        }
        for later in &new {
            if later["required"] == true
                && !old
                    .iter()
                    .any(|earlier| is_same(earlier, later))
            {
                self.note(place, format!("{} is required", later["name"]));
            }
        }
    }

    fn contents(&mut self, place: &str, before: &Value, after: &Value, way: Way) {
        for (kind, content) in members(&before["content"]) {
            match after["content"].get(kind) {
                Some(later) => self.schema(place, &content["schema"], &later["schema"], way),
                None => self.note(place, format!("{kind} is gone")),
            }
        }
    }

    fn schema(&mut self, place: &str, before: &Value, after: &Value, way: Way) {
        if let (Some(earlier), Some(later)) = (before["$ref"].as_str(), after["$ref"].as_str()) {
            let pair = (earlier.to_owned(), later.to_owned(), way == Way::Sent);
            if !self.seen.insert(pair) {
                return;
            }
        }
        let before = whole(self.old, before);
        let after = whole(self.new, after);
        let is_plain = |schema: &Value| schema["oneOf"].is_null() && schema["anyOf"].is_null();
        let are_plain = [is_plain(&before), is_plain(&after)];
        if are_plain[0] == are_plain[1] {
            // What stands beside alternatives holds for each of them.
            self.one(place, &before, &after, way);
        }
        if are_plain == [true, true] {
            return;
        }
        let earlier = alternatives(&before);
        let later = alternatives(&after);
        for alternative in earlier {
            let mut fewest: Option<Comparison<'_>> = None;
            for candidate in &later {
                let mut tried = Comparison {
                    old: self.old,
                    new: self.new,
                    breaks: Vec::new(),
                    seen: self.seen.clone(),
                };
                tried.schema(place, alternative, candidate, way);
                let is_better = |fewest: &Comparison<'_>| tried.breaks.len() < fewest.breaks.len();
                if fewest.as_ref().is_none_or(is_better) {
                    fewest = Some(tried);
                }
            }
            let Some(fewest) = fewest else { continue };
            if fewest.breaks.is_empty() {
                self.seen = fewest.seen;
            }
            self.breaks.extend(fewest.breaks);
        }
        // Null is no value that clients could treat as another one.
        let is_null = |schemas: &[&Value]| {
            schemas
                .iter()
                .any(|schema| types(schema).contains("null"))
        };
        if way == Way::Answered
            && is_null(&alternatives(&after))
            && !is_null(&alternatives(&before))
        {
            self.note(place, "it may be null");
        }
    }

    /// Compares schemas without alternatives.
    fn one(&mut self, place: &str, before: &Value, after: &Value, way: Way) {
        let old = types(before);
        let new = types(after);
        let narrower = match way {
            Way::Sent => !new.is_empty() && !old.is_subset(&new),
            Way::Answered => !old.is_empty() && !new.is_subset(&old),
        };
        if narrower {
            self.note(place, format!("{old:?} is {new:?}"));
        }
        for value in lacks(&before["enum"], &after["enum"]) {
            if !after["enum"].is_null() {
                self.note(place, format!("the value {value} is gone"));
            }
        }
        if way == Way::Sent {
            self.bounds(place, before, after);
        } else if before["format"] != after["format"] {
            let old = &before["format"];
            let new = &after["format"];
            self.note(place, format!("the format {old} is {new}"));
        }
        self.properties(place, before, after, way);
        for below in ["items", "additionalProperties"] {
            if before[below].is_object() {
                self.schema(
                    &format!("{place}/{below}"),
                    &before[below],
                    &after[below],
                    way,
                );
            }
        }
    }

    fn bounds(&mut self, place: &str, before: &Value, after: &Value) {
        for (bound, sign) in BOUNDS {
            let Some(new) = after[bound].as_f64() else {
                continue;
            };
            let old = before[bound].as_f64();
            if old.is_none_or(|old| (new - old) * sign > 0.0) {
                self.note(
                    place,
                    format!("{bound} {} is {}", before[bound], after[bound]),
                );
            }
        }
        for rule in ["pattern", "format", "enum", "propertyNames"] {
            let is_other = !after[rule].is_null() && before[rule] != after[rule];
            if is_other && (rule != "enum" || before[rule].is_null()) {
                self.note(place, format!("{rule} {} is {}", before[rule], after[rule]));
            }
        }
        if after["additionalProperties"] == false && before["additionalProperties"] != false {
            self.note(place, "further members are refused");
        }
    }

    fn properties(&mut self, place: &str, before: &Value, after: &Value, way: Way) {
        for (name, property) in members(&before["properties"]) {
            let place = format!("{place}/{name}");
            match after["properties"].get(name) {
                Some(later) => self.schema(&place, property, later, way),
                None => self.note(&place, "the member is gone"),
            }
        }
        let old = &before["required"];
        let new = &after["required"];
        let (names, why) = match way {
            Way::Sent => (lacks(new, old), "required"),
            Way::Answered => (lacks(old, new), "not always there"),
        };
        for name in names {
            self.note(place, format!("{name} is {why}"));
        }
    }
}

/// Beginnings of the lines of allowed changes since the record: for security, or narrower in form
/// alone. The changelog names each. The next record empties the list.
const MENDED: [&str; 23] = [
    // Approvals have rules in it, which are deeper than the JSON that clients send. The type is the
    // same.
    "GET /api/concierge/agent-sessions/{id}/journal 200/items/detail: ",
    // The confidence is the share of findings that hold, without weights.
    "GET /api/concierge/agent-sessions/{id} 200/analysis",
    "POST /api/concierge/agent-sessions/{id}/propose 200/session/analysis",
    // Answers have what an approver decides by, and the rest with `detail=full`. Checks are one
    // list.
    "GET /api/concierge/agent-sessions/{id} 200/executionResults/items",
    "GET /api/concierge/agent-sessions/{id} 200/proposedActions/items",
    "GET /api/concierge/agent-sessions/{id} 200: \"reads\" is not always there",
    "POST /api/concierge/agent-sessions/{id}/propose 200/session: \"reads\" is not always there",
    // Hidden characters are refused, as in titles.
    "POST /api/concierge/alerts/description: ",
    // Playbooks name systems by kinds, which are a list.
    "PUT /api/concierge/connections/{name}/kind: enum",
    // It takes white space and letters of other scripts, too.
    "PUT /api/auth/email/email: pattern",
    "PUT /api/concierge/connections/{name}: it needs \"all permissions of an admin\"",
    "PUT /api/concierge/connections/{name}: it needs \"a sign-in of the last 30 minutes\"",
    "DELETE /api/concierge/connections/{name}: it needs \"all permissions of an admin\"",
    "DELETE /api/concierge/connections/{name}: it needs \"a sign-in of the last 30 minutes\"",
    "POST /api/concierge/connections/{name}/resume: it needs \"a sign-in of the last 30 minutes\"",
    "POST /api/concierge/resume: it needs \"a sign-in of the last 30 minutes\"",
    "GET /api/organizations/{id}/sign-in: it needs \"all permissions of an admin\"",
    "PUT /api/organizations/{id}/sign-in: it needs \"all permissions of an admin\"",
    "PUT /api/organizations/{id}/sign-in: it needs \"a sign-in of the last 30 minutes\"",
    "DELETE /api/organizations/{id}/sign-in: it needs \"all permissions of an admin\"",
    "DELETE /api/organizations/{id}/sign-in: it needs \"a sign-in of the last 30 minutes\"",
    "PUT /api/users/{id}/password: it needs \"all permissions of an admin\"",
    "PUT /api/users/{id}/password: it needs \"a sign-in of the last 30 minutes\"",
];

#[test]
fn the_document_only_grows_within_a_major_version() {
    let record = Record::last();
    let major = |version: &str| {
        version
            .split('.')
            .next()
            .map(str::to_owned)
    };
    if major(&record.version) != major(env!("CARGO_PKG_VERSION")) {
        return;
    }
    let mut broken = breaks(&record.document(), &DOCUMENT);
    for mended in MENDED {
        let is_true = broken
            .iter()
            .any(|line| line.starts_with(mended));
        assert!(is_true, "no longer true: {mended}");
    }
    broken.retain(|line| {
        !MENDED
            .iter()
            .any(|mended| line.starts_with(mended))
    });
    assert!(
        broken.is_empty(),
        "version {} breaks {}: raise the major version, or keep\n  {}",
        env!("CARGO_PKG_VERSION"),
        record.version,
        broken.join("\n  ")
    );
}

/// Replaces a value of the document; null removes it.
fn changed(pointer: &str, value: Value) -> Value {
    let mut document = DOCUMENT.clone();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let name = name.replace("~1", "/");
    let parent = document
        .pointer_mut(parent)
        .unwrap_or_else(|| panic!("{pointer}"));
    match (parent, value) {
        (Value::Array(elements), Value::Null) => drop(elements.remove(name.parse().unwrap())),
        (Value::Array(elements), value) => elements.push(value),
        (parent, Value::Null) => drop(
            parent
                .as_object_mut()
                .unwrap()
                .remove(&name),
        ),
        (parent, value) => parent[name] = value,
    }
    document
}

const TASK: &str = "/components/schemas/Task";
const CREATE: &str = "/components/schemas/TaskCreate";
const TITLE: &str = "/components/schemas/Title";
const POST: &str = "/paths/~1api~1tasks/post";

#[test]
fn each_break_is_named() {
    let of = |base: &str, rest: &str| format!("{base}{rest}");
    let required =
        json!({"name": "because", "in": "query", "required": true, "schema": {"type": "string"}});
    let cases = [
        (
            of("/paths/~1api~1tasks/post", ""),
            Value::Null,
            "POST /api/tasks: the operation is gone",
        ),
        (
            of("/paths/~1api~1tasks/get/parameters/", "0"),
            Value::Null,
            "the parameter is gone",
        ),
        (
            of("/paths/~1api~1tasks/get/parameters/", "-"),
            required,
            "\"because\" is required",
        ),
        (
            of(POST, "/responses/404"),
            Value::Null,
            "POST /api/tasks 404: the status is gone",
        ),
        (
            of(POST, "/responses/201"),
            json!({}),
            "201 is another success",
        ),
        (of(POST, "/security/0"), Value::Null, "signs in no more"),
        (
            of(POST, "/x-needs/-"),
            json!("manage_users"),
            "it needs \"manage_users\"",
        ),
        (
            of(TASK, "/properties/title"),
            Value::Null,
            "/title: the member is gone",
        ),
        (of(TASK, "/required/0"), Value::Null, "is not always there"),
        (
            of(TITLE, "/type"),
            json!(["string", "null"]),
            "/title: {\"string\"}",
        ),
        (
            of("/components/schemas/Timestamp", "/format"),
            json!("date"),
            "/createdAt: the format",
        ),
        (of(TITLE, "/maxLength"), json!(9), "/title: maxLength"),
        (of(TITLE, "/pattern"), json!("^[a-z]*$"), "/title: pattern"),
        (
            of(CREATE, "/properties/description"),
            Value::Null,
            "/description: the member is gone",
        ),
        (
            of(CREATE, "/required/-"),
            json!("description"),
            "\"description\" is required",
        ),
        (
            of(CREATE, "/additionalProperties"),
            json!(false),
            "further members are refused",
        ),
        (
            of("/components/schemas/TaskStatus/enum/", "0"),
            Value::Null,
            "the value",
        ),
    ];
    for (pointer, value, expected) in cases {
        let broken = breaks(&DOCUMENT, &changed(&pointer, value));
        let named = broken
            .iter()
            .any(|text| text.contains(expected));
        assert!(named, "{pointer}: no {expected:?} in {broken:#?}");
    }
}

#[test]
fn growth_is_no_break() {
    assert_eq!(breaks(&DOCUMENT, &DOCUMENT), Vec::<String>::new());
    let optional = json!({"name": "because", "in": "query", "schema": {"type": "string"}});
    for (pointer, value) in [
        ("/paths/~1api~1more", json!({"get": {}})),
        ("/paths/~1api~1tasks/get/parameters/-", optional),
        ("/paths/~1api~1tasks/post/responses/418", json!({})),
        (
            "/components/schemas/Task/properties/more",
            json!({"type": "string"}),
        ),
        ("/components/schemas/Task/required/-", json!("more")),
        (
            "/components/schemas/TaskCreate/properties/more",
            json!({"type": "string"}),
        ),
        ("/components/schemas/Title/maxLength", json!(100_000)),
        ("/components/schemas/TaskStatus/enum/-", json!("paused")),
    ] {
        let broken = breaks(&DOCUMENT, &changed(pointer, value));
        assert_eq!(broken, Vec::<String>::new(), "{pointer}");
    }
}
