//! The render context of sessions: policy, approvers and alerts.

use std::collections::{BTreeSet, HashMap};

use agent::{AgentPolicy, AgentSession, AlertRef, AlertStatus, Approvers, SessionContext};
use model::{AlertId, Error, OrganizationId, User, UserId};

use super::{
    Agent,
    policy::{approvers_in, policy_in},
};
use crate::{
    key::{self, AnyKey, Key},
    table::Read,
};

/// The records of the render contexts of several sessions.
#[derive(Debug)]
pub(super) struct Contexts {
    policy: AgentPolicy,
    approvers: Approvers,
    alerts: HashMap<AlertId, AlertRef>,
}

impl Contexts {
    /// Returns a session's alert; none if unreadable.
    pub(super) fn alert(&self, session: &AgentSession) -> Option<&AlertRef> {
        self.alerts.get(&session.alert_id)
    }

    /// Returns a session's context. An unreadable alert counts as open.
    pub(super) fn of(&self, session: &AgentSession) -> SessionContext {
        let alert = self.alert(session);
        SessionContext {
            policy: self.policy.clone(),
            approvers: self.approvers.clone(),
            is_resolved: alert.is_some_and(|alert| alert.status == AlertStatus::Resolved),
        }
    }
}

impl Agent<'_> {
    /// Returns the render context of a session.
    pub async fn context(&self, session: &AgentSession) -> Result<SessionContext, Error> {
        let tenant = session.organization_id;
        let contexts = self.contexts(tenant, &[session], Read::Consistent).await?;
        Ok(contexts.of(session))
    }

    /// Reads the contexts of sessions, with one batch.
    pub(super) async fn contexts(
        &self,
        tenant: OrganizationId,
        sessions: &[&AgentSession],
        read: Read,
    ) -> Result<Contexts, Error> {
        let alert = |id| key::alert(tenant, id);
        let alerts = || sessions.iter().map(|session| session.alert_id);
        let actions = sessions
            .iter()
            .flat_map(|session| &session.proposed_actions);
        let approvals = actions.flat_map(|action| &action.approvals);
        let users: BTreeSet<UserId> = approvals.map(|one| one.user_id).collect();
        let users: Vec<Key<User>> = users.iter().map(|id| key::user(tenant, *id)).collect();
        let keys = alerts().map(|id| AnyKey::from(alert(id)));
        let keys = keys.chain(users.iter().map(AnyKey::from));
        let keys = keys.chain([AnyKey::from(key::agent_policy(tenant))]);
        let found = self.0.table.batch_get(keys, read).await?;
        Ok(Contexts {
            policy: policy_in(&found, tenant)?.record,
            approvers: approvers_in(&found, &users),
            alerts: found.all(alerts(), alert),
        })
    }
}
