//! The demo organization: its users and its records, as `demo_data/*.yaml` have them.
//!
//! The records name entities of the demo billing system, so the two must match.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::Client;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use shared::{
    Fault,
    agent::{
        alert::{AlertReport, AlertStatus},
        connection::Connection,
    },
    auth::password,
    clock::Clock,
    input::{self, Input},
    model::{
        base::{AlertId, OrganizationId, SentSecret, Slug, TagId, Tagged, Thread, Timestamp, span},
        people::{PasswordHash, PlanFeature},
        work::ServiceStatus,
    },
    store::{
        Stored,
        base::Store,
        people::NewUser,
        work::{NewMessage, NewTicket, Past},
    },
};
use targets::{Sealer, SecretOf};

use crate::target_systems::DemoTargets;

const ORGANIZATION: &str = include_str!("demo_data/organization.yaml");
const ALERTS: &str = include_str!("demo_data/alerts.yaml");

/// Password of every demo account. It is not a secret, since the demo runs on this machine only.
pub(crate) const PASSWORD: &str = "workdesk";

/// The demo data could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum DemoDataError {
    /// A file is malformed.
    #[error("the demo data: {0}")]
    File(#[from] serde_saphyr::Error),
    /// A part of a file is malformed.
    #[error("the demo data: {0}")]
    Part(#[from] serde_json::Error),
    /// A name leads to no record.
    #[error("the demo data has no {0:?}")]
    Unknown(String),
    /// The table refused a record.
    #[error("the demo data could not be loaded: {}; --fresh deletes the data and starts over", .0.chain())]
    Record(#[from] shared::Error),
}

impl From<Vec<Fault>> for DemoDataError {
    fn from(faults: Vec<Fault>) -> Self {
        Self::Record(faults.into())
    }
}

/// The demo's data.
#[derive(Debug)]
pub struct DemoData {
    organization: Organization,
    alerts: Alerts,
}

#[derive(Debug, Deserialize)]
struct Organization {
    name: String,
    accounts: Vec<Account>,
    tags: Vec<String>,
    customers: Vec<Map<String, Value>>,
    projects: Vec<Project>,
    tickets: Vec<Row>,
}

/// An account of the demo; all have [`PASSWORD`].
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Account {
    pub(crate) username: String,
    full_name: String,
    email: String,
    pub(crate) role: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Project {
    phases: Vec<String>,
    milestones: Vec<Row>,
    tasks: Vec<Row>,
    activities: Vec<Row>,
    service_requests: Vec<Row>,
    /// Usernames.
    members: Vec<String>,
    #[serde(flatten)]
    body: Map<String, Value>,
}

/// A record: the body of its creation, and what belongs to it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Row {
    /// Username of its creator.
    by: String,
    past: History,
    tags: Vec<String>,
    comments: Vec<Said>,
    messages: Vec<Said>,
    #[serde(flatten)]
    body: Map<String, Value>,
}

/// The past of a request or a ticket.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct History {
    status: ServiceStatus,
    assignee: Option<String>,
    created_at: Option<String>,
    resolved_at: Option<String>,
}

/// A comment, or a message of a ticket.
#[derive(Debug, Deserialize)]
struct Said {
    by: String,
    at: Option<String>,
    content: String,
}

#[derive(Debug, Deserialize)]
struct Alerts {
    open: Vec<DemoAlert>,
    resolved: Vec<DemoAlert>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DemoAlert {
    hours_ago: i64,
    /// Hours before the alert, and the state entered then.
    lifecycle: Vec<(i64, String)>,
    /// Username of the user who has actions proposed for it.
    #[serde(default)]
    proposed_by: Option<String>,
    #[serde(flatten)]
    body: Map<String, Value>,
}

/// The demo organization in a table.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) tenant: OrganizationId,
    /// The alerts that await a proposal, each with the username of its proposer. None after the
    /// first load.
    pub(crate) to_propose: Vec<(AlertId, String)>,
}

/// Connects the demo organization to the demo's target systems. Existing connections are kept
/// unless their base URL or their kind is out of date, or they have no secret.
pub(crate) async fn connect(
    client: Client,
    table: &str,
    tenant: OrganizationId,
    targets: &DemoTargets,
    sealer: &Sealer,
) -> Result<(), DemoDataError> {
    let store = Store::new(client, table, Clock::system());
    let connections = store.connections();
    let existing = connections.all(tenant).await?;
    let wanted = targets.connections();
    for (name, wanted) in wanted.as_object().into_iter().flatten() {
        let Some(name) = Slug::new(name) else {
            continue;
        };
        let is_right = |connection: &Stored<Connection>| {
            *connection.base_url == wanted["baseUrl"]
                && connection.system_kind().name() == wanted["kind"]
                && connection.secret.is_some()
        };
        let stored = existing
            .iter()
            .find(|connection| connection.name == name);
        if !stored.is_some_and(is_right) {
            let put = input::from_value(wanted)?;
            let of = SecretOf::Connection(name.to_string());
            let seal = async |secret: SentSecret| sealer.seal(tenant, &of, &secret).await;
            let identify = async |_| Ok(None);
            connections
                .put(tenant, &name, put, seal, identify)
                .await?;
        }
    }
    Ok(())
}

impl DemoData {
    /// Reads the files.
    pub fn shipped() -> Result<Self, DemoDataError> {
        let organization: Value = serde_saphyr::from_str(ORGANIZATION)?;
        let alerts: Value = serde_saphyr::from_str(ALERTS)?;
        Ok(Self {
            organization: serde_json::from_value(organization)?,
            alerts: serde_json::from_value(alerts)?,
        })
    }

    /// Returns the open alerts, without the parts that depend on the time of the load.
    pub fn open_alerts(&self) -> impl Iterator<Item = &Map<String, Value>> {
        self.alerts
            .open
            .iter()
            .map(|alert| &alert.body)
    }

    pub(crate) fn accounts(&self) -> &[Account] {
        &self.organization.accounts
    }

    /// Loads the data into a table unless it is already complete.
    pub(crate) async fn load(&self, client: Client, table: &str) -> Result<Loaded, DemoDataError> {
        let clock = Clock::system();
        let store = Store::new(client, table, clock.clone());
        let Some((last, accounts)) = self.accounts().split_last() else {
            return Err(DemoDataError::Unknown("account".to_owned()));
        };
        // The last account is written after everything else, so its presence means that the data is
        // complete.
        if let Some(account) = store
            .sign_in()
            .account(&last.username)
            .await?
        {
            return Ok(Loaded {
                tenant: account.organization_id,
                to_propose: Vec::new(),
            });
        }
        let name = self.organization.name.as_str().into();
        let directory = store.directory();
        let organization = directory.create_organization(name, vec![PlanFeature::AgentAi]);
        let mut demo = Demo {
            tenant: organization.await?.id,
            hash: password::hash(PASSWORD.into()).await?,
            store,
            now: clock.now(),
            ids: BTreeMap::new(),
        };
        for account in accounts {
            demo.user(account).await?;
        }
        for tag in &self.organization.tags {
            let new = input::from_value(&json!({ "name": tag }))?;
            let created = demo
                .store
                .directory()
                .create_tag(demo.tenant, new)
                .await?;
            demo.ids
                .insert(tag.clone(), json!(created.id));
        }
        for customer in &self.organization.customers {
            let new = demo.body(customer, json!({}))?;
            let created = demo
                .store
                .directory()
                .create_customer(demo.tenant, new)
                .await?;
            demo.ids
                .insert(created.name.to_string(), json!(created.id));
        }
        for project in &self.organization.projects {
            Box::pin(demo.project(project)).await?;
        }
        for ticket in &self.organization.tickets {
            demo.ticket(ticket).await?;
        }
        let to_propose = demo.alerts(&self.alerts).await?;
        demo.user(last).await?;
        Ok(Loaded {
            tenant: demo.tenant,
            to_propose,
        })
    }
}

/// The demo data while it is loaded.
struct Demo {
    store: Store,
    tenant: OrganizationId,
    hash: PasswordHash,
    now: Timestamp,
    /// Ids of the records so far by the names of the files.
    ids: BTreeMap<String, Value>,
}

impl Demo {
    fn id<T: DeserializeOwned>(&self, name: &str) -> Result<T, DemoDataError> {
        let id = self.ids.get(name);
        let id = id.ok_or_else(|| DemoDataError::Unknown(name.to_owned()))?;
        Ok(T::deserialize(id)?)
    }

    /// Returns an instant such as `3 days ago` or `in 7 days`.
    fn instant(&self, text: &str) -> Option<Timestamp> {
        let words: Vec<&str> = text.split(' ').collect();
        let (sign, number, unit) = match words[..] {
            [number, unit, "ago"] => (-1, number, unit),
            ["in", number, unit] => (1, number, unit),
            _ => return None,
        };
        let unit = match unit {
            "hours" => span::HOUR,
            "days" => span::DAY,
            _ => return None,
        };
        Some(
            self.now
                .plus(sign * number.parse::<i64>().ok()? * unit),
        )
    }

    /// Reads the body of a record's creation, with ids instead of names, and with instants.
    fn body<T: Input>(&self, fields: &Map<String, Value>, more: Value) -> Result<T, DemoDataError> {
        let mut body = more;
        for (name, value) in fields {
            let text = value.as_str();
            let is_name = ["assignee", "milestone", "phase", "customer"].contains(&name.as_str());
            if let Some(named) = text.filter(|_| is_name) {
                body[format!("{name}Id")] = self.id(named)?;
            } else {
                let instant = text.and_then(|text| self.instant(text));
                body[name] = instant.map_or_else(|| value.clone(), |instant| json!(instant));
            }
        }
        Ok(input::from_value(&body)?)
    }

    async fn user(&mut self, account: &Account) -> Result<(), DemoDataError> {
        let new = NewUser {
            username: account.username.as_str().into(),
            full_name: account.full_name.as_str().into(),
            email: serde_json::from_value(json!(account.email))?,
            email_verified_at: Some(self.now),
            role: serde_json::from_value(json!(account.role))?,
            extra_permissions: Vec::new(),
            password_hash: self.hash.clone(),
            provider_subject: None,
        };
        let directory = self.store.directory();
        let user = directory
            .create_user(self.tenant, new)
            .await?;
        self.ids
            .insert(account.username.clone(), json!(user.id));
        Ok(())
    }

    async fn tag(&self, on: impl Into<Tagged>, row: &Row) -> Result<(), DemoDataError> {
        let on = on.into();
        for tag in &row.tags {
            let tag: TagId = self.id(tag)?;
            let tagging = self.store.tagging();
            tagging
                .set_attached(self.tenant, on, tag, true)
                .await?;
        }
        Ok(())
    }

    async fn comment(&self, on: impl Into<Thread>, row: &Row) -> Result<(), DemoDataError> {
        let on = on.into();
        for comment in &row.comments {
            let new = input::from_value(&json!({ "content": comment.content }))?;
            let comments = self.store.comments();
            let author = self.id(&comment.by)?;
            comments
                .create(self.tenant, on, author, new)
                .await?;
        }
        Ok(())
    }

    /// Creates a project with its records.
    async fn project(&mut self, project: &Project) -> Result<(), DemoDataError> {
        let directory = self.store.directory();
        let created = self.body(&project.body, json!({}))?;
        let id = directory
            .create_project(self.tenant, created)
            .await?
            .id;
        for name in &project.members {
            let member = self.id(name)?;
            let members = self.store.members();
            members
                .add(self.tenant, id, member)
                .await?;
        }
        for (order, title) in (1..).zip(&project.phases) {
            let new_phase = input::from_value(&json!({ "title": title, "order": order }))?;
            let phase = directory
                .create_phase(self.tenant, id, new_phase)
                .await?;
            self.ids
                .insert(title.clone(), json!(phase.id));
        }
        let of_project = json!({ "projectId": id });
        for row in &project.milestones {
            let new = self.body(&row.body, of_project.clone())?;
            let milestone = self
                .store
                .milestones()
                .create(self.tenant, new)
                .await?;
            let title = milestone.title.to_string();
            self.ids
                .insert(title, json!(milestone.id));
        }
        for row in &project.tasks {
            let new = self.body(&row.body, of_project.clone())?;
            let task = self
                .store
                .tasks()
                .create(self.tenant, new)
                .await?
                .id;
            self.tag(task, row).await?;
            self.comment(task, row).await?;
        }
        for row in &project.activities {
            let new = self.body(&row.body, of_project.clone())?;
            let activities = self.store.activities();
            let creator = self.id(&row.by)?;
            let activity = activities
                .create(self.tenant, creator, new)
                .await?;
            self.tag(activity.id, row).await?;
        }
        let reference = json!({ "referenceType": "project", "referenceId": id });
        for row in &project.service_requests {
            let new = self.body(&row.body, reference.clone())?;
            let requests = self.store.service_requests();
            let creator = self.id(&row.by)?;
            let past = self.past(&row.past)?;
            let request = requests.create_with(self.tenant, creator, new, past);
            self.comment(request.await?.id, row)
                .await?;
        }
        Ok(())
    }

    fn past(&self, history: &History) -> Result<Past, DemoDataError> {
        let instant = |text: &Option<String>| {
            text.as_ref()
                .and_then(|text| self.instant(text))
        };
        let assignee = history.assignee.as_ref();
        Ok(Past {
            status: history.status,
            assignee_id: assignee
                .map(|name| self.id(name))
                .transpose()?,
            created_at: instant(&history.created_at),
            resolved_at: instant(&history.resolved_at),
            ..Past::default()
        })
    }

    async fn ticket(&self, row: &Row) -> Result<(), DemoDataError> {
        let member = |name: &str| {
            row.body
                .get(name)
                .cloned()
                .unwrap_or_default()
        };
        let messages = row.messages.iter().map(|message| {
            Ok::<_, DemoDataError>(NewMessage {
                user_id: self.id(&message.by)?,
                content: serde_json::from_value(json!(message.content))?,
                created_at: message
                    .at
                    .as_ref()
                    .and_then(|at| self.instant(at)),
            })
        });
        let past = self.past(&row.past)?;
        let customer = row
            .body
            .get("customer")
            .and_then(Value::as_str);
        let ticket = NewTicket {
            title: serde_json::from_value(member("title"))?,
            status: past.status,
            priority: serde_json::from_value(member("priority"))?,
            assignee_id: past.assignee_id,
            customer_id: customer
                .map(|name| self.id(name))
                .transpose()?,
            created_at: past.created_at,
            resolved_at: past.resolved_at,
            messages: messages.collect::<Result<_, _>>()?,
        };
        self.store
            .tickets()
            .create(self.tenant, ticket)
            .await?;
        Ok(())
    }

    /// Records the alerts. Returns those that await a proposal, with their proposers.
    async fn alerts(&self, alerts: &Alerts) -> Result<Vec<(AlertId, String)>, DemoDataError> {
        let since = self.now.plus(-60 * span::DAY);
        self.store
            .alerts()
            .recorded_since(self.tenant, since)
            .await?;
        let open = (0..)
            .zip(&alerts.open)
            .map(|numbered| (numbered, AlertStatus::Open));
        let resolved = (100..).zip(&alerts.resolved);
        let resolved = resolved.map(|numbered| (numbered, AlertStatus::Resolved));
        let mut to_propose = Vec::new();
        for ((number, alert), status) in open.chain(resolved) {
            let occurred_at = self
                .now
                .plus(-alert.hours_ago * span::HOUR);
            let lifecycle = alert.lifecycle.iter().map(|(hours, state)| {
                json!({ "at": occurred_at.plus(-hours * span::HOUR), "state": state })
            });
            let more = json!({
                "source": "billing-monitor",
                "externalId": format!("alarm-{number}"),
                "lifecycle": lifecycle.collect::<Vec<_>>(),
            });
            let report = AlertReport::new(self.body(&alert.body, more)?, status, occurred_at);
            let recorded = self
                .store
                .alerts()
                .record(self.tenant, report)
                .await?;
            let by = alert.proposed_by.iter().cloned();
            to_propose.extend(by.map(|by| (recorded.id, by)));
        }
        Ok(to_propose)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::Engines;

    #[tokio::test]
    async fn each_name_leads_to_a_record() {
        let engines = Engines::in_memory().await.unwrap();
        let demo = DemoData::shipped().unwrap();
        let load = || demo.load(engines.dynamodb(), engines.table_name());
        let loaded = Box::pin(load()).await.unwrap();
        assert_eq!(loaded.to_propose.len(), 1);
        let store = Store::new(engines.dynamodb(), engines.table_name(), Clock::system());
        for account in demo.accounts() {
            let username = &account.username;
            assert!(
                store
                    .sign_in()
                    .account(username)
                    .await
                    .unwrap()
                    .is_some(),
                "{username}"
            );
        }
        // A second run finds it complete.
        let again = Box::pin(load()).await.unwrap();
        assert_eq!(again.tenant, loaded.tenant);
        assert!(again.to_propose.is_empty());
    }

    #[test]
    fn each_entity_of_an_alert_is_in_its_target_system() {
        let systems = DemoTargets::start(0, None).unwrap();
        let state = systems.state();
        let connections = systems.connections();
        let demo = DemoData::shipped().unwrap();
        for alert in demo.open_alerts() {
            let system = alert["targetSystem"].as_str().unwrap();
            assert!(connections[system].is_object(), "{system}");
            for entity in alert["entities"].as_array().unwrap() {
                let id = entity["id"].as_str().unwrap();
                let mut kinds = state.as_object().unwrap().values();
                assert!(kinds.any(|records| records[id].is_object()), "{id}");
            }
        }
    }
}
