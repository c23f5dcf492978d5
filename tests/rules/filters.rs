//! Filters of lists at their bounds: no allowed request makes an expression that the table refuses.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tests::support::{Operation, Settings, World, described, example, refused};

/// The most values of a filter, except for ids.
const MOST: usize = 50;

/// The most ids of a filter.
const MOST_IDS: usize = 100;

/// The filters of a list that take several values, each with as many as it may have. `separated`
/// joins the values of a name.
fn filters(list: &Operation, separated: impl Fn(&str, &[String]) -> String) -> Vec<String> {
    let lists = list
        .parameters()
        .filter(|parameter| parameter["schema"]["type"] == "array");
    let filter = |parameter: &Value| {
        let name = parameter["name"].as_str().unwrap();
        let schema = &parameter["schema"];
        let most = if name == "id" { MOST_IDS } else { MOST };
        assert_eq!(schema["maxItems"], most, "{}?{name}", list.path);
        let values = values(&schema["items"]);
        let values: Vec<_> = values
            .iter()
            .cycle()
            .take(most)
            .cloned()
            .collect();
        separated(name, &values)
    };
    lists.map(filter).collect()
}

/// The values of a filter, separated by commas.
fn at_commas(name: &str, values: &[String]) -> String {
    format!("{name}={}", values.join(","))
}

/// A parameter for each value, as most generated clients send them.
fn repeated(name: &str, values: &[String]) -> String {
    let pairs = values
        .iter()
        .map(|value| format!("{name}={value}"));
    pairs.collect::<Vec<_>>().join("&")
}

/// As many different values as a filter may have, or all that there are.
fn values(schema: &Value) -> Vec<String> {
    let schema = described::resolved(schema);
    let parts = ["anyOf", "oneOf"].map(|keyword| schema[keyword].as_array());
    let parts: Vec<&Value> = parts
        .into_iter()
        .flatten()
        .flatten()
        .collect();
    if !parts.is_empty() {
        // The words first: there are more numbers than a filter takes.
        let mut values: Vec<_> = parts
            .into_iter()
            .rev()
            .flat_map(values)
            .collect();
        values.truncate(MOST);
        return values;
    }
    if let Some(names) = schema["enum"].as_array() {
        let names = names
            .iter()
            .map(|name| name.as_str().unwrap().to_owned());
        return names.collect();
    }
    if schema["type"] == "integer" {
        return (1..=MOST)
            .map(|id| id.to_string())
            .collect();
    }
    (1..=MOST)
        .map(|id| format!("name_{id}"))
        .collect()
}

/// All filters of a list together, every two and every three of them.
fn queries(filters: &[String]) -> BTreeSet<String> {
    let mut queries = BTreeSet::from([filters.join("&")]);
    for (first, one) in filters.iter().enumerate() {
        for (second, two) in filters
            .iter()
            .enumerate()
            .skip(first + 1)
        {
            queries.insert(format!("{one}&{two}"));
            for three in filters.iter().skip(second + 1) {
                queries.insert(format!("{one}&{two}&{three}"));
            }
        }
    }
    queries
}

/// The path of a list with a query, which search cannot do without.
fn path(list: &Operation, query: &str) -> String {
    let path = format!("{}?{query}", example(&list.path, "1"));
    if list.path == "/api/search" {
        return format!("{path}&query=x");
    }
    path
}

/// A repeated filter means the same as one with commas. One value more is refused in both forms.
#[tokio::test]
async fn a_repeated_filter_means_or() {
    let world = Box::pin(World::start()).await;
    let caller = world.caller().await;
    let mut request_count = 0;
    for list in Operation::reads() {
        let several = filters(list, repeated);
        for (joined, many) in filters(list, at_commas)
            .into_iter()
            .zip(&several)
        {
            let [joined, many] = [&joined, many].map(|query| path(list, query));
            let answer = caller.get(&joined).await;
            let repeated = caller.get(&many).await;
            assert_eq!(repeated.status, 200, "{many}: {}", repeated.text);
            assert_eq!(repeated.text, answer.text, "{many}");
            let name = joined
                .split_once('?')
                .unwrap()
                .1
                .split_once('=')
                .unwrap()
                .0;
            let mut parts = joined.rsplit([',', '=', '&']);
            let value = parts.find(|part| !["x", "query"].contains(part));
            let beyond = format!("{many}&{name}={}", value.unwrap());
            refused!(caller.get(&beyond).await => [(&format!("?{name}"), "length")]);
            request_count += 1;
        }
        if !several.is_empty() {
            caller
                .reads(&path(list, &several.join("&")))
                .await;
        }
    }
    assert!(request_count >= 45, "{request_count}");
}

/// Other parameters are still sent once.
#[tokio::test]
async fn a_repeated_parameter_with_one_value_is_refused() {
    let world = Box::pin(World::start()).await;
    let caller = world.caller().await;
    for query in [
        "limit=2&limit=2",
        "updatedSince=2026-01-15T12:00:00Z&updatedSince=2026-01-15T12:00:00Z",
        "sort=id&sort=id",
    ] {
        let place = format!("?{}", query.split_once('=').unwrap().0);
        refused!(caller.get(&format!("/api/tasks?{query}")).await => [(&place, "repeated")]);
    }
}

/// A page with several values leads to the next one. Its cursor is for these values alone.
#[tokio::test]
async fn a_repeated_filter_is_walked_and_binds_its_cursor() {
    let world = Box::pin(World::start()).await;
    let caller = world.caller().await;
    for status in ["todo", "done", "todo", "in_review", "done"] {
        caller
            .creates_task(json!({"status": status}))
            .await;
    }
    let whole = caller
        .walk("/api/tasks?status=todo,done")
        .await;
    let first = "/api/tasks?status=todo&status=done&limit=1";
    assert_eq!(caller.walk(first).await, whole);
    let next = caller
        .get(first)
        .await
        .next()
        .unwrap()
        .to_owned();
    let of_another = next.replace("status=todo", "status=in_review");
    assert_ne!(of_another, next);
    refused!(caller.get(&of_another).await => [("?cursor", "unknown")]);
}

/// A category may have a comma. Repeated ones are taken as they are.
#[tokio::test]
async fn a_repeated_filter_of_texts_is_not_split() {
    let world = Box::pin(World::start()).await;
    let caller = world.caller().await;
    for category in ["billing, late", "billing", "late", "access"] {
        let request = json!({"title": "x", "category": category});
        caller
            .creates("/api/managed-services/request", request)
            .await;
    }
    for (categories, expected) in [
        (&["billing,late"][..], &["billing", "late"][..]),
        (&["billing", "access"], &["access", "billing"]),
        (&["billing,%20late", "access"], &["access", "billing, late"]),
        (&["billing,+late", "billing,+late"], &["billing, late"]),
    ] {
        let query = categories.join("&category=");
        let path = format!("/api/service-requests?category={query}");
        let rows = caller.walk(&path).await;
        let categories = rows
            .iter()
            .map(|row| row["category"].as_str().unwrap());
        let categories: BTreeSet<_> = categories.collect();
        assert_eq!(categories.len(), rows.len(), "{query}");
        assert!(categories.iter().eq(expected), "{query}: {categories:?}");
    }
}

#[tokio::test]
async fn filters_at_their_bounds_are_answered() {
    let (settings, _strict) = Settings::behind_faults().await;
    let world = Box::pin(World::start_in(settings)).await;
    let caller = world.caller().await;
    let mut request_count = 0;
    for list in Operation::reads() {
        let instants = ["dueBefore", "dueAfter", "updatedSince"].into_iter();
        let instants = instants.filter(|name| list.parameter(name).is_some());
        let instants = instants.map(|name| format!("&{name}=2026-01-01T00:00:00Z"));
        let instants: String = instants.collect();
        let mut queries = queries(&filters(list, at_commas));
        queries.remove("");
        for query in queries {
            let path = path(list, &format!("{query}{instants}"));
            let answer = caller.get(&path).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text);
            request_count += 1;
        }
    }
    assert!(request_count > 100, "{request_count}");
}
