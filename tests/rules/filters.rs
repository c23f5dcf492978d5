//! Filters of lists at their bounds: no request that the document allows makes an expression that the table
//! refuses.

use std::collections::BTreeSet;

use serde_json::Value;
use tests::support::{Operation, Settings, World, described, example, operations};

/// The most values of a filter.
const MOST: usize = 50;

/// The filters of a list that take several values, each with as many as it may have.
fn filters(list: &Operation) -> Vec<String> {
    let parameters = list.described["parameters"].as_array();
    let parameters = parameters.into_iter().flatten();
    let lists = parameters.filter(|one| one["schema"]["type"] == "array");
    lists
        .map(|parameter| {
            assert_eq!(parameter["schema"]["maxItems"], MOST);
            let values = values(&parameter["schema"]["items"]);
            let values: Vec<_> = values.iter().cycle().take(MOST).cloned().collect();
            format!(
                "{}={}",
                parameter["name"].as_str().unwrap(),
                values.join(",")
            )
        })
        .collect()
}

/// As many different values as a filter may have, or all that there are.
fn values(schema: &Value) -> Vec<String> {
    let schema = described::resolved(schema);
    let parts = ["anyOf", "oneOf"].map(|keyword| schema[keyword].as_array());
    let parts: Vec<&Value> = parts.into_iter().flatten().flatten().collect();
    if !parts.is_empty() {
        // The words first: there are more numbers than a filter takes.
        let mut values: Vec<_> = parts.into_iter().rev().flat_map(values).collect();
        values.truncate(MOST);
        return values;
    }
    if let Some(names) = schema["enum"].as_array() {
        let names = names.iter().map(|name| name.as_str().unwrap().to_owned());
        return names.collect();
    }
    if schema["type"] == "integer" {
        return (1..=MOST).map(|id| id.to_string()).collect();
    }
    (1..=MOST).map(|id| format!("name_{id}")).collect()
}

/// All filters of a list together, every two and every three of them.
fn queries(filters: &[String]) -> BTreeSet<String> {
    let mut all = BTreeSet::from([filters.join("&")]);
    for (first, one) in filters.iter().enumerate() {
        for (second, two) in filters.iter().enumerate().skip(first + 1) {
            all.insert(format!("{one}&{two}"));
            for three in filters.iter().skip(second + 1) {
                all.insert(format!("{one}&{two}&{three}"));
            }
        }
    }
    all
}

#[tokio::test]
async fn filters_at_their_bounds_are_answered() {
    let (settings, _strict) = Settings::behind_faults().await;
    let world = Box::pin(World::start_in(settings)).await;
    let caller = world.caller().await;
    let mut asked = 0;
    for list in operations().iter().filter(|one| one.method == "GET") {
        let filters = filters(list);
        let instants = list.described["parameters"]
            .as_array()
            .into_iter()
            .flatten();
        let instants = instants.filter(|one| {
            let name = one["name"].as_str().unwrap_or_default();
            ["dueBefore", "dueAfter", "updatedSince"].contains(&name)
        });
        let instants =
            instants.map(|one| format!("&{}=2026-01-01T00:00:00Z", one["name"].as_str().unwrap()));
        let instants: String = instants.collect();
        for query in queries(&filters) {
            let mut path = example(&list.path, "1");
            if !query.is_empty() {
                path = format!("{path}?{query}{instants}");
            }
            if list.path == "/api/search" {
                path = format!("{path}&query=x");
            }
            if !query.is_empty() {
                let answer = caller.get(&path).await;
                assert_eq!(answer.status, 200, "{path}: {}", answer.text);
                asked += 1;
            }
        }
    }
    assert!(asked > 100, "{asked}");
}
