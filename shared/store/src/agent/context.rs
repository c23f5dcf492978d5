//! The render context of sessions: policy, approvers and alerts.

use std::collections::{BTreeSet, HashMap};

use agent::{
    alert::{AlertRef, AlertStatus},
    connection::Connection,
    policy::{AgentPolicy, Approvers},
    session::{AgentSession, SessionContext},
};
use model::base::AlertId;
use table::{AnyKey, Batch, Read};

use crate::{
    Result, Tenant,
    key::{self, Keyed},
};

use super::{
    Agent, Excerpts, SessionWithActions, excerpts,
    policy::{approvers_in, policy_in, users_of},
};

#[derive(Debug)]
pub(super) struct Contexts {
    policy: AgentPolicy,
    approvers: Approvers,
    alerts: HashMap<AlertId, AlertRef>,
    connections: Vec<Connection>,
}

impl Contexts {
    /// Returns a session's alert; none if unreadable.
    pub(super) fn alert(&self, session: &AgentSession) -> Option<&AlertRef> {
        self.alerts.get(&session.alert.alert_id)
    }

    /// Returns a session's context. An unreadable alert counts as open.
    pub(super) fn of(&self, session: &AgentSession) -> SessionContext {
        let alert = self.alert(session);
        SessionContext {
            policy: self.policy.clone(),
            approvers: self.approvers.clone(),
            is_resolved: alert.is_some_and(|alert| alert.status == AlertStatus::Resolved),
            unbound: session.unbound(&self.connections),
        }
    }
}

impl Agent<'_> {
    /// Returns the render context of a session, and its excerpts, with one batch.
    pub async fn context(&self, whole: &SessionWithActions) -> Result<(SessionContext, Excerpts)> {
        let session: &AgentSession = &whole.session;
        let tenant = session.organization_id;
        let keys = excerpts::keys_of(whole);
        let more: Vec<AnyKey> = keys.iter().map(AnyKey::from).collect();
        let sessions = &[session];
        let read = Read::Consistent;
        let (contexts, batch) = self
            .contexts(tenant, sessions, more, read)
            .await?;
        let excerpts = Excerpts::found(&batch, &keys, self.0.now());
        Ok((contexts.of(session), excerpts))
    }

    pub(super) async fn contexts(
        &self,
        tenant: Tenant,
        sessions: &[&AgentSession],
        more: Vec<AnyKey>,
        read: Read,
    ) -> Result<(Contexts, Batch)> {
        let alert = |id: AlertId| id.key(tenant);
        let alerts = || {
            sessions
                .iter()
                .map(|session| session.alert.alert_id)
        };
        let sessions = sessions.iter();
        let actions = sessions
            .clone()
            .flat_map(|session| &session.plan.proposed_actions);
        let approvals = actions.flat_map(|action| &action.approvals);
        let users = users_of(tenant, approvals);
        let keys = alerts().map(|id| AnyKey::from(alert(id)));
        let keys = keys.chain(users.iter().map(AnyKey::from));
        let settings = [
            AnyKey::from(key::agent_policy(tenant)),
            AnyKey::from(key::sign_in_provider(tenant)),
        ];
        let connections = sessions.flat_map(|session| session.systems());
        let connections: BTreeSet<&str> = connections.collect();
        let connections = connections
            .iter()
            .map(|name| key::connection(tenant, name));
        let connections: Vec<_> = connections.collect();
        let keys = keys.chain(connections.iter().map(AnyKey::from));
        let keys = keys.chain(settings);
        let batch = self
            .0
            .table
            .batch_get(keys.chain(more), read)
            .await?;
        let current = connections
            .iter()
            .filter_map(|key| batch.named(key));
        let contexts = Contexts {
            policy: policy_in(&batch, tenant, self.0.now())?,
            approvers: approvers_in(&batch, tenant, &users),
            alerts: batch.all(alerts(), alert),
            connections: current
                .map(|connection| connection.record)
                .collect(),
        };
        Ok((contexts, batch))
    }
}
