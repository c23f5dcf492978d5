//! Bounds of bodies and parameters: a value beyond a bound that the document states is refused at
//! its place, all faults of a request at once. Refusals write nothing.

use serde_json::{Value, json};
use tests::support::{Request, World, described::resolved};

/// A value that breaks a bound.
#[derive(Clone, Debug)]
struct Broken {
    /// Its place: a JSON pointer, or `?` and a parameter's name.
    pointer: String,
    /// The value; none for a member that is left out.
    value: Option<Value>,
    /// Codes of which the fault has one.
    codes: &'static [&'static str],
}

/// Texts that break a bound of their schema, each with the possible codes of its fault.
fn texts(schema: &Value) -> Vec<(Value, &'static [&'static str])> {
    let mut texts: Vec<(Value, &'static [&'static str])> = vec![(json!(5), &["type"])];
    if schema["enum"].is_array() {
        texts.push((json!("none of them"), &["value"]));
    }
    if schema["format"] == "date-time" {
        texts.push((json!("tomorrow"), &["date_time"]));
    }
    if let Some(most) = schema["maxLength"].as_u64() {
        let long = "x".repeat(usize::try_from(most).unwrap() + 1);
        texts.push((json!(long), &["length", "pattern"]));
    }
    if schema["minLength"]
        .as_u64()
        .is_some_and(|least| least > 0)
    {
        texts.push((json!(" "), &["blank", "length", "pattern"]));
    }
    let pattern = schema["pattern"].as_str();
    if pattern.is_some_and(|pattern| pattern.starts_with('^')) {
        // No pattern allows a control character.
        texts.push((json!("né\u{7}"), &["pattern"]));
    }
    texts
}

/// Breaks every bound of a schema, of its members and of its elements.
fn broken(schema: &Value, pointer: &str) -> Vec<Broken> {
    let schema = resolved(schema);
    let with = |value: Value, codes| Broken {
        pointer: pointer.to_owned(),
        value: Some(value),
        codes,
    };
    if let Some(options) = schema["oneOf"].as_array() {
        let null = json!({"type": "null"});
        let options: Vec<&Value> = options
            .iter()
            .filter(|option| **option != null)
            .collect();
        let [only] = options[..] else {
            return vec![with(json!("of none of them"), &["type"])];
        };
        let mut faults = broken(only, pointer);
        faults.retain(|fault| fault.value != Some(Value::Null) || fault.pointer != pointer);
        return faults;
    }
    let types = match &schema["type"] {
        Value::Array(types) => types.clone(),
        kind => vec![kind.clone()],
    };
    let mut faults = Vec::new();
    if !types.contains(&json!("null")) {
        // The body itself has to be an object.
        let codes: &[_] = if pointer.is_empty() {
            &["type"]
        } else {
            &["null"]
        };
        faults.push(with(Value::Null, codes));
    }
    let number = |name: &str| schema[name].as_i64();
    match types[0].as_str() {
        Some("string") => {
            let texts = texts(schema).into_iter();
            faults.extend(texts.map(|(value, codes)| with(value, codes)));
        }
        Some("integer") => {
            faults.push(with(json!("x"), &["type"]));
            faults.push(with(json!(1.5), &["type"]));
            let least = number("minimum").map(|least| least - 1);
            let beyond = least
                .into_iter()
                .chain(number("maximum").map(|most| most + 1));
            faults.extend(beyond.map(|value| with(json!(value), &["range"])));
        }
        Some("number") => {
            faults.push(with(json!("x"), &["type"]));
            let bounds = ["minimum", "maximum"].into_iter();
            let bounds = bounds.filter_map(|name| schema[name].as_f64());
            faults.extend(bounds.map(|bound| with(json!(bound * 2.0), &["range"])));
        }
        Some("boolean") => faults.push(with(json!("x"), &["type"])),
        Some("array") => {
            faults.push(with(json!("x"), &["type"]));
            if let Some(most) = number("maxItems") {
                let many = vec![Value::Null; usize::try_from(most).unwrap() + 1];
                faults.push(with(json!(many), &["length"]));
            }
            if number("minItems").is_some_and(|least| least > 0) {
                faults.push(with(json!([]), &["length"]));
            }
            if schema["items"].get("anyOf").is_none() {
                faults.extend(broken(&schema["items"], &format!("{pointer}/0")));
            }
        }
        Some("object") => {
            faults.push(with(json!(5), &["type"]));
            for (name, member) in schema["properties"]
                .as_object()
                .into_iter()
                .flatten()
            {
                faults.extend(broken(member, &format!("{pointer}/{name}")));
            }
            if schema["required"].is_null() && schema["allOf"].is_array() {
                faults.push(with(json!({"unknown": 1}), &["required"]));
            }
            for name in schema["required"]
                .as_array()
                .into_iter()
                .flatten()
            {
                faults.push(Broken {
                    pointer: format!("{pointer}/{}", name.as_str().unwrap()),
                    value: None,
                    codes: &["required"],
                });
            }
        }
        other => panic!("{pointer}: {other:?}"),
    }
    faults
}

/// As few requests as tell of all of them: in each, no place is within another. A cursor is opened
/// once all else is right, so that it stands alone.
fn together(faults: Vec<Broken>) -> Vec<Vec<Broken>> {
    let mut requests: Vec<Vec<Broken>> = Vec::new();
    for fault in faults {
        let path = format!("{}/", fault.pointer);
        let is_free = |request: &&mut Vec<Broken>| {
            let mut others = request
                .iter()
                .map(|other| format!("{}/", other.pointer));
            let is_cursor = |path: &str| path == "?cursor/";
            others.all(|other| {
                let is_apart = !path.starts_with(&other) && !other.starts_with(&path);
                is_apart && !is_cursor(&path) && !is_cursor(&other)
            })
        };
        match requests.iter_mut().find(is_free) {
            Some(request) => request.push(fault),
            None => requests.push(vec![fault]),
        }
    }
    requests
}

/// The body with that value, or without the member.
fn breaks(body: &mut Value, Broken { pointer, value, .. }: &Broken) {
    let Some((parent, name)) = pointer.rsplit_once('/') else {
        *body = value.clone().unwrap();
        return;
    };
    match (body.pointer_mut(parent), value) {
        (Some(Value::Object(members)), None) => drop(members.remove(name)),
        (Some(Value::Object(members)), Some(value)) => {
            members.insert(name.to_owned(), value.clone());
        }
        (Some(Value::Array(elements)), Some(value)) => elements[0] = value.clone(),
        (parent, _) => panic!("{pointer}: {parent:?}"),
    }
}

/// Sends a request with these faults. Returns those that the refusal does not name with their
/// codes.
async fn unnamed(world: &World, request: &Request, faults: &[Broken]) -> Vec<String> {
    let answer = request
        .by(&world.caller_of(request).await)
        .await;
    let problem: Value = serde_json::from_str(&answer.text).unwrap_or_default();
    let is_empty = request.body == Some(json!({}));
    let unnamed = faults
        .iter()
        .filter_map(|Broken { pointer, codes, .. }| {
            let mut named = problem["errors"]
                .as_array()
                .into_iter()
                .flatten();
            let is_named = named.any(|fault| {
                let code = fault["code"]
                    .as_str()
                    .unwrap_or_default();
                // A change that lacks its only member is at fault as a whole.
                let is_there =
                    fault["pointer"] == **pointer || (fault["pointer"] == "" && is_empty);
                is_there && codes.contains(&code)
            });
            let operation = request.operation();
            let text = &answer.text;
            let message = || format!("{operation} {pointer}: no {codes:?} in {text:.500}");
            (answer.status != 400 || !is_named).then(message)
        });
    unnamed.collect()
}

/// All records but the sessions that callers begin.
async fn records(world: &World) -> Vec<String> {
    let mut items = world.api().records().await;
    items.retain(|item| !item.contains("\"kind\": S(\"session\")"));
    items
}

/// Sends each request with its faults, in as few requests as tell of all of them. Each fault is
/// named, and nothing is written.
async fn are_refused(
    least: usize,
    faults: impl Fn(&Request) -> Vec<Broken>,
    sent: impl Fn(&Request, &[Broken]) -> Request,
) {
    let world = World::start().await;
    // A caller's first request writes the caller.
    for request in world.requests() {
        world.caller_of(&request).await;
    }
    let before = records(&world).await;
    let mut seen = 0;
    let mut missed = Vec::new();
    for request in world.requests() {
        let violations = faults(&request);
        seen += violations.len();
        for faults in together(violations) {
            missed.extend(unnamed(&world, &sent(&request, &faults), &faults).await);
        }
    }
    assert!(missed.is_empty(), "{}: {missed:#?}", missed.len());
    assert!(seen > least, "{seen}");
    assert_eq!(before, records(&world).await);
}

#[tokio::test]
async fn a_body_beyond_a_bound_is_refused() {
    let schema = |request: &Request| -> &'static Value {
        &request.described().described["requestBody"]["content"]["application/json"]["schema"]
    };
    let example = |request: &Request| &resolved(schema(request))["examples"][0];
    let faults = |request: &Request| {
        if request.body.is_none() {
            return Vec::new();
        }
        // Members of what no example shows are not reached.
        let mut faults = broken(schema(request), "");
        faults.retain(|fault| {
            let parent = fault
                .pointer
                .rsplit_once('/')
                .map(|(parent, _)| parent);
            let value = example(request).pointer(parent.unwrap_or_default());
            value.is_some_and(|value| value.is_object() || value.get(0).is_some())
        });
        faults
    };
    let sent = |request: &Request, faults: &[Broken]| {
        let mut body = example(request).clone();
        for fault in faults {
            breaks(&mut body, fault);
        }
        Request {
            body: Some(body),
            ..request.clone()
        }
    };
    Box::pin(are_refused(500, faults, sent)).await;
}

/// Breaks the bounds of a parameter, whose text is a value or several.
fn broken_parameter(parameter: &Value) -> Vec<Broken> {
    let schema = resolved(&parameter["schema"]);
    let of_elements = resolved(&schema["items"]);
    let is_list = of_elements.is_object();
    let schema = if is_list { of_elements } else { schema };
    let texts: &[(&str, &[&str])] = match schema["type"].as_str() {
        Some("integer") => &[
            ("few", &["type"]),
            ("0", &["range"]),
            ("9007199254740992", &["range"]),
        ],
        Some("boolean") => &[("yes", &["type"])],
        Some("string") if schema["enum"].is_array() => &[("none of them", &["value"])],
        Some("string") if schema["format"] == "date-time" => &[("tomorrow", &["date_time"])],
        Some("string") if parameter["name"] == "cursor" => {
            &[("AAAA", &["unknown"]), ("", &["unknown"])]
        }
        // Texts, and a word that stands for none.
        None if parameter["name"] == "category" => &[],
        // Ids, and words that stand for some.
        None => &[("you", &["type", "value"]), ("0", &["range"])],
        Some(_) => &[],
    };
    let broken = texts
        .iter()
        .map(|(text, codes)| Broken {
            pointer: format!("?{}", parameter["name"].as_str().unwrap()),
            value: Some(json!(text)),
            codes,
        });
    broken.collect()
}

#[tokio::test]
async fn a_parameter_beyond_its_bound_or_unknown_is_refused() {
    let faults = |request: &Request| {
        if request.needs.is_none() {
            return Vec::new();
        }
        let unknown = Broken {
            pointer: "?dry".to_owned(),
            value: Some(json!("1")),
            codes: &["unknown_parameter"],
        };
        let parameters = request
            .described()
            .parameters()
            .map(resolved);
        let parameters = parameters.filter(|parameter| parameter["in"] == "query");
        let faults = parameters
            .flat_map(broken_parameter)
            .chain([unknown]);
        faults.collect()
    };
    let sent = |request: &Request, faults: &[Broken]| {
        let query = faults.iter().map(|fault| {
            let value = fault
                .value
                .as_ref()
                .and_then(Value::as_str)
                .unwrap();
            format!("{}={}", &fault.pointer[1..], value.replace(' ', "%20"))
        });
        let (path, sent) = request
            .path
            .split_once('?')
            .unwrap_or((&request.path, ""));
        let is_broken = |pair: &str| {
            let name = pair
                .split('=')
                .next()
                .unwrap_or_default();
            faults
                .iter()
                .any(|fault| fault.pointer[1..] == *name)
        };
        let sent = sent.split('&');
        let sent = sent.filter(|pair| !pair.is_empty() && !is_broken(pair));
        let query: Vec<String> = query
            .chain(sent.map(str::to_owned))
            .collect();
        Request {
            path: format!("{path}?{}", query.join("&")),
            ..request.clone()
        }
    };
    Box::pin(are_refused(150, faults, sent)).await;
}
