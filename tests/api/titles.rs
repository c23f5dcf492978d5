//! The filter `query` of lists: words of titles

use serde_json::json;
use tests::support::{Api, Caller, creates, refused};

const TITLES: [&str; 4] = [
    "Move the invoices",
    "Crème brûlée for Łódź",
    "Invoice 17 is wrong",
    "Tell the customers",
];

/// The lists, of which each has a record of each title.
const LISTS: [&str; 4] = [
    "/api/tasks",
    "/api/projects/1/tasks",
    "/api/service-requests",
    "/api/managed-services/tickets",
];

async fn with_titles(caller: &Caller) {
    for title in TITLES {
        caller
            .creates_task(json!({"title": title}))
            .await;
        for path in [
            "/api/managed-services/request",
            "/api/managed-services/tickets",
        ] {
            creates!(caller, path, {"title": title});
        }
    }
}

/// The titles of a list, from all of its pages.
async fn titles(caller: &Caller, path: &str) -> Vec<String> {
    let rows = caller.walk(path).await;
    let mut titles: Vec<String> = rows
        .iter()
        .map(|row| {
            row["title"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    titles.sort();
    titles
}

#[tokio::test]
async fn each_word_of_a_query_begins_a_word_of_the_title() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    with_titles(&max).await;
    for list in LISTS {
        for (query, expected) in [
            ("inv", &[TITLES[2], TITLES[0]][..]),
            ("INVOICES+move", &[TITLES[0]]),
            ("the", &[TITLES[0], TITLES[3]]),
            ("creme+lodz", &[TITLES[1]]),
            ("%2317", &[TITLES[2]]),
            ("voices", &[]),
            ("move+customers", &[]),
        ] {
            let path = format!("{list}?query={query}");
            assert_eq!(titles(&max, &path).await, expected, "{path}");
            let pages = format!("{path}&limit=1");
            assert_eq!(titles(&max, &pages).await, expected, "{pages}");
        }
    }
}

#[tokio::test]
async fn a_query_goes_with_other_filters_and_orders() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    with_titles(&max).await;
    for (list, sorts) in [
        ("/api/tasks", "id -id createdAt -createdAt"),
        ("/api/projects/1/tasks", "order"),
        ("/api/service-requests", "createdAt -createdAt"),
        (
            "/api/managed-services/tickets",
            "createdAt -createdAt -lastMessageAt",
        ),
    ] {
        for sort in sorts.split(' ') {
            for (more, expected) in [
                ("priority=medium", &[TITLES[0], TITLES[3]][..]),
                ("priority=high", &[]),
                ("assigneeId=none", &[TITLES[0], TITLES[3]]),
            ] {
                let path = format!("{list}?query=the&{more}&sort={sort}&limit=1");
                assert_eq!(titles(&max, &path).await, expected, "{path}");
            }
        }
        let ids = max
            .get(&format!("{list}?query=inv"))
            .await
            .ids();
        let path = format!("{list}?query=move&id={},{}", ids[0], ids[1]);
        assert_eq!(titles(&max, &path).await, [TITLES[0]], "{path}");
    }
}

#[tokio::test]
async fn a_query_has_a_word_and_at_most_200_characters() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    for list in LISTS {
        let long = "x".repeat(200);
        assert_eq!(titles(&max, &format!("{list}?query={long}")).await, [""; 0]);
        for (query, code) in [
            (format!("{long}x"), "length"),
            ("--".to_owned(), "pattern"),
            (String::new(), "blank"),
        ] {
            let path = format!("{list}?query={query}");
            refused!(max.get(&path).await => [("?query", code)]);
        }
    }
}
