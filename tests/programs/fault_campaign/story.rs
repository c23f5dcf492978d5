//! The story of a client: it creates, updates, reorders, deletes, comments and replies.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    client::Client,
    ledger::{Gone, Made},
    verdict::text_of,
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

    /// Creates a record whose text is its mark, perhaps in a thread. Returns its place in the
    /// ledger.
    async fn makes(
        &mut self,
        kind: &'static str,
        path: &str,
        (chapter, label): (usize, &str),
        mut body: Value,
        thread: Option<usize>,
    ) -> Option<usize> {
        let mark = format!("{label} {chapter} of client {}", self.number);
        body[text_of(kind)] = json!(mark);
        let made = Made {
            thread,
            ..Made::new(kind, mark)
        };
        self.creates(path, &body, made).await
    }

    /// Changes a field of a record of the ledger.
    async fn writes(
        &mut self,
        method: Method,
        path: &str,
        place: usize,
        (field, value): (&'static str, Value),
    ) {
        let done = self
            .change(method, path, &json!({ field: value }))
            .await;
        self.ledger.made[place].wrote(field, value, done);
    }

    /// Tasks and a milestone.
    async fn plans(&mut self, shared: &Shared, chapter: usize) {
        let mut tasks = Vec::new();
        for name in ["task", "second task"] {
            let mark = (chapter, name);
            let body = json!({"projectId": shared.project});
            tasks.extend(
                self.makes("task", "/api/tasks", mark, body, None)
                    .await,
            );
        }
        for &task in &tasks {
            let id = self.id(task);
            let path = format!("/api/tasks/{id}");
            let field = ("description", json!(format!("read in chapter {chapter}")));
            self.writes(Method::PATCH, &path, task, field)
                .await;
            self.reads(&path, task).await;
            self.tags(&path, task, shared).await;
        }
        if let [first, second] = tasks[..] {
            let order = i64::try_from(chapter).unwrap_or_default();
            let placed = [(first, order + 7), (second, order + 3)];
            let tasks = placed.map(|(task, order)| json!({"id": self.id(task), "order": order}));
            let body = json!({"tasks": tasks});
            let path = "/api/tasks/reorder";
            let done = self
                .change(Method::PATCH, path, &body)
                .await;
            for (task, order) in placed {
                self.ledger.made[task].wrote("order", json!(order), done);
            }
        }
        let first = tasks.first().copied();
        self.reaches_a_milestone(shared, chapter, first)
            .await;
        if let Some(task) = first {
            let path = format!("/api/tasks/{}", self.id(task));
            self.talks(&path, chapter, task, "task")
                .await;
            if self.deletes_in(chapter) {
                self.deletes(&path, task).await;
            }
        }
    }

    async fn reaches_a_milestone(&mut self, shared: &Shared, chapter: usize, task: Option<usize>) {
        let mark = (chapter, "milestone");
        let body = json!({"projectId": shared.project});
        let made = self.makes("milestone", "/api/milestones", mark, body, None);
        let Some(place) = made.await else { return };
        let id = self.id(place);
        let path = format!("/api/milestones/{id}");
        if let Some(task) = task {
            let of_task = format!("/api/tasks/{}", self.id(task));
            let link = ("milestoneId", json!(id));
            self.writes(Method::PATCH, &of_task, task, link)
                .await;
        }
        let status = ("status", json!("in_progress"));
        self.writes(Method::PUT, &path, place, status)
            .await;
        self.reads(&path, place).await;
        if self.deletes_in(chapter + 1) {
            self.deletes(&path, place).await;
            if let Some(task) = task {
                // With the milestone goes the link.
                let is_sure = self.ledger.made[place].gone == Gone::Surely;
                self.ledger.made[task].wrote("milestoneId", Value::Null, is_sure);
            }
            let list = format!("/api/projects/{}/milestones", shared.project);
            let listed = self
                .get(&list)
                .await
                .unwrap_or_default();
            let mut rows = listed.as_array().into_iter().flatten();
            let still = rows.any(|row| row["id"] == id);
            if still && self.ledger.made[place].gone == Gone::Surely {
                let wrong = format!("GET {list}: a milestone that was deleted");
                self.ledger.wrong.push(wrong);
            }
        }
    }

    /// A service request, and a ticket.
    async fn serves(&mut self, shared: &Shared, chapter: usize) {
        let mark = (chapter, "request");
        let path = "/api/managed-services/request";
        let made = self.makes("service_request", path, mark, json!({}), None);
        if let Some(request) = made.await {
            let path = format!("/api/service-requests/{}", self.id(request));
            let priority = ("priority", json!("high"));
            self.writes(Method::PATCH, &path, request, priority)
                .await;
            self.talks(&path, chapter, request, "request")
                .await;
            self.reads(&path, request).await;
            if self.deletes_in(chapter) {
                self.deletes(&path, request).await;
            }
        }
        // Everybody's.
        let word = format!("/api/service-requests/{}/comments", shared.request);
        let reply = format!("/api/managed-services/ticket/{}/reply", shared.ticket);
        let tickets = "/api/managed-services/tickets";
        let since = json!({"description": "Since Monday."});
        for (kind, path, label, body) in [
            ("comment", &*word, "word on the request of all", json!({})),
            (
                "ticket_message",
                &reply,
                "reply to the ticket of all",
                json!({}),
            ),
            ("ticket", tickets, "ticket", since),
        ] {
            self.makes(kind, path, (chapter, label), body, None)
                .await;
        }
    }

    /// An activity.
    async fn records(&mut self, shared: &Shared, chapter: usize) {
        let mark = (chapter, "activity");
        let path = "/api/activities";
        let body = json!({"type": "note", "projectId": shared.project});
        let made = self.makes("activity", path, mark, body, None);
        if let Some(activity) = made.await {
            let path = format!("/api/activities/{}", self.id(activity));
            self.talks(&path, chapter, activity, "activity")
                .await;
            self.tags(&path, activity, shared).await;
            self.reads(&path, activity).await;
            if self.deletes_in(chapter) {
                self.deletes(&path, activity).await;
            }
        }
    }

    /// A comment and a reply to it.
    async fn talks(&mut self, path: &str, chapter: usize, thread: usize, subject: &str) {
        let path = format!("{path}/comments");
        let mark = format!("comment on the {subject}");
        let made = self.makes("comment", &path, (chapter, &mark), json!({}), Some(thread));
        let Some(comment) = made.await else { return };
        let mark = format!("reply on the {subject}");
        let body = json!({"parentId": self.id(comment)});
        let reply = self.makes("comment", &path, (chapter, &mark), body, Some(thread));
        reply.await;
    }

    /// Attaches the tag of all.
    async fn tags(&mut self, path: &str, place: usize, shared: &Shared) {
        let path = format!("{path}/tags");
        let outcome = self
            .asks(&path, Some(&json!({"tagId": shared.tag})))
            .await;
        let done = self.expected(&format!("POST {path}"), outcome, &[]);
        self.ledger.made[place].wrote("tagIds", json!([shared.tag]), done.is_some());
    }

    /// Reads a record that is there, and finds in it the written values.
    async fn reads(&mut self, path: &str, place: usize) {
        let Some(read) = self.get(path).await else {
            return;
        };
        for (field, values) in self.ledger.made[place].fields.clone() {
            if read
                .get(field)
                .is_some_and(|value| !values.contains(value))
            {
                let wrong = format!("GET {path}: {field} is {}, not {values:?}", read[field]);
                self.ledger.wrong.push(wrong);
            }
        }
    }

    fn id(&self, place: usize) -> i64 {
        self.ledger.made[place]
            .id
            .unwrap_or_default()
    }
}
