//! Resolution-agent sessions and their approved actions.
//!
//! A session and its actions share a partition, so that one consistent query reads all of it.
//! Every transition of a session expects the version that was read. An action belongs to the one
//! who claimed it: writes of the holder expect the fencing token of the claim. Nothing new starts
//! in a session that is not `executing`, which the claim and each further step check in the same
//! transaction that they write in.

mod actions;
mod due;
mod sessions;

pub use actions::{Beat, Claim, Verdict};
pub use due::{DueAction, DueSession};
pub use sessions::{Analyzing, Approval};

use model::{
    ActionResult, ActionState, AgentAction, AgentSession, AgentSessionId, Error, Id, OrganizationId,
};
use serde::{Deserialize, Serialize};

use super::{
    Store,
    key::{self, AnyKey, Gsi2, Key},
    table::{OrNotFound, Record, Stored},
};

/// Resolution-agent sessions.
#[derive(Clone, Copy, Debug)]
pub struct Agent<'a>(pub(super) &'a Store);

impl Record for AgentSession {
    const KIND: &'static str = "agent_session";

    fn key(&self) -> Key<Self> {
        key::agent_session(self.organization_id, self.id)
    }

    fn gsi2(&self) -> Option<Key<Self, Gsi2>> {
        Some(key::due().at(key::due_from(self.due_at?)))
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

/// Any item of a session's partition. One that does not read is kept by its key, so that a
/// damaged action neither hides its session nor holds it up.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Part {
    Known(Box<Known>),
    Unreadable { pk: String, sk: String },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Known {
    AgentSession(AgentSession),
    AgentAction(AgentAction),
}

impl Part {
    fn key(&self) -> AnyKey {
        match self {
            Self::Known(known) => match known.as_ref() {
                Known::AgentSession(session) => session.key().into(),
                Known::AgentAction(action) => action.key().into(),
            },
            Self::Unreadable { pk, sk } => AnyKey::found(pk.clone(), sk.clone()),
        }
    }
}

/// A session with its approved actions.
#[derive(Clone, Debug)]
pub struct SessionWithActions {
    /// The session.
    pub session: Stored<AgentSession>,
    /// Its approved actions, as far as they read, in the order of the proposal.
    pub actions: Vec<Stored<AgentAction>>,
    /// Ids of approved actions whose records do not read; they count as ended, outcome unknown.
    pub unreadable: Vec<String>,
}

impl SessionWithActions {
    /// What became of the actions that have ended, in the order of the proposal.
    #[must_use]
    pub fn results(&self) -> Vec<ActionResult> {
        let unreadable = self.unreadable.iter().map(|action_id| ActionResult {
            action_id: action_id.clone(),
            success: false,
            response: None,
            error: Some(
                "The record of this action does not read; check the target system.".to_owned(),
            ),
            executed_at: self.session.updated_at,
            duration: 0,
        });
        let mut results: Vec<ActionResult> = self
            .actions
            .iter()
            .filter_map(|action| action.result())
            .chain(unreadable)
            .collect();
        results.sort_by_key(|result| self.place(&result.action_id));
        results
    }

    /// Whether every approved action has ended.
    #[must_use]
    pub fn all_ended(&self) -> bool {
        self.actions.iter().all(|action| action.state.has_ended())
    }

    /// Where an approved action stands; none when it was not approved.
    #[must_use]
    pub fn state(&self, action_id: &str) -> Option<ActionState> {
        if self.unreadable.iter().any(|id| id == action_id) {
            return Some(ActionState::Unknown);
        }
        self.actions
            .iter()
            .find(|action| action.action_id == action_id)
            .map(|action| action.state)
    }

    fn place(&self, action_id: &str) -> usize {
        self.session
            .proposed_actions
            .iter()
            .position(|action| action.id == action_id)
            .unwrap_or(usize::MAX)
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
        let parts = self.0.table.list_stored(parts).await?;
        let mut session = None;
        let mut actions = Vec::new();
        let mut unreadable = Vec::new();
        for Stored { record, version } in parts {
            match record {
                Part::Known(known) => match *known {
                    Known::AgentSession(record) => session = Some(Stored { record, version }),
                    Known::AgentAction(record) => actions.push(Stored { record, version }),
                },
                Part::Unreadable { sk, .. } => match key::action_id(&sk) {
                    Some(action_id) => unreadable.push(action_id.to_owned()),
                    None => return Err(does_not_read(AgentSession::KIND)),
                },
            }
        }
        let mut whole = SessionWithActions {
            session: session.or_not_found(AgentSessionId::NOUN)?,
            actions,
            unreadable,
        };
        let mut actions = std::mem::take(&mut whole.actions);
        actions.sort_by_key(|action| whole.place(&action.action_id));
        whole.actions = actions;
        Ok(whole)
    }
}

fn does_not_read(kind: &'static str) -> Error {
    Error::internal(
        "reading a record",
        format!("an item of kind {kind} does not read"),
    )
}
