//! The playbooks as a table: the alerts of each, its actions, and the calls for connections to
//! allow.

use std::{collections::BTreeMap, fs};

use tests::{files, path};
use toml::{Table, Value};

/// Their folder, from the project's root.
const FOLDER: &str = "shared/playbooks/files";

/// A row for each file, by name.
pub fn table() -> Vec<String> {
    let rows = files(&path(FOLDER), &[".toml"])
        .into_iter()
        .map(|file| {
            row(&fs::read_to_string(file)
                .unwrap()
                .parse()
                .unwrap())
        });
    let head = "| playbook | alerts | automated actions | `allow` by connection |";
    tests::table(head, rows)
}

fn row(playbook: &Table) -> String {
    let name = text(&playbook["name"]);
    let automated =
        list(playbook, "actions").filter(|action| action["automated"].as_bool().unwrap());
    let actions: Vec<String> = automated
        .map(|action| format!("`{}`", text(&action["action_type"])))
        .collect();
    let allow: Vec<String> = allow(playbook)
        .into_iter()
        .map(|(connection, calls)| format!("{connection}: {}", calls.join(", ")))
        .collect();
    let row = format!(
        "| [{name}](../../shared/playbooks/files/{name}.toml) | {} | {} | {} |",
        alerts(&playbook["match"]),
        actions.join(", "),
        allow.join("<br>"),
    );
    row.replace("|  |", "| |")
}

/// Conditions on an alert.
fn alerts(matches: &Value) -> String {
    let matches = matches.as_table().unwrap();
    let mut parts = Vec::new();
    if let Some(kind) = matches.get("signal_type") {
        parts.push(format!("`{}`", text(kind)));
    }
    if let Some(system) = matches.get("target_system") {
        parts.push(format!("`targetSystem` `{}`", text(system)));
    }
    let entities = matches
        .get("entity_types")
        .and_then(Value::as_array);
    for entity in entities.into_iter().flatten() {
        parts.push(format!("entity `{}`", text(entity)));
    }
    let labels = matches
        .get("labels")
        .and_then(Value::as_table);
    for (name, value) in labels.into_iter().flatten() {
        parts.push(format!("label `{name}={}`", text(value)));
    }
    if parts.is_empty() {
        return "every other alert".to_owned();
    }
    parts.join(", ")
}

/// The calls of its reads, steps and dry runs, by connection, each once.
fn allow(playbook: &Table) -> BTreeMap<String, Vec<String>> {
    let mut by_connection: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut needs = |connection: &Value, method: &str, path: &Value| {
        let segments = text(path).split('/').map(segment);
        let call = format!("`{method} {}`", segments.collect::<Vec<_>>().join("/"));
        let calls = by_connection
            .entry(text(connection).to_owned())
            .or_default();
        // A connection allows any segment, whether an alert or an earlier read names it.
        if !calls
            .iter()
            .any(|listed| without_names(listed) == without_names(&call))
        {
            calls.push(call);
        }
    };
    for read in list(playbook, "reads") {
        needs(&read["connection"], "GET", &read["path"]);
    }
    for action in list(playbook, "actions") {
        let system = &action["target_system"];
        for step in list(action, "steps") {
            if let Some(method) = step.get("method") {
                needs(system, text(method), &step["path"]);
            }
        }
    }
    by_connection
}

/// A segment as a connection has it: `{invoice}` for `{invoice.id}` and for `{dispute.invoice}`.
fn segment(part: &str) -> String {
    match part.split_once('.') {
        Some((read, "id}")) => format!("{read}}}"),
        Some((read, fact)) if read.starts_with('{') => format!("{{{fact}"),
        _ => part.to_owned(),
    }
}

fn without_names(call: &str) -> Vec<&str> {
    call.split('/')
        .map(|part| if part.starts_with('{') { "{}" } else { part })
        .collect()
}

fn list<'a>(table: &'a Table, name: &str) -> impl Iterator<Item = &'a Table> {
    let list = table
        .get(name)
        .and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .map(|element| element.as_table().unwrap())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}
