//! Filters of lists at their bounds: no allowed request makes an expression that the table refuses.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tests::support::{Operation, Settings, World, described, example, operations};

/// The most values of a filter, except for ids.
const MOST: usize = 50;

/// The most ids of a filter.
const MOST_IDS: usize = 100;

/// The filters of a list that take several values, each with as many as it may have. `separated` joins the
/// values of a name.
fn filters(list: &Operation, separated: impl Fn(&str, &[String]) -> String) -> Vec<String> {
    let parameters = list.described["parameters"].as_array();
    let parameters = parameters.into_iter().flatten();
    let lists = parameters.filter(|one| one["schema"]["type"] == "array");
    lists
        .map(|parameter| {
            let name = parameter["name"].as_str().unwrap();
            let most = if name == "id" { MOST_IDS } else { MOST };
            assert_eq!(
                parameter["schema"]["maxItems"], most,
                "{}?{name}",
                list.path
            );
            let values = values(&parameter["schema"]["items"]);
            let values: Vec<_> = values.iter().cycle().take(most).cloned().collect();
            separated(name, &values)
        })
        .collect()
}

/// The values of a filter, separated by commas.
fn at_commas(name: &str, values: &[String]) -> String {
    format!("{name}={}", values.join(","))
}

/// A parameter for each value, as most generated clients send them.
fn repeated(name: &str, values: &[String]) -> String {
    let pairs = values.iter().map(|value| format!("{name}={value}"));
    pairs.collect::<Vec<_>>().join("&")
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
    let mut asked = 0;
    for list in operations().iter().filter(|one| one.method == "GET") {
        let both = filters(list, at_commas)
            .into_iter()
            .zip(filters(list, repeated));
        for (one, many) in both {
            let [one, many] = [one, many].map(|query| path(list, &query));
            let (answer, repeated) = (caller.get(&one).await, caller.get(&many).await);
            assert_eq!(repeated.status, 200, "{many}: {}", repeated.text);
            assert_eq!(repeated.text, answer.text, "{many}");
            let name = one.split_once('?').unwrap().1.split_once('=').unwrap().0;
            let value = one
                .rsplit([',', '=', '&'])
                .find(|part| *part != "x" && *part != "query");
            let beyond = format!("{many}&{name}={}", value.unwrap());
            let place = format!("?{name}");
            caller
                .get(&beyond)
                .await
                .expect_faults(&[(&place, "length")]);
            asked += 1;
        }
        let all = filters(list, repeated).join("&");
        if !all.is_empty() {
            caller.get(&path(list, &all)).await.expect(200);
        }
    }
    assert!(asked >= 45, "{asked}");
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
        let answer = caller.get(&format!("/api/tasks?{query}")).await;
        answer.expect_faults(&[(&place, "repeated")]);
    }
}

/// A page with several values leads to the next one. Its cursor is for these values alone.
#[tokio::test]
async fn a_repeated_filter_is_walked_and_binds_its_cursor() {
    let world = Box::pin(World::start()).await;
    let caller = world.caller().await;
    for status in ["todo", "done", "todo", "in_review", "done"] {
        caller.creates_task(json!({"status": status})).await;
    }
    let whole = caller.walk("/api/tasks?status=todo,done").await;
    let first = "/api/tasks?status=todo&status=done&limit=1";
    assert_eq!(caller.walk(first).await, whole);
    let next = caller.get(first).await.next().unwrap().to_owned();
    let of_another = next.replace("status=todo", "status=in_review");
    assert_ne!(of_another, next);
    caller
        .get(&of_another)
        .await
        .expect_faults(&[("?cursor", "unknown")]);
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
    for (query, expected) in [
        ("category=billing,late", vec!["billing", "late"]),
        (
            "category=billing&category=access",
            vec!["access", "billing"],
        ),
        (
            "category=billing,%20late&category=access",
            vec!["access", "billing, late"],
        ),
        (
            "category=billing,+late&category=billing,+late",
            vec!["billing, late"],
        ),
    ] {
        let rows = caller.walk(&format!("/api/service-requests?{query}")).await;
        let mut found: Vec<_> = rows
            .iter()
            .map(|row| row["category"].as_str().unwrap())
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{query}");
    }
}

#[tokio::test]
async fn filters_at_their_bounds_are_answered() {
    let (settings, _strict) = Settings::behind_faults().await;
    let world = Box::pin(World::start_in(settings)).await;
    let caller = world.caller().await;
    let mut asked = 0;
    for list in operations().iter().filter(|one| one.method == "GET") {
        let filters = filters(list, at_commas);
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
