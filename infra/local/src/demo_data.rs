//! The demo organization: its users and its records.
//!
//! The records name entities of the demo billing system, so the two must match.

mod alerts;

use aws_sdk_dynamodb::Client;
use serde_json::json;
use shared::{
    agent::{Connection, ConnectionSecret},
    auth::password,
    clock::Clock,
    input,
    model::{
        OrganizationId, PasswordHash, PlanFeature, Priority, Project, Role, ServiceStatus, Slug,
        TagId, Tagged, Thread, Timestamp, User, span,
    },
    store::{NewMessage, NewTicket, NewUser, Past, Store, Stored},
};

use targets::Sealer;

use crate::target_systems::DemoTargets;

/// An account of the demo.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Account {
    pub(crate) username: &'static str,
    full_name: &'static str,
    pub(crate) role: &'static str,
    grants: Role,
}

/// One account of each role; all have [`PASSWORD`].
pub(crate) const ACCOUNTS: [Account; 5] = [
    account("ada", "Ada Lindqvist", "admin", Role::Admin),
    account("max", "Max Okafor", "manager", Role::Manager),
    account("sue", "Sue Marchetti", "support", Role::Support),
    account("mia", "Mia Tanaka", "member", Role::Member),
    account("vic", "Vic Almeida", "viewer", Role::Viewer),
];

const fn account(
    username: &'static str,
    full_name: &'static str,
    role: &'static str,
    grants: Role,
) -> Account {
    Account {
        username,
        full_name,
        role,
        grants,
    }
}

/// Password of every demo account. It is not a secret, since the demo runs on this machine only.
pub(crate) const PASSWORD: &str = "workdesk";

/// The demo data could not be loaded.
#[derive(Debug, thiserror::Error)]
#[error("the demo data could not be loaded: {}; --fresh deletes the data and starts over", .0.chain())]
pub struct Error(shared::Error);

impl<E: Into<shared::Error>> From<E> for Error {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// Connects the demo organization to the demo's target systems. Existing connections are kept
/// unless their base URL is out of date or they have no secret.
pub(crate) async fn connect(
    client: Client,
    table: &str,
    tenant: OrganizationId,
    targets: &DemoTargets,
    sealer: &Sealer,
) -> Result<(), Error> {
    let store = Store::new(client, table, Clock::system());
    let connections = store.connections();
    let there = connections.all(tenant).await?;
    let wanted = targets.connections();
    for (name, wanted) in wanted.as_object().into_iter().flatten() {
        let Some(name) = Slug::new(name) else {
            continue;
        };
        let is_right =
            |one: &Stored<Connection>| *one.base_url == wanted["baseUrl"] && one.secret.is_some();
        let found = there.iter().find(|one| one.name == name);
        if !found.is_some_and(is_right) {
            let (put, of) = (input::from_value(wanted)?, &name);
            let seal = async |secret: ConnectionSecret| sealer.seal(tenant, of, &secret).await;
            connections.put(tenant, &name, put, seal).await?;
        }
    }
    Ok(())
}

/// Loads the demo data into a table unless it is already complete. Returns the demo organization's
/// id.
pub(crate) async fn load(client: Client, table: &str) -> Result<OrganizationId, Error> {
    let clock = Clock::system();
    let store = Store::new(client, table, clock.clone());
    // The last account is written after everything else, so its presence means that the data is
    // complete.
    let [.., last] = ACCOUNTS;
    if let Some(account) = store.sign_in().account(last.username).await? {
        return Ok(account.organization_id);
    }
    let organization = store
        .directory()
        .create_organization("Halden Services".into(), vec![PlanFeature::AgentAi])
        .await?;
    let demo = Demo {
        tenant: organization.id,
        hash: password::hash(PASSWORD.into()).await?,
        store,
        now: clock.now(),
    };
    let [ada, max, sue, mia, vic] = ACCOUNTS;
    demo.user(ada).await?;
    let max = demo.user(max).await?;
    let sue = demo.user(sue).await?;
    let mia = demo.user(mia).await?;
    let tags = demo.tags().await?;
    let migration = Box::pin(demo.projects(&max, &mia, tags)).await?;
    demo.activities(&max, &mia, &migration, tags).await?;
    demo.requests(&mia, &sue, &migration).await?;
    demo.tickets(&mia, &sue).await?;
    demo.alerts().await?;
    demo.user(vic).await?;
    Ok(demo.tenant)
}

/// Ids of the demo's tags.
#[derive(Clone, Copy)]
struct Tags {
    billing: TagId,
    customer: TagId,
    urgent: TagId,
}

/// The context of every part of the demo data.
struct Demo {
    store: Store,
    tenant: OrganizationId,
    hash: PasswordHash,
    now: Timestamp,
}

impl Demo {
    fn ago(&self, millis: i64) -> Timestamp {
        self.now.plus(-millis)
    }

    async fn user(&self, account: Account) -> Result<User, Error> {
        let new = NewUser {
            username: account.username.into(),
            full_name: account.full_name.into(),
            role: account.grants,
            extra_permissions: Vec::new(),
            password_hash: self.hash.clone(),
        };
        let directory = self.store.directory();
        let user = directory.create_user(self.tenant, new).await?;
        Ok(user.record)
    }

    async fn tags(&self) -> Result<Tags, Error> {
        let create = async |name: &str| {
            let new = input::from_value(&json!({"name": name}))?;
            let directory = self.store.directory();
            Ok::<_, Error>(directory.create_tag(self.tenant, new).await?.id)
        };
        Ok(Tags {
            billing: create("billing").await?,
            customer: create("customer").await?,
            urgent: create("urgent").await?,
        })
    }

    async fn tag(&self, on: impl Into<Tagged>, tags: &[TagId]) -> Result<(), Error> {
        let on = on.into();
        for &tag in tags {
            self.store.tagging().attach(self.tenant, on, tag).await?;
        }
        Ok(())
    }

    async fn comment(
        &self,
        on: impl Into<Thread>,
        author: &User,
        content: &str,
    ) -> Result<(), Error> {
        let new = input::from_value(&json!({"content": content}))?;
        let comments = self.store.comments();
        comments
            .create(self.tenant, on.into(), author.id, new)
            .await?;
        Ok(())
    }

    /// Creates two projects with tasks, one of them with phases and a milestone. Returns that one.
    async fn projects(&self, max: &User, mia: &User, tags: Tags) -> Result<Project, Error> {
        let directory = self.store.directory();
        let migration = input::from_value(&json!({
            "title": "Billing migration",
            "description": "Move all customers to usage-based billing before the end of the year.",
        }))?;
        let migration = directory.create_project(self.tenant, migration).await?;
        let portal = input::from_value(&json!({
            "title": "Customer portal",
            "description": "Customers see their usage, invoices and payments themselves.",
            "status": "on_hold",
        }))?;
        let portal = directory.create_project(self.tenant, portal).await?;
        let mut phases = Vec::new();
        for (order, title) in [(1, "Prepare"), (2, "Move"), (3, "Look after")] {
            let phase = input::from_value(&json!({"title": title, "order": order}))?;
            let phase = directory.create_phase(self.tenant, migration.id, phase);
            phases.push(phase.await?.id);
        }
        let milestone = json!({
            "title": "First customers moved",
            "projectId": migration.id,
            "startDate": self.ago(10 * span::DAY),
            "dueDate": self.now.plus(20 * span::DAY),
            "status": "in_progress",
        });
        let milestone = input::from_value(&milestone)?;
        let milestone = self
            .store
            .milestones()
            .create(self.tenant, milestone)
            .await?;
        let of_migration: [(_, _, _, &[TagId]); 4] = [
            ("List customers with special prices", "done", Some(mia), &[]),
            (
                "Compare the invoices of both systems",
                "in_progress",
                Some(mia),
                &[tags.billing, tags.urgent],
            ),
            ("Move the first ten customers", "todo", Some(max), &[]),
            ("Tell the customers", "backlog", None, &[tags.customer]),
        ];
        let tasks = self.store.tasks();
        for (place, (title, status, assignee, carried)) in of_migration.into_iter().enumerate() {
            let task = json!({
                "title": title,
                "projectId": migration.id,
                "milestoneId": (place < 3).then_some(milestone.id),
                "phaseId": phases.get(place / 2),
                "assigneeId": assignee.map(|user| user.id),
                "status": status,
                "dueDate": self.now.plus(7 * span::DAY),
            });
            let task = tasks.create(self.tenant, input::from_value(&task)?).await?;
            self.tag(task.id, carried).await?;
            if status == "in_progress" {
                let found = "September agrees to the cent. In October two invoices differ.";
                self.comment(task.id, mia, found).await?;
            }
        }
        let task = json!({
            "title": "Write down what customers ask most",
            "projectId": portal.id,
            "priority": "low",
        });
        tasks.create(self.tenant, input::from_value(&task)?).await?;
        Ok(migration.record)
    }

    async fn activities(
        &self,
        max: &User,
        mia: &User,
        project: &Project,
        tags: Tags,
    ) -> Result<(), Error> {
        let recorded = [
            (
                3,
                "meeting",
                "kick_off",
                max,
                "Agreed on the order of the customers.",
                &[][..],
            ),
            (
                2,
                "call",
                "customer",
                mia,
                "Kestrel Air wants a test invoice first.",
                &[tags.customer, tags.billing],
            ),
            (
                1,
                "decision",
                "scope",
                max,
                "Customers with special prices come last.",
                &[],
            ),
        ];
        let activities = self.store.activities();
        for (days, kind, subtype, creator, description, carried) in recorded {
            let new = json!({
                "timestamp": self.ago(days * span::DAY),
                "type": kind,
                "subtype": subtype,
                "description": description,
                "projectId": project.id,
            });
            let new = input::from_value(&new)?;
            let activity = activities.create(self.tenant, creator.id, new).await?;
            self.tag(activity.id, carried).await?;
        }
        Ok(())
    }

    /// Creates an open service request with a comment, and a resolved one.
    async fn requests(&self, mia: &User, sue: &User, project: &Project) -> Result<(), Error> {
        let request = |title: &str, priority: &str| {
            input::from_value(&json!({
                "title": title,
                "priority": priority,
                "category": "billing",
                "referenceType": "project",
                "referenceId": project.id,
            }))
        };
        let requests = self.store.service_requests();
        let open = request("Test invoices for Kestrel Air", "high")?;
        let open = requests.create(self.tenant, mia.id, open).await?;
        self.comment(open.id, sue, "Which month shall they cover?")
            .await?;
        let resolved = request("Access to the old billing system", "medium")?;
        let history = Past {
            status: ServiceStatus::Resolved,
            assignee_id: Some(sue.id),
            created_at: Some(self.ago(6 * span::DAY)),
            resolved_at: Some(self.ago(6 * span::DAY - 5 * span::HOUR)),
            ..Past::default()
        };
        requests
            .create_with(self.tenant, mia.id, resolved, history)
            .await?;
        Ok(())
    }

    async fn tickets(&self, mia: &User, sue: &User) -> Result<(), Error> {
        let message = |author: &User, hours, content: &str| {
            Ok::<_, Error>(NewMessage {
                user_id: author.id,
                content: content.try_into()?,
                created_at: Some(self.ago(hours * span::HOUR)),
            })
        };
        let tickets = [
            NewTicket {
                title: "Usage of October is missing from the invoice".try_into()?,
                status: ServiceStatus::Pending,
                priority: Priority::High,
                assignee_id: Some(sue.id),
                created_at: Some(self.ago(30 * span::HOUR)),
                resolved_at: None,
                messages: vec![
                    message(mia, 30, "The invoice of Brightwater Foods shows no usage.")?,
                    message(
                        sue,
                        26,
                        "A usage batch got stuck. Do you need the invoice today?",
                    )?,
                ],
            },
            NewTicket {
                title: "Wrong address on an invoice".try_into()?,
                status: ServiceStatus::Resolved,
                priority: Priority::Low,
                assignee_id: Some(sue.id),
                created_at: Some(self.ago(9 * span::DAY)),
                resolved_at: Some(self.ago(8 * span::DAY)),
                messages: vec![message(mia, 9 * 24, "Kestrel Air has moved.")?],
            },
        ];
        for ticket in tickets {
            self.store.tickets().create(self.tenant, ticket).await?;
        }
        Ok(())
    }
}
