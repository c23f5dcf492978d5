//! What a test finds in the table: what callers create through the API, and what no operation of
//! it creates.

use serde_json::{Value, json};
use shared::{
    model::{Id, OrganizationId, PhaseId, Tag, Ticket},
    store::NewTicket,
};
use tests::records;

use super::{Api, Caller};

impl Caller {
    /// Creates a record, of which only the id matters.
    pub async fn creates(&self, path: &str, body: Value) -> i64 {
        let body = self.post(path, body).await.expect(200);
        body["id"].as_i64().unwrap()
    }

    /// Creates a task of project 1, or with these fields, and answers it.
    pub async fn creates_task(&self, more: Value) -> Value {
        let body = with(json!({"title": "Move the invoices", "projectId": 1}), more);
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
        let body = with(json!({"title": "Cut-over", "projectId": 1}), more);
        self.creates("/api/milestones", body).await
    }

    /// Records a note about the caller's organization, or with these fields, and answers its id.
    pub async fn records_activity(&self, more: Value) -> i64 {
        let tenant = self.organization.unwrap().get();
        let note = json!({"type": "note", "description": "Called back", "organizationId": tenant});
        self.creates("/api/activities", with(note, more)).await
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

/// The body with these members as well, which win.
fn with(mut body: Value, more: Value) -> Value {
    let Value::Object(more) = more else {
        panic!("not an object: {more}");
    };
    body.as_object_mut().unwrap().extend(more);
    body
}

impl Api {
    /// A ticket of organization 1.
    pub async fn has_ticket(&self, new: NewTicket) -> Ticket {
        let tickets = self.store.tickets();
        tickets.create(self.home.id, new).await.unwrap()
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
        for project in &self.projects {
            let tenant = project.organization_id;
            let directory = self.store.directory();
            let phase = directory.create_phase(tenant, project.id, records::phase("Build", 1));
            phases.push(PhaseId::get(phase.await.unwrap().id));
        }
        phases.try_into().unwrap()
    }

    /// A tag of an organization.
    pub async fn has_tag(&self, tenant: OrganizationId, name: &str) -> Tag {
        let directory = self.store.directory();
        directory
            .create_tag(tenant, records::tag(name))
            .await
            .unwrap()
    }

    /// The table without the ids given out, of which a refused create may use one up.
    pub async fn records(&self) -> Vec<String> {
        let mut items = self.table_dump().await;
        items.retain(|item| !item.contains("COUNTER#"));
        items
    }
}
