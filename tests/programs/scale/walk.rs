//! A walk through all tasks during writes.

use std::{collections::BTreeMap, fmt};

use serde_json::json;

use crate::organization::Organization;

/// The findings of a walk.
#[derive(Default)]
pub struct Walked {
    pages: usize,
    /// Tasks that were there all the time, and how many of them were not found exactly once.
    steady: usize,
    wrong: usize,
    /// Writes meanwhile.
    created: usize,
    deleted: usize,
    moved: usize,
}

impl Walked {
    /// Returns whether each task that was there all the time was found once.
    pub const fn is_complete(&self) -> bool {
        self.wrong == 0
    }
}

impl fmt::Display for Walked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pages,
            steady,
            wrong,
            created,
            deleted,
            moved,
        } = self;
        write!(
            f,
            "a walk through {steady} tasks in {pages} pages, while {created} others were created, \
             {deleted} deleted and {moved} moved: {wrong} were missed or found twice"
        )
    }
}

/// Walks through all tasks by id. After each page it creates a task, deletes one before the end of
/// the page or behind it, and moves two.
pub async fn through_all_tasks(organization: &Organization) -> Walked {
    let tasks = organization.size.tasks;
    let mut count_by_id: BTreeMap<i64, usize> = BTreeMap::new();
    let mut walked = Walked::default();
    let mut gone = Vec::new();
    let mut next = Some("/api/tasks?limit=200".to_owned());
    while let Some(path) = next {
        let page = organization
            .send("GET", &path, None)
            .await;
        for task in page.expect(200).as_array().unwrap() {
            *count_by_id
                .entry(task["id"].as_i64().unwrap())
                .or_default() += 1;
        }
        next = page.next().map(str::to_owned);
        walked.pages += 1;
        let turn = i64::try_from(walked.pages).unwrap();
        let new = json!({"title": "New", "projectId": 1});
        organization
            .send("POST", "/api/tasks", Some(&new))
            .await;
        walked.created += 1;
        // Spread over all there are, each once.
        let doomed = 1 + (turn * 7_919) % tasks;
        if !gone.contains(&doomed) {
            let path = format!("/api/tasks/{doomed}");
            organization
                .send("DELETE", &path, None)
                .await;
            gone.push(doomed);
            walked.deleted += 1;
        }
        let mut movable = (1..).map(|step| 1 + (turn * 104_729 + step * 613) % tasks);
        let mut places = Vec::new();
        while places.len() < 2 {
            let id = movable.next().unwrap();
            if !gone.contains(&id) && !places.contains(&id) {
                places.push(id);
            }
        }
        walked.moved += places.len();
        let places = places
            .iter()
            .map(|id| json!({"id": id, "order": turn}));
        let places = json!({"tasks": places.collect::<Vec<_>>()});
        let path = "/api/tasks/reorder";
        organization
            .send("PATCH", path, Some(&places))
            .await;
    }
    let steady = (1..=tasks).filter(|id| !gone.contains(id));
    for id in steady {
        walked.steady += 1;
        if count_by_id.get(&id) != Some(&1) {
            walked.wrong += 1;
        }
    }
    walked
}
