//! Rows that a caller may not see leave no trace: neither in other rows nor in the pages and
//! cursors of lists.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use shared::model::base::span;
use tests::support::{
    Api, Caller, Item, MOST_PAGES, Operation, World, creates, number, posts, set, text, text_of,
};

/// The record of the tests' notes and messages.
const TICKET: &str = "/api/managed-services/ticket/1";

/// Reads whatever can be read, lists page by page. A feed's numbers count what others see, so its
/// cursors and the numbers of its rows are left out.
async fn answers(world: &World, reader: &Caller) -> BTreeMap<String, Vec<String>> {
    let mut answers = BTreeMap::new();
    for request in world
        .requests()
        .iter()
        .filter(|request| request.method == "GET")
    {
        for first in paths(&request.template, &request.path) {
            let mut next = Some(first.clone());
            let mut pages = Vec::new();
            while let Some(path) = next.take() {
                assert!(pages.len() < MOST_PAGES, "{first} does not end");
                let answer = reader.get(&path).await;
                let etag = answer
                    .header("etag")
                    .unwrap_or_default();
                let is_feed = request.template == "/api/changes";
                let link = answer
                    .next()
                    .filter(|_| !is_feed || answer.text != "[]");
                let (text, shown) = if answer.status != 200 {
                    (String::new(), link.unwrap_or_default())
                } else if is_feed {
                    (without_numbers(&answer.expect(200)), "")
                } else {
                    (answer.text.clone(), link.unwrap_or_default())
                };
                next = link.map(str::to_owned);
                pages.push(format!("{} {etag} {text} {shown}", answer.status));
            }
            answers.insert(first, pages);
        }
    }
    answers
}

fn without_numbers(feed: &Value) -> String {
    let mut rows = feed.as_array().unwrap().clone();
    for row in &mut rows {
        row["id"].take();
    }
    Value::Array(rows).to_string()
}

/// An operation's path as it is; of a list, in pages of one row and in each order.
fn paths(template: &str, path: &str) -> Vec<String> {
    let has_limit = Operation::of("GET", template)
        .parameter("limit")
        .is_some();
    match template {
        "/api/search" => vec![format!("{template}?limit=1&query=zebra")],
        "/api/changes" => vec![format!("{template}?limit=1&cursor=first")],
        TICKETS_MESSAGES => ["createdAt", "-createdAt"]
            .map(|sort| format!("{path}?limit=1&sort={sort}"))
            .into(),
        _ if has_limit => vec![format!("{path}?limit=1"), path.to_owned()],
        _ => vec![path.to_owned()],
    }
}

const TICKETS_MESSAGES: &str = "/api/managed-services/ticket/{ticketId}";

/// A member writes messages with the word; one in two is an internal note.
async fn has_messages(api: &Api, writer: &Caller) {
    for number in 0..7 {
        api.clock.advance(span::SECOND);
        let content = format!("Zebra number {number}, @vic and @max");
        let message = json!({"content": content, "internal": number % 2 == 0});
        let answer = writer
            .post(&format!("{TICKET}/reply"), message)
            .await;
        answer.expect(200);
    }
}

/// Deletes items, with what index and feed have of them.
async fn loses(api: &Api, kinds: &[&str], is_hidden: impl Fn(&Item) -> bool) -> usize {
    let mut items = api.items().await;
    items.sort_by_key(|item| ["pk", "sk"].map(|name| text_of(item, name).to_owned()));
    let number_of = |item: &Item, name: &str| item.get(name)?.as_n().ok().cloned();
    let name_of = |item: &Item| (text_of(item, "kind").to_owned(), number_of(item, "id"));
    let hidden = |item: &&Item| kinds.contains(&text_of(item, "kind")) && is_hidden(item);
    let names: BTreeSet<_> = items
        .iter()
        .filter(hidden)
        .map(name_of)
        .collect();
    let is_named = |kind: &str, id| names.contains(&(kind.to_owned(), id));
    // The sort key of a batch is the end of the one before it.
    let mut last = None;
    for item in &mut items {
        let is_indexed = ["indexed_record", "indexed_word"].contains(&text_of(item, "kind"))
            && is_named(text_of(item, "type"), number_of(item, "id"));
        if is_indexed || names.contains(&name_of(item)) {
            api.deletes(item).await;
        }
        if text_of(item, "kind") == "feed_batch" {
            let Some(AttributeValue::L(entries)) = item.get_mut("entries") else {
                panic!("no entries");
            };
            entries.retain(|entry| {
                let entry = entry.as_m().unwrap();
                !is_named(text_of(entry, "type"), number_of(entry, "recordId"))
            });
            if entries.is_empty() {
                api.deletes(item).await;
                continue;
            }
            let left = entries.len();
            let first: usize = number_of(item, "first")
                .unwrap()
                .parse()
                .unwrap();
            set(item, [("end", number(first + left))]);
            if let Some(end) = last.replace(first + left) {
                api.deletes(item).await;
                let width = text_of(item, "sk").len();
                let sk = text(&format!("{end:0width$}"));
                set(item, [("sk", sk), ("follows", number(end))]);
            }
            api.puts([item.clone()]).await;
        }
    }
    names.len()
}

fn is_note(item: &Item) -> bool {
    item.get("internal") == Some(&AttributeValue::Bool(true))
}

/// Fails with the first page that differs.
fn same(with: &BTreeMap<String, Vec<String>>, without: &BTreeMap<String, Vec<String>>) {
    for (path, pages) in with {
        assert_eq!(pages, &without[path], "{path}");
    }
}

#[tokio::test]
async fn hidden_rows_leave_no_trace() {
    let world = Box::pin(World::start()).await;
    let api = world.api();
    let max = world.caller().await;
    has_messages(api, &max).await;
    api.publishes().await;
    let vic = api.sign_in("vic").await;
    let only = json!({"permissions": ["view_work"]});
    let script = api.token_of(&world.max, only).await;
    script.reads("/api/auth/session").await;

    let with = answers(&world, &vic).await;
    // Another note changes nothing of the ticket, whose version and time of change anybody may
    // read.
    api.clock.advance(span::SECOND);
    posts!(max, "{TICKET}/reply", {"content": "No zebra, @vic", "internal": true});
    api.publishes().await;
    same(&with, &answers(&world, &vic).await);
    assert_eq!(loses(api, &["ticket_message"], is_note).await, 5);
    same(&with, &answers(&world, &vic).await);
    let listed = with
        .values()
        .filter(|pages| pages.len() > 1);
    assert!(listed.count() > 10, "{with:?}");

    let with = answers(&world, &script).await;
    assert!(loses(api, &["ticket", "ticket_message"], |_| true).await > 4);
    same(&with, &answers(&world, &script).await);
}

/// A search of a frequent word walks through all records, with other pages. Words that its caller
/// does not see do not count.
#[tokio::test]
async fn hidden_words_do_not_make_a_word_frequent() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let vic = api.sign_in("vic").await;
    creates!(max, "/api/managed-services/tickets", {"title": "Help"});
    let words = (0..499).map(|number| format!("zq{number:03} "));
    let task = json!({"title": "Words", "description": words.collect::<String>()});
    max.creates_task(json!({"title": "Other"}))
        .await;
    max.creates_task(task).await;
    let others = (3..=1_200).map(|id| (id, "Other".to_owned()));
    api.has_copies(others).await;
    api.publishes().await;
    let search = async |reader: &Caller| {
        let page = reader
            .get("/api/search?query=zq&limit=1")
            .await;
        (page.found(), page.next().is_some())
    };
    let expected = (vec![json!(["task", 2])], false);
    let user = api.user("max").await;
    let script = api.token_of(&user, json!({"permissions": ["view_work"]}));
    let script = script.await;
    assert_eq!(search(&vic).await, expected);
    for (internal, reader) in [(true, &vic), (false, &script)] {
        api.clock.advance(span::SECOND);
        let message = json!({"content": "zqx", "internal": internal});
        let answer = max
            .post(&format!("{TICKET}/reply"), message)
            .await;
        answer.expect(200);
        api.publishes().await;
        assert_eq!(search(reader).await, expected, "internal: {internal}");
    }
}

/// A word of all texts of the restricted project.
const MARK: &str = "zephyrine";

/// Gives each record of project 1 the mark.
async fn marks(max: &Caller) {
    let renamed = json!({"title": format!("{MARK} project"), "description": MARK});
    max.patches("/api/projects/1", renamed)
        .await;
    for path in [
        "/api/tasks/1",
        "/api/tasks/2",
        "/api/tasks/3",
        "/api/phases/1",
    ] {
        max.patches(path, json!({"title": format!("{MARK} {path}")}))
            .await;
    }
    for path in ["/api/milestones/1", "/api/milestones/2"] {
        max.puts(path, json!({"title": format!("{MARK} {path}")}))
            .await;
    }
    for path in ["/api/activities/1", "/api/activities/2"] {
        max.patches(path, json!({"description": format!("{MARK} {path}")}))
            .await;
    }
    for path in ["/api/tasks/1/comments", "/api/activities/1/comments"] {
        let content = format!("{MARK}: @vic and @mia");
        creates!(max, path, {"content": content});
    }
}

/// A manager who is no member, and tokens of theirs, find nothing of a restricted project: by each
/// operation, in its text, its headers and its pages.
#[tokio::test]
async fn a_restricted_project_leaves_no_trace() {
    let world = Box::pin(World::start()).await;
    let api = world.api();
    let max = world.caller().await;
    let vic = api.user("vic").await;
    max.patches(
        &format!("/api/users/{}", vic.id),
        json!({"role": "manager"}),
    )
    .await;
    max.patches("/api/projects/1", json!({"visibility": "members"}))
        .await;
    api.clock.advance(span::SECOND);
    marks(&max).await;
    api.publishes().await;
    let outsider = api.sign_in("vic").await;
    let script = api.token_of(&vic, json!({})).await;
    for reader in [&outsider, &script] {
        let read = answers(&world, reader).await;
        for (path, pages) in &read {
            let text = pages.concat().to_lowercase();
            assert!(!text.contains(MARK), "{path}: {text}");
        }
    }
    // A member finds all of it, and an admin.
    let path = format!("/api/projects/1/members/{}", vic.id);
    max.send("PUT", &path, None)
        .await
        .expect(204);
    for reader in [&outsider, &max] {
        let read = answers(&world, reader).await;
        let marked = read.values().filter(|pages| {
            pages
                .concat()
                .to_lowercase()
                .contains(MARK)
        });
        assert!(marked.count() > 15, "{:?}", read.keys());
    }
    // Who was removed finds nothing with the next request.
    max.delete(&path).await.expect(204);
    let read = answers(&world, &outsider).await;
    assert!(
        !format!("{read:?}")
            .to_lowercase()
            .contains(MARK)
    );
}

/// No operation of a manager who is no member changes a restricted project.
#[tokio::test]
async fn a_restricted_project_takes_no_write_of_others() {
    let world = Box::pin(World::start()).await;
    let api = world.api();
    let max = world.caller().await;
    let vic = api.user("vic").await;
    max.patches(
        &format!("/api/users/{}", vic.id),
        json!({"role": "manager"}),
    )
    .await;
    max.patches("/api/projects/1", json!({"visibility": "members"}))
        .await;
    marks(&max).await;
    let outsider = api.sign_in("vic").await;
    let of_project = async || -> BTreeMap<String, String> {
        let items = api.items().await;
        let of_project = items.iter().filter(|item| {
            format!("{item:?}")
                .to_lowercase()
                .contains(MARK)
        });
        let versions = of_project.map(|item| {
            let key = ["pk", "sk"].map(|name| text_of(item, name));
            (key.join(" "), format!("{:?}", item.get("version")))
        });
        versions.collect()
    };
    let before = of_project().await;
    let is_write = |method: &str| method != "GET";
    let mut hidden = 0;
    for request in world
        .requests()
        .iter()
        .filter(|request| is_write(&request.method))
    {
        // Those that end the caller's own session or tokens.
        if request
            .template
            .starts_with("/api/auth")
            || request
                .template
                .starts_with("/api/tokens")
        {
            continue;
        }
        let answer = request.by(&outsider).await;
        assert!(
            !answer
                .text
                .to_lowercase()
                .contains(MARK),
            "{}",
            request.operation()
        );
        hidden += usize::from(answer.status == 404);
    }
    assert_eq!(of_project().await, before);
    assert!(hidden > 15, "{hidden}");
}
