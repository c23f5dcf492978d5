//! Records that a test finds: created through the API, or written past it where no operation
//! creates them.

use std::ops::RangeInclusive;

use serde_json::{Value, json};
use shared::{
    model::{
        base::{Id, OrganizationId, PhaseId, Timestamp},
        people::{Role, Tag, User},
        updates::Notification,
        work::Ticket,
    },
    store::work::NewTicket,
};

use crate::records;

use super::{Api, Caller, number, set, text};

impl Caller {
    /// Creates a record, of which only the id matters.
    pub async fn creates(&self, path: &str, body: Value) -> i64 {
        self.posts(path, body).await["id"]
            .as_i64()
            .unwrap()
    }

    /// Creates a task of project 1, or with these fields, and answers it.
    pub async fn creates_task(&self, more: Value) -> Value {
        let body = with(json!({"title": "Move the invoices", "projectId": 1}), &more);
        self.posts("/api/tasks", body).await
    }

    /// Creates tasks of project 1 one after another, and answers their ids.
    pub async fn creates_tasks<const N: usize>(&self, titles: [&str; N]) -> [i64; N] {
        let mut ids = [0; N];
        for (id, title) in ids.iter_mut().zip(titles) {
            let task = self
                .creates_task(json!({"title": title}))
                .await;
            *id = task["id"].as_i64().unwrap();
        }
        ids
    }

    /// Creates a milestone of project 1, or with these fields, and answers its id.
    pub async fn creates_milestone(&self, more: Value) -> i64 {
        let body = with(json!({"title": "Cut-over", "projectId": 1}), &more);
        self.creates("/api/milestones", body)
            .await
    }

    /// Records a note about the caller's organization, or with these fields, and answers its id.
    pub async fn records_activity(&self, more: Value) -> i64 {
        let tenant = self.organization.unwrap().get();
        let note = json!({"type": "note", "description": "Called back", "organizationId": tenant});
        self.creates("/api/activities", with(note, &more))
            .await
    }

    /// Raises a service request and answers its id.
    pub async fn raises_request(&self) -> i64 {
        let body = json!({"title": "Help"});
        self.creates("/api/managed-services/request", body)
            .await
    }

    /// Comments on a service request, and answers the comment's id.
    pub async fn comments_on_request(&self, request: i64, content: &str) -> i64 {
        let path = format!("/api/service-requests/{request}/comments");
        self.creates(&path, json!({"content": content}))
            .await
    }
}

/// Gives an object these members as well, which win.
pub fn merges(object: &mut Value, more: &Value) {
    let more = more.as_object().unwrap().clone();
    object
        .as_object_mut()
        .unwrap()
        .extend(more);
}

fn with(mut body: Value, more: &Value) -> Value {
    merges(&mut body, more);
    body
}

impl Api {
    /// Records the saving of an action as the worker writes it; each is of another record.
    pub async fn has_saving(&self, number: usize) {
        let at = self.clock.now();
        let entity = format!("ub_{number:03}");
        let saving = json!({
            "pk": format!("ORG#{}#SAVING", self.home.id),
            "sk": format!("{}#7#billing#{entity}", at.day()),
            "kind": "saving", "version": 1, "organizationId": self.home.id,
            "targetSystem": "billing", "actionId": format!("s1-p1-{entity}"), "entity": entity,
            "actionType": "reprocess_usage_batch", "sessionId": 1, "minutes": 25, "at": at,
        });
        self.puts([serde_dynamo::to_item(saving).unwrap()])
            .await;
    }

    /// A notification of a user, of comment 3 on task 1, past the publisher.
    pub async fn has_notification(&self, caller: &Caller, id: &str) {
        let cause = Notification::cause_in(id).unwrap();
        let millis = id
            .strip_suffix(&format!("-{cause}"))
            .unwrap();
        let at = Timestamp::from_millis(millis.parse().unwrap());
        let tenant = caller.organization.unwrap();
        let user = caller.user.unwrap();
        let partition = format!("ORG#{tenant}#USER#{user}#NOTIFICATION");
        let item = json!({
            "pk": partition, "sk": cause, "kind": "notification", "version": 1,
            "gsi1pk": partition, "gsi1sk": id,
            "gsi2pk": format!("{partition}#UNREAD"), "gsi2sk": id,
            "id": id, "organizationId": tenant, "userId": user, "notificationKind": "commented",
            "at": at, "subject": {"type": "task", "id": 1}, "commentId": 3,
            "excerpt": "It works again.",
            "expiresAt": at.plus(Notification::KEPT).epoch_seconds() + 1,
        });
        self.puts([serde_dynamo::to_item(item).unwrap()])
            .await;
    }

    /// A ticket of organization 1.
    pub async fn has_ticket(&self, new: NewTicket) -> Ticket {
        let tickets = self.store.tickets();
        tickets
            .create(self.home.id, new)
            .await
            .unwrap()
            .into_stored()
            .record
    }

    /// Another role for a user, who has it from then on.
    pub async fn gives_role(&self, user: &User, role: Role) {
        let pk = format!("ORG#{}#USER", user.organization_id);
        let sk = format!("{:016}", user.id.get());
        self.sets([&pk, &sk], [("role", text(role.into()))])
            .await;
    }

    /// A project on hold that says something about itself.
    pub async fn has_project(&self, tenant: OrganizationId, title: &str) -> i64 {
        let about = format!("About {title}");
        let body = json!({"title": title, "description": about, "status": "on_hold"});
        let new = records::sent(&body);
        let project = self
            .store
            .directory()
            .create_project(tenant, new)
            .await;
        project.unwrap().id.get()
    }

    /// Phases of projects 1, 2 and 3.
    pub async fn has_phases(&self) -> [i64; 3] {
        let mut phases = Vec::new();
        for project in self.projects.iter() {
            let tenant = project.organization_id;
            let directory = self.store.directory();
            let phase = directory.create_phase(tenant, project.id, records::phase("Build", 1));
            phases.push(PhaseId::get(phase.await.unwrap().id));
        }
        phases.try_into().unwrap()
    }

    /// Copies of a task of project 1, with ids and orders behind its own, written past the service.
    pub async fn copy_tasks(&self, task: &Value, more: RangeInclusive<i64>) {
        let id = task["id"].as_i64().unwrap();
        let last = id + more.end();
        let mut tasks = self.items_of("task").await;
        tasks.retain(|task| task["id"] == number(id));
        let copies = more.map(|more| {
            let id = id + more;
            let mut task = tasks[0].clone();
            let sk = format!("{id:016}");
            let place = id * 1_024;
            if task.contains_key("gsi2sk") {
                set(&mut task, [("gsi2sk", text(&sk))]);
            }
            let place = text(&format!("{place:016}#{sk}"));
            let attributes = [("id", number(id)), ("sk", text(&sk)), ("gsi1sk", place)];
            set(&mut task, attributes);
            task
        });
        self.puts(copies).await;
        // Ids that are given out from now on are others.
        let counter = ["COUNTER#task", "COUNTER"];
        self.sets(counter, [("last", number(last))])
            .await;
    }

    /// Copies of comment 1 of service request 1, each a millisecond after the one before it,
    /// written past the service.
    pub async fn copy_comments(&self, more: RangeInclusive<i64>) {
        let mut comments = self.items_of("comment").await;
        comments.retain(|comment| comment["id"] == number(1));
        let now = self.clock.now();
        let copies = more.map(|more| {
            let id = more + 1;
            let at = now.plus(more);
            let mut comment = comments[0].clone();
            let attributes = [
                ("id", number(id)),
                ("sk", text(&format!("{id:016}"))),
                ("gsi1sk", text(&format!("{at}#{id:016}"))),
                ("createdAt", text(&at.to_string())),
            ];
            set(&mut comment, attributes);
            comment
        });
        self.puts(copies).await;
    }

    pub async fn has_tag(&self, tenant: OrganizationId, name: &str) -> Tag {
        let directory = self.store.directory();
        let created = directory.create_tag(tenant, records::tag(name));
        created
            .await
            .unwrap()
            .into_stored()
            .record
    }

    /// The table without the ids given out, of which a refused create may use one up.
    pub async fn records(&self) -> Vec<String> {
        let mut items = self.table_dump().await;
        let passing = ["COUNTER#", "#USED_QUOTA", "#SESSION\""];
        items.retain(|item| {
            !passing
                .iter()
                .any(|marker| item.contains(marker))
        });
        items
    }
}
