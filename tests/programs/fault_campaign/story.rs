//! The story of a client: it creates, updates, reorders, deletes, comments and replies.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    client::Client,
    ledger::{Gone, Made},
    world::Shared,
};

impl Client {
    /// One chapter, another for each client. Its records are its own, but for the request, the
    /// ticket and the tag that all clients write to.
    pub async fn works(&mut self, shared: &Shared, chapter: usize) {
        match (chapter + self.number) % 3 {
            0 => self.plans(shared, chapter).await,
            1 => self.serves(shared, chapter).await,
            _ => self.records(shared, chapter).await,
        }
    }

    /// Half of what is made is deleted again.
    const fn deletes_in(&self, chapter: usize) -> bool {
        (chapter + self.number / 3).is_multiple_of(2)
    }

    fn mark(&self, chapter: usize, what: &str) -> String {
        format!("{what} {chapter} of client {}", self.number)
    }

    /// Tasks and a milestone.
    async fn plans(&mut self, shared: &Shared, chapter: usize) {
        let project = shared.project;
        let mut tasks = Vec::new();
        for name in ["task", "second task"] {
            let mark = self.mark(chapter, name);
            let body = json!({"title": mark, "projectId": project});
            let made = Made::new("task", mark);
            tasks.extend(self.creates("/api/tasks", &body, made).await);
        }
        for &task in &tasks {
            let id = self.id(task);
            let path = format!("/api/tasks/{id}");
            let text = json!(format!("read in chapter {chapter}"));
            let done = self
                .change(Method::PATCH, &path, &json!({"description": text}))
                .await;
            self.ledger.made[task].wrote("description", text, done);
            self.reads(&path, task).await;
            self.tags(&path, task, shared).await;
        }
        if let [first, second] = tasks[..] {
            let order = i64::try_from(chapter).unwrap_or_default();
            let placed = [(first, order + 7), (second, order + 3)];
            let body = placed.map(|(task, order)| json!({"id": self.id(task), "order": order}));
            let body = json!({"tasks": body});
            let done = self
                .change(Method::PATCH, "/api/tasks/reorder", &body)
                .await;
            for (task, order) in placed {
                self.ledger.made[task].wrote("order", json!(order), done);
            }
        }
        self.reaches_a_milestone(shared, chapter, tasks.first().copied())
            .await;
        if let Some(&task) = tasks.first() {
            let path = format!("/api/tasks/{}", self.id(task));
            self.talks(&path, chapter, task, "task").await;
            if self.deletes_in(chapter) {
                self.deletes(&path, task).await;
            }
        }
    }

    async fn reaches_a_milestone(&mut self, shared: &Shared, chapter: usize, task: Option<usize>) {
        let mark = self.mark(chapter, "milestone");
        let body = json!({"title": mark, "projectId": shared.project});
        let made = Made::new("milestone", mark);
        let Some(place) = self.creates("/api/milestones", &body, made).await else {
            return;
        };
        let id = self.id(place);
        let path = format!("/api/milestones/{id}");
        if let Some(task) = task {
            let link = json!({"milestoneId": id});
            let of_task = format!("/api/tasks/{}", self.id(task));
            let done = self.change(Method::PATCH, &of_task, &link).await;
            self.ledger.made[task].wrote("milestoneId", json!(id), done);
        }
        let status = json!("in_progress");
        let done = self
            .change(Method::PUT, &path, &json!({"status": status}))
            .await;
        self.ledger.made[place].wrote("status", status, done);
        self.reads(&path, place).await;
        if self.deletes_in(chapter + 1) {
            self.deletes(&path, place).await;
            if let Some(task) = task {
                // With the milestone goes the link.
                let is_sure = self.ledger.made[place].gone == Gone::Surely;
                self.ledger.made[task].wrote("milestoneId", Value::Null, is_sure);
            }
            let list = format!("/api/projects/{}/milestones", shared.project);
            let listed = self.get(&list).await.unwrap_or_default();
            let still = listed
                .as_array()
                .is_some_and(|rows| rows.iter().any(|row| row["id"] == id));
            if still && self.ledger.made[place].gone == Gone::Surely {
                let wrong = format!("GET {list}: a milestone that was deleted");
                self.ledger.wrong.push(wrong);
            }
        }
    }

    /// A service request, and a ticket.
    async fn serves(&mut self, shared: &Shared, chapter: usize) {
        let mark = self.mark(chapter, "request");
        let path = "/api/managed-services/request";
        let made = Made::new("service_request", mark.clone());
        if let Some(request) = self.creates(path, &json!({"title": mark}), made).await {
            let path = format!("/api/service-requests/{}", self.id(request));
            let priority = json!("high");
            let done = self
                .change(Method::PATCH, &path, &json!({"priority": priority}))
                .await;
            self.ledger.made[request].wrote("priority", priority, done);
            self.talks(&path, chapter, request, "request").await;
            self.reads(&path, request).await;
            if self.deletes_in(chapter) {
                self.deletes(&path, request).await;
            }
        }
        // Everybody's.
        let mark = self.mark(chapter, "word on the request of all");
        let path = format!("/api/service-requests/{}/comments", shared.request);
        let made = Made::new("comment", mark.clone());
        self.creates(&path, &json!({"content": mark}), made).await;
        let mark = self.mark(chapter, "reply to the ticket of all");
        let path = format!("/api/managed-services/ticket/{}/reply", shared.ticket);
        let made = Made::new("ticket_message", mark.clone());
        self.creates(&path, &json!({"content": mark}), made).await;

        let mark = self.mark(chapter, "ticket");
        let body = json!({"title": mark, "description": "Since Monday."});
        let made = Made::new("ticket", mark);
        self.creates("/api/managed-services/tickets", &body, made)
            .await;
    }

    /// An activity.
    async fn records(&mut self, shared: &Shared, chapter: usize) {
        let mark = self.mark(chapter, "activity");
        let body = json!({"type": "note", "description": mark, "projectId": shared.project});
        let made = Made::new("activity", mark);
        if let Some(activity) = self.creates("/api/activities", &body, made).await {
            let path = format!("/api/activities/{}", self.id(activity));
            self.talks(&path, chapter, activity, "activity").await;
            self.tags(&path, activity, shared).await;
            self.reads(&path, activity).await;
            if self.deletes_in(chapter) {
                self.deletes(&path, activity).await;
            }
        }
    }

    /// A comment and a reply to it.
    async fn talks(&mut self, path: &str, chapter: usize, thread: usize, what: &str) {
        let path = format!("{path}/comments");
        let mark = self.mark(chapter, &format!("comment on the {what}"));
        let made = Made {
            thread: Some(thread),
            ..Made::new("comment", mark.clone())
        };
        let Some(comment) = self.creates(&path, &json!({"content": mark}), made).await else {
            return;
        };
        let mark = self.mark(chapter, &format!("reply on the {what}"));
        let body = json!({"content": mark, "parentId": self.id(comment)});
        let made = Made {
            thread: Some(thread),
            ..Made::new("comment", mark)
        };
        self.creates(&path, &body, made).await;
    }

    /// Attaches the tag of all.
    async fn tags(&mut self, path: &str, place: usize, shared: &Shared) {
        let path = format!("{path}/tags");
        let tag = json!({"tagId": shared.tag});
        let outcome = self.asks(&path, Some(&tag)).await;
        let done = self.expected(&format!("POST {path}"), outcome, &[]);
        let tags = json!([shared.tag]);
        self.ledger.made[place].wrote("tagIds", tags, done.is_some());
    }

    /// Reads a record that is there, and finds in it the written values.
    async fn reads(&mut self, path: &str, place: usize) {
        let Some(read) = self.get(path).await else {
            return;
        };
        for (field, values) in self.ledger.made[place].fields.clone() {
            if read.get(field).is_some_and(|found| !values.contains(found)) {
                let wrong = format!("GET {path}: {field} is {}, not {values:?}", read[field]);
                self.ledger.wrong.push(wrong);
            }
        }
    }

    fn id(&self, place: usize) -> i64 {
        self.ledger.made[place].id.unwrap_or_default()
    }
}
