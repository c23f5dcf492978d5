//! Agent sessions and their approved actions.
//!
//! [`agent`] decides each transition. This module reads the records and writes the result,
//! on the condition that no record changed meanwhile. A session and its actions share a partition,
//! so one consistent query reads all of them.
//!
//! - A session's transition expects the version that was read.
//! - An action belongs to its holder, whose writes expect the fencing token of the claim.
//! - Nothing new starts unless the session is `executing`. A cancellation writes every action that
//!   has not ended; claims and further steps expect that none did.
//! - Items that many actions share are read, but no write expects them. In DynamoDB, transactions
//!   that check the same item conflict. Effect guards are shared only by actions that exclude each
//!   other.

mod actions;
pub(crate) mod alert_days;
pub(crate) mod alert_reports;
pub(crate) mod alerts;
mod checks;
mod claim;
pub(crate) mod connections;
mod context;
mod due;
mod excerpts;
mod journal;
mod lists;
mod outcomes;
mod parts;
mod people;
mod policy;
mod preview;
mod sessions;
mod transition;

use agent::{
    action::{ActionResult, ActionState, AgentAction},
    check::TargetRead,
    connection::{AgentPause, Connection},
    session::{AgentSession, ApprovedActions},
};
use model::base::{AgentSessionId, Error, Id, RecordType, span};
use table::{AnyKey, Batch, OrNotFound, Readable, Stored};

use crate::{
    Result, Tenant,
    base::{
        record::{any_keys, record},
        records::Part,
        store::resource,
    },
    key,
};

pub use actions::Lease;
pub use alerts::Alerts;
pub use checks::DueCheck;
pub use claim::HeldAction;
pub use connections::Connections;
pub use due::{DueAction, DueSession, DueWork};
pub use excerpts::Excerpts;
pub use lists::SessionOnAlert;
pub(crate) use policy::policy_in;
pub use preview::Previewed;
pub use sessions::Approval;

/// The longest deferral while nothing may be sent, so that an action resumes soon after a pause.
const PAUSED: i64 = span::MINUTE;

/// Returns the keys of the items that [`is_paused`] needs.
fn pauses(tenant: Tenant) -> [AnyKey; 2] {
    any_keys![key::agent_pause(tenant), key::organization(tenant)]
}

/// True if the agent is paused, or the organization is suspended.
fn is_paused(batch: &Batch, tenant: Tenant) -> Result<bool> {
    let pause: Option<Stored<AgentPause>> = batch.get(&key::agent_pause(tenant))?;
    let organization = batch.named(&key::organization(tenant));
    let is_suspended = organization.is_some_and(|organization| organization.suspended.is_some());
    Ok(is_suspended || pause.is_some_and(|pause| pause.paused))
}

resource! { pub Agent as agent }

record! {
    session: AgentSession = RecordType::AgentSession.name(),
    key: key::agent_session(session.organization_id, session.id),
    gsi1: Some(key::agent_session_in_time(session)),
    gsi3: session.has_open_work().then(|| key::agent_session_open(session)),
    gsi4: Some(key::due(session.organization_id, session.times.due_at?)),
}

record! {
    action: AgentAction = "agent_action",
    key: key::agent_action(&action.key),
    gsi4: {
        let tenant = action.key.organization_id;
        let due = action.schedule.due_at?;
        Some(match action.overdue_since() {
            Some(since) => key::overdue(tenant, due, since),
            None => key::due(tenant, due),
        })
    },
}

#[derive(Clone, Debug)]
pub struct SessionWithActions {
    pub session: Stored<AgentSession>,
    pub actions: ApprovedActions<Stored<AgentAction>>,
}

impl SessionWithActions {
    /// Returns the results of the ended actions, in the order of the proposal.
    pub fn results(&self) -> Vec<ActionResult> {
        self.session.results(&self.actions)
    }

    /// Returns the state of an approved action; none if it was not approved.
    pub fn state(&self, action_id: &str) -> Option<ActionState> {
        self.actions.state(action_id)
    }
}

impl Agent<'_> {
    /// Returns the existing connections of reads. None during a pause of the organization or of one
    /// of them.
    async fn connections_of(
        &self,
        tenant: Tenant,
        reads: &[TargetRead],
    ) -> Result<Option<Vec<Connection>>> {
        let names = reads
            .iter()
            .map(|read| &read.connection);
        let keys: Vec<_> = names
            .map(|name| key::connection(tenant, name))
            .collect();
        let keys_with_pauses = keys
            .iter()
            .map(AnyKey::from)
            .chain(pauses(tenant));
        let batch = self.0.batch(keys_with_pauses).await?;
        let connections = keys
            .iter()
            .filter_map(|key| batch.named(key));
        let connections: Vec<Connection> = connections
            .map(|connection| connection.record)
            .collect();
        let is_paused = is_paused(&batch, tenant)?
            || connections
                .iter()
                .any(|connection| connection.paused);
        Ok((!is_paused).then_some(connections))
    }

    /// Returns a session with its approved actions, by a consistent read. 404 if it is another
    /// tenant's.
    pub async fn get(&self, tenant: Tenant, id: AgentSessionId) -> Result<SessionWithActions> {
        let parts = key::agent_parts(tenant, id).consistent();
        let parts = self
            .0
            .table
            .list_readable(parts)
            .await?;
        let mut session = None;
        let mut actions = ApprovedActions::none();
        for part in parts {
            match part {
                Readable::Yes(part) => match part.record.clone() {
                    Part::AgentSession(record) => session = Some(part.map(|_| *record)),
                    Part::AgentAction(record) => actions
                        .known
                        .push(part.map(|_| *record)),
                },
                Readable::No(key) => {
                    let Some(action_id) = key::action_id(key.sk()) else {
                        let source = "an item of kind agent_session cannot be decoded";
                        return Err(Error::internal("reading a record", source));
                    };
                    actions
                        .unreadable
                        .push(action_id.to_owned());
                }
            }
        }
        let session = session.or_not_found(AgentSessionId::NOUN)?;
        Ok(SessionWithActions { session, actions })
    }
}
