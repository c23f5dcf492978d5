//! Pages of a search, and their order.

use serde_json::{Value, json};
use shared::{model::base::span, store::metered};
use tests::support::{Answer, Api, Caller, MOST_PAGES, patches};

/// The ids of found tasks, by pages of so many rows, and the number of pages.
async fn ids(caller: &Caller, query: &str, limit: usize) -> (Vec<i64>, usize) {
    let mut ids = Vec::new();
    let mut pages = 0;
    let path = format!("/api/search?query={query}&limit={limit}");
    let mut page = caller.get(&path).await;
    while pages < MOST_PAGES {
        let rows = page.expect(200);
        let rows = rows.as_array().unwrap();
        assert!(rows.len() <= limit);
        ids.extend(
            rows.iter()
                .map(|row| row["id"].as_i64().unwrap()),
        );
        pages += 1;
        match page.next() {
            Some(next) => page = caller.get(next).await,
            None => return (ids, pages),
        }
    }
    panic!("{path} does not end");
}

#[tokio::test]
async fn the_last_changed_comes_first_and_each_once() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_tasks(["Zebra"; 7]).await;
    for id in [3, 6] {
        api.clock.advance(span::SECOND);
        patches!(mia, "/api/tasks/{id}", {"status": "done"});
    }
    api.publishes().await;
    for limit in [1, 2, 3, 50] {
        let (order, _) = ids(&mia, "zebra", limit).await;
        assert_eq!(order, [6, 3, 7, 5, 4, 2, 1], "{limit}");
    }
    // What was changed or deleted meanwhile does not move the others.
    let first = mia
        .get("/api/search?query=zebra&limit=3")
        .await;
    let next = first.next().unwrap().to_owned();
    api.sign_in("max")
        .await
        .deletes("/api/tasks/5")
        .await;
    api.clock.advance(span::SECOND);
    patches!(mia, "/api/tasks/6", {"status": "todo"});
    api.publishes().await;
    let rest = mia.get(&next).await;
    assert_eq!(rest.found(), [4, 2, 1].map(|id| json!(["task", id])));
}

/// More records than a page looks up: they are walked from the last changed on.
#[tokio::test]
async fn a_frequent_word_finds_all_records_in_the_same_order() {
    let (api, _, [mia]) = Api::behind_faults(["mia"]).await;
    mia.creates_task(json!({"title": "Zebra"}))
        .await;
    let title = |id: i64| match id {
        _ if id % 100 == 0 => "Zebra albatross",
        _ if id % 2 == 0 => "Zebra buffalo",
        _ => "Zebra",
    };
    let copies = (2..=1_050).map(|id| (id, title(id).to_owned()));
    api.has_copies(copies).await;
    api.publishes().await;

    // A page costs no more than a walk through 1,000 rows, and its own rows.
    for query in [
        "zebra",
        "buffalo",
        "albatross",
        "zebra+buffalo",
        "zebra+albatross",
    ] {
        let (answer, used) = metered(mia.get(&format!("/api/search?query={query}&limit=10"))).await;
        assert_eq!(answer.found().len(), 10, "{query}");
        assert!(used.units() < 150.0, "{query}: {used:?}");
    }

    let newest_first: Vec<i64> = (1..=1_050).rev().collect();
    assert_eq!(ids(&mia, "zebra", 50).await, (newest_first.clone(), 21));
    let even: Vec<_> = newest_first
        .iter()
        .copied()
        .filter(|id| id % 2 == 0 && id % 100 != 0)
        .collect();
    // Both words are frequent, or only one is.
    assert_eq!(ids(&mia, "zebra+buffalo", 50).await.0, even);
    let hundreds: Vec<_> = newest_first
        .iter()
        .copied()
        .filter(|id| id % 100 == 0)
        .collect();
    assert_eq!(ids(&mia, "zebra+albatross", 4).await, (hundreds, 3));
    let filtered = mia
        .get("/api/search?query=zebra&type=project")
        .await;
    assert!(filtered.found().is_empty());
    // The id of a frequent number, too.
    let [.., oldest] = even.as_slice() else {
        panic!("no even ids");
    };
    let by_id = format!("zebra+{oldest}");
    assert!(
        ids(&mia, &by_id, 50)
            .await
            .0
            .contains(oldest)
    );
    // A page of a walk may be empty and have a next one.
    let nothing = mia
        .get("/api/search?query=zebra+ze+x&type=task")
        .await;
    assert_eq!(last_page(&mia, nothing).await, json!([]));
}

async fn last_page(caller: &Caller, mut page: Answer) -> Value {
    while let Some(next) = page.next().map(str::to_owned) {
        page = caller.get(&next).await;
    }
    page.expect(200)
}
