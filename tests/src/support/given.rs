//! Records that a test finds: created through the API, or written past it where no operation
//! creates them.

use std::collections::HashMap;

use crate::records;
use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use serde_json::{Value, json};
use shared::{
    model::{
        CommentId, Id, Notification, OrganizationId, PhaseId, Role, ServiceRequestId, Tag, TaskId,
        Ticket, Timestamp, User,
    },
    store::{
        NewTicket,
        key::{self, AnyKey},
    },
};

use super::{Api, Caller};

type Item = HashMap<String, AttributeValue>;

impl Caller {
    /// Creates a record, of which only the id matters.
    pub async fn creates(&self, path: &str, body: Value) -> i64 {
        let body = self.post(path, body).await.expect(200);
        body["id"].as_i64().unwrap()
    }

    /// Creates a task of project 1, or with these fields, and answers it.
    pub async fn creates_task(&self, more: Value) -> Value {
        let body = with(json!({"title": "Move the invoices", "projectId": 1}), &more);
        self.post("/api/tasks", body).await.expect(200)
    }

    /// Creates tasks of project 1 one after another, and answers their ids.
    pub async fn creates_tasks<const N: usize>(&self, titles: [&str; N]) -> [i64; N] {
        let mut ids = [0; N];
        for (id, title) in ids.iter_mut().zip(titles) {
            let task = self.creates_task(json!({"title": title})).await;
            *id = task["id"].as_i64().unwrap();
        }
        ids
    }

    /// Creates a milestone of project 1, or with these fields, and answers its id.
    pub async fn creates_milestone(&self, more: Value) -> i64 {
        let body = with(json!({"title": "Cut-over", "projectId": 1}), &more);
        self.creates("/api/milestones", body).await
    }

    /// Records a note about the caller's organization, or with these fields, and answers its id.
    pub async fn records_activity(&self, more: Value) -> i64 {
        let tenant = self.organization.unwrap().get();
        let note = json!({"type": "note", "description": "Called back", "organizationId": tenant});
        self.creates("/api/activities", with(note, &more)).await
    }

    /// Raises a service request and answers its id.
    pub async fn raises_request(&self) -> i64 {
        let body = json!({"title": "Help"});
        self.creates("/api/managed-services/request", body).await
    }

    /// Comments on a service request, and answers the comment's id.
    pub async fn comments_on_request(&self, request: i64, content: &str) -> i64 {
        let path = format!("/api/service-requests/{request}/comments");
        self.creates(&path, json!({"content": content})).await
    }
}

/// Gives an object these members as well, which win.
pub fn merges(object: &mut Value, more: &Value) {
    let more = more.as_object().unwrap().clone();
    object.as_object_mut().unwrap().extend(more);
}

fn with(mut body: Value, more: &Value) -> Value {
    merges(&mut body, more);
    body
}

impl Api {
    /// Records the saving of an action as the worker writes it; each is of another record.
    pub async fn has_saving(&self, number: usize) {
        let (at, entity) = (self.clock.now(), format!("ub_{number:03}"));
        let text = |text: String| AttributeValue::S(text);
        let number = |number: i64| AttributeValue::N(number.to_string());
        let item = [
            ("pk", text(format!("ORG#{}#SAVING", self.home.id))),
            ("sk", text(format!("{}#7#billing#{entity}", at.day()))),
            ("kind", text("saving".to_owned())),
            ("version", number(1)),
            ("organizationId", number(self.home.id.get())),
            ("targetSystem", text("billing".to_owned())),
            ("actionId", text(format!("s1-p1-{entity}"))),
            ("entity", text(entity)),
            ("actionType", text("reprocess_usage_batch".to_owned())),
            ("sessionId", number(1)),
            ("minutes", number(25)),
            ("at", text(at.to_string())),
        ];
        let item = item.map(|(name, value)| (name.to_owned(), value));
        self.puts([Item::from(item)]).await;
    }

    /// A notification of a user, of comment 3 on task 1, past the publisher.
    pub async fn has_notification(&self, caller: &Caller, id: &str) {
        let cause = Notification::cause_in(id).unwrap();
        let millis = id.strip_suffix(&format!("-{cause}")).unwrap();
        let at = Timestamp::from_millis(millis.parse().unwrap());
        let (tenant, user) = (caller.organization.unwrap(), caller.user.unwrap());
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
        self.puts([serde_dynamo::to_item(item).unwrap()]).await;
    }

    /// A ticket of organization 1.
    pub async fn has_ticket(&self, new: NewTicket) -> Ticket {
        let tickets = self.store.tickets();
        tickets.create(self.home.id, new).await.unwrap().record
    }

    /// Another role for a user, who has it from then on.
    pub async fn gives_role(&self, user: &User, role: Role) {
        let text = |text: String| AttributeValue::S(text);
        let key = [
            ("pk", format!("ORG#{}#USER", user.organization_id)),
            ("sk", format!("{:016}", user.id.get())),
        ];
        let key = key.map(|(name, value)| (name.to_owned(), text(value)));
        let update = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(key.into()))
            .update_expression("SET #role = :role")
            .condition_expression("attribute_exists(pk)")
            .expression_attribute_names("#role", "role")
            .expression_attribute_values(":role", text(<&str>::from(role).to_owned()));
        update.send().await.unwrap();
    }

    /// A project on hold that says something about itself.
    pub async fn has_project(&self, tenant: OrganizationId, title: &str) -> i64 {
        let about = format!("About {title}");
        let body = json!({"title": title, "description": about, "status": "on_hold"});
        let new = records::sent(&body);
        let project = self.store.directory().create_project(tenant, new).await;
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
    pub async fn copy_tasks(&self, task: &Value, more: std::ops::RangeInclusive<i64>) {
        let id = task["id"].as_i64().unwrap();
        let count = *more.end();
        let key = AnyKey::from(&key::task(self.home.id, TaskId::new(id).unwrap()));
        let copy = |mut item: Item, number: i64| {
            let id = id + number;
            let sk = AttributeValue::S(format!("{id:016}"));
            if item.contains_key("gsi2sk") {
                item.insert("gsi2sk".to_owned(), sk.clone());
            }
            let place = format!("{:016}#{id:016}", id * 1_024);
            item.insert("id".to_owned(), AttributeValue::N(id.to_string()));
            item.insert("sk".to_owned(), sk);
            item.insert("gsi1sk".to_owned(), AttributeValue::S(place));
            item
        };
        self.copy(&key, more, copy).await;
        // Ids that are given out from now on are others.
        let last = (id + count).to_string();
        let update = self.client.update_item().table_name(&self.table);
        update
            .key("pk", AttributeValue::S("COUNTER#task".to_owned()))
            .key("sk", AttributeValue::S("COUNTER".to_owned()))
            .update_expression("SET #last = :last")
            .expression_attribute_names("#last", "last")
            .expression_attribute_values(":last", AttributeValue::N(last))
            .send()
            .await
            .unwrap();
    }

    /// Copies of comment 1 of service request 1, each a millisecond after the one before it, written
    /// past the service.
    pub async fn copy_comments(&self, more: std::ops::RangeInclusive<i64>) {
        let (thread, first) = (
            ServiceRequestId::new(1).unwrap(),
            CommentId::new(1).unwrap(),
        );
        let key = AnyKey::from(&key::comment(self.home.id, thread.into(), first));
        let now = self.clock.now();
        let copy = |mut item: Item, number: i64| {
            let (id, at) = (number + 1, now.plus(number).to_string());
            item.insert("id".to_owned(), AttributeValue::N(id.to_string()));
            item.insert("sk".to_owned(), AttributeValue::S(format!("{id:016}")));
            let place = format!("{at}#{id:016}");
            item.insert("gsi1sk".to_owned(), AttributeValue::S(place));
            item.insert("createdAt".to_owned(), AttributeValue::S(at));
            item
        };
        self.copy(&key, more, copy).await;
    }

    /// Writes copies of an item, each as `copy` makes it.
    async fn copy(
        &self,
        key: &AnyKey,
        more: std::ops::RangeInclusive<i64>,
        copy: impl Fn(Item, i64) -> Item,
    ) {
        let get = self.client.get_item().table_name(&self.table);
        let get = get
            .key("pk", AttributeValue::S(key.pk().to_owned()))
            .key("sk", AttributeValue::S(key.sk().to_owned()));
        let item = get.send().await.unwrap().item.unwrap();
        let copies: Vec<_> = more
            .map(|number| {
                let item = copy(item.clone(), number);
                let put = PutRequest::builder().set_item(Some(item)).build().unwrap();
                WriteRequest::builder().put_request(put).build()
            })
            .collect();
        for some in copies.chunks(25) {
            let write = self.client.batch_write_item();
            let write = write.request_items(&self.table, some.to_vec());
            write.send().await.unwrap();
        }
    }

    pub async fn has_tag(&self, tenant: OrganizationId, name: &str) -> Tag {
        let directory = self.store.directory();
        directory
            .create_tag(tenant, records::tag(name))
            .await
            .unwrap()
            .record
    }

    /// Takes an item out of the table, as no operation does.
    pub async fn loses(&self, pk: &str, sk: &str) {
        let key = |text: &str| AttributeValue::S(text.to_owned());
        let delete = self.client.delete_item().table_name(&self.table);
        let delete = delete.key("pk", key(pk)).key("sk", key(sk));
        delete.send().await.unwrap();
    }

    /// The table without the ids given out, of which a refused create may use one up.
    pub async fn records(&self) -> Vec<String> {
        let mut items = self.table_dump().await;
        let passing = ["COUNTER#", "#USED_QUOTA", "#SESSION\""];
        items.retain(|item| !passing.iter().any(|one| item.contains(one)));
        items
    }
}
