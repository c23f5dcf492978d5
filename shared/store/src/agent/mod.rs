//! Resolution-agent sessions and their approved actions.
//!
//! What happens to them is decided in [`model::agent`]; here it is read, and written under its
//! condition. A session and its actions share a partition, so that one consistent query reads all
//! of it. Every transition of a session expects the version that was read. An action belongs to the one
//! who claimed it: writes of the holder expect the fencing token of the claim. Nothing new starts
//! in a session that is not `executing`: a cancellation writes every action that has not ended, and
//! claims and further steps expect that none did.
//!
//! What many actions share is read, and never expected by their writes: on DynamoDB, transactions
//! that so much as check the same item turn each other away. The guards of effects are shared by
//! those alone that must not both go on.

mod actions;
mod claim;
mod due;
mod journal;
mod lists;
mod looks;
mod people;
mod playbooks;
mod policy;
mod preview;
mod remedy;
mod savings;
mod sessions;
mod stack;

pub use actions::Lease;
pub use claim::HeldAction;
pub use due::{DueAction, DueSession, DueWork};
pub use lists::SessionOnAlert;
pub use looks::AwaitedLook;
pub use people::{ByHand, HandingOver};
pub use preview::Previewed;
pub use sessions::Approval;

pub(super) use lists::SessionOfSignal;
pub(super) use people::HandOver;
pub(super) use policy::AgentDay;
pub(super) use remedy::Remedy;
pub(super) use stack::{Stack, StackName};

use model::{
    ActionResult, ActionState, AgentAction, AgentPause, AgentSession, AgentSessionId,
    AgentSessionStatus, ApprovedActions, Error, Id, OrganizationId, span,
};
use serde::Deserialize;

use super::{
    Store,
    key::{self, Gsi1, Gsi2, Gsi3, Key},
    table::{Batch, OrNotFound, Readable, Record, Stored},
};

/// How long something is put off at most while nothing may be sent, so that it waits no longer than
/// that once nothing stands in its way any more.
const PAUSED: i64 = span::MINUTE;

/// Whether nothing is sent for an organization, by a batch that asked for it.
fn is_paused(found: &Batch, tenant: OrganizationId) -> Result<bool, Error> {
    let pause: Option<Stored<AgentPause>> = found.get(&key::agent_pause(tenant))?;
    Ok(pause.is_some_and(|pause| pause.paused))
}

/// Resolution-agent sessions.
#[derive(Clone, Copy, Debug)]
pub struct Agent<'a>(pub(super) &'a Store);

impl Record for AgentSession {
    const KIND: &'static str = "agent_session";

    fn key(&self) -> Key<Self> {
        key::agent_session(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        Some(key::agent_session_in_time(self))
    }

    fn gsi2(&self) -> Option<Key<Self, Gsi2>> {
        Some(key::due().at(key::due_from(self.due_at?)))
    }

    fn gsi3(&self) -> Option<Key<Self, Gsi3>> {
        let awaits = self.status == AgentSessionStatus::AwaitingConfirmation;
        awaits.then(|| key::agent_session_awaiting(self))
    }
}

impl Record for AgentAction {
    const KIND: &'static str = "agent_action";

    fn key(&self) -> Key<Self> {
        key::agent_action(self.organization_id, self.session_id, &self.action_id)
    }

    fn gsi2(&self) -> Option<Key<Self, Gsi2>> {
        Some(key::due().at(key::due_from(self.due_at?)))
    }
}

/// Any item of a session's partition.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Part {
    AgentSession(Box<AgentSession>),
    AgentAction(Box<AgentAction>),
}

/// A session with its approved actions.
#[derive(Clone, Debug)]
pub struct SessionWithActions {
    /// The session.
    pub session: Stored<AgentSession>,
    /// Its approved actions.
    pub actions: ApprovedActions<Stored<AgentAction>>,
}

impl SessionWithActions {
    /// What became of the actions that have ended, in the order of the proposal.
    #[must_use]
    pub fn results(&self) -> Vec<ActionResult> {
        self.session.results(&self.actions)
    }

    /// As the table has it once an approval of it was written.
    fn approved(mut self, new: Vec<AgentAction>) -> Self {
        let Self { session, actions } = &mut self;
        session.version += 1;
        for again in &mut actions.known {
            again.version += i64::from(session.approved.contains(&again.action_id));
        }
        let new = new.into_iter().map(|record| Stored { record, version: 1 });
        actions.known.extend(new);
        self
    }

    /// Where an approved action stands; none when it was not approved.
    #[must_use]
    pub fn state(&self, action_id: &str) -> Option<ActionState> {
        self.actions.state(action_id)
    }
}

impl Agent<'_> {
    /// A session with its approved actions, as they are at this moment. 404 when it is not the
    /// tenant's.
    pub async fn get(
        &self,
        tenant: OrganizationId,
        id: AgentSessionId,
    ) -> Result<SessionWithActions, Error> {
        let parts = key::agent_parts(tenant, id).consistent();
        let parts = self.0.table.list_readable(parts).await?;
        let mut session = None;
        let mut actions = ApprovedActions::none();
        for part in parts {
            match part {
                Readable::Yes(Stored { record, version }) => match record {
                    Part::AgentSession(record) => {
                        let record = *record;
                        session = Some(Stored { record, version });
                    }
                    Part::AgentAction(record) => {
                        let record = *record;
                        actions.known.push(Stored { record, version });
                    }
                },
                Readable::No(key) => match key::action_id(key.sk()) {
                    Some(action_id) => actions.unreadable.push(action_id.to_owned()),
                    None => return Err(does_not_read(AgentSession::KIND)),
                },
            }
        }
        let session = session.or_not_found(AgentSessionId::NOUN)?;
        Ok(SessionWithActions { session, actions })
    }
}

fn does_not_read(kind: &'static str) -> Error {
    Error::internal(
        "reading a record",
        format!("an item of kind {kind} does not read"),
    )
}
