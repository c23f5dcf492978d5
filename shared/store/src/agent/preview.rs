//! Reads for a preview of proposed actions. A preview writes nothing but its idempotency key.

use std::collections::HashMap;

use agent::{
    action::HeldRecord,
    alert::{Alert, AlertStatus},
    connection::Connection,
    session::{ProposedAction, SessionContext},
};
use model::base::{AgentSessionId, Timestamp};

use crate::{
    Result, Tenant,
    base::{Pending, record::any_keys},
    key::{self, Keyed},
};

use super::{Agent, SessionWithActions, claim::GuardKeys, is_paused, policy::policy_in};

/// A session with the context of its preview.
#[derive(Clone, Debug)]
pub struct Previewed {
    pub whole: SessionWithActions,
    pub context: SessionContext,
    pub connections: Vec<Connection>,
    pub is_paused: bool,
    /// The session's alert; none if unreadable.
    pub alert: Option<Alert>,
    /// The records that others hold, by the id of the previewed action.
    held: HashMap<String, Vec<HeldRecord>>,
    pub at: Timestamp,
}

impl Previewed {
    /// Returns the records of this action that other actions hold.
    pub fn held_against(&self, action: &ProposedAction) -> impl Iterator<Item = &HeldRecord> {
        self.held
            .get(&action.id)
            .into_iter()
            .flatten()
    }
}

impl Agent<'_> {
    /// Reads the context of a preview. 404 if the session is another tenant's, and the errors of
    /// `AgentSession::named`. A replay computes a fresh preview, since a preview changes nothing.
    pub async fn to_preview(
        &self,
        pending: impl Pending,
        id: AgentSessionId,
        ids: &[String],
    ) -> Result<Previewed> {
        let (pending, tenant) = pending.with_tenant();
        let read = || self.previewed(tenant, id, ids);
        Box::pin(self.0.read_only(pending, read)).await
    }

    async fn previewed(
        &self,
        tenant: Tenant,
        id: AgentSessionId,
        ids: &[String],
    ) -> Result<Previewed> {
        let at = self.0.now();
        let keys = any_keys![key::agent_policy(tenant), key::agent_pause(tenant)];
        let connections = self.0.connections();
        let (whole, batch, connections) = tokio::try_join!(
            self.get(tenant, id),
            self.0.batch(keys),
            connections.all(tenant),
        )?;
        let actions = whole.session.named(ids)?;
        let alert = whole.session.alert.alert_id.key(tenant);
        let contents = actions
            .iter()
            .map(|action| &action.content);
        let guards = contents.map(|content| GuardKeys::of(tenant, content));
        let guards: Vec<GuardKeys> = guards.collect();
        let keys = guards.iter().flat_map(GuardKeys::all);
        let guarded = self
            .0
            .batch(keys.chain([(&alert).into()]))
            .await?;
        let claims = actions
            .iter()
            .zip(&guards)
            .map(|(action, guards)| {
                let key = whole.session.key_of(&action.id);
                guards.others(&guarded, (&key, &action.content), at)
            });
        let mut claims = claims.collect::<Result<Vec<_>>>()?;
        let all_claims = claims.iter_mut().flatten().collect();
        self.read_owners(all_claims).await?;
        let held = actions
            .iter()
            .zip(claims)
            .map(|(action, claims)| {
                let held = claims.iter();
                let held = held.filter_map(|claim| claim.held(&action.content, false, at));
                (action.id.clone(), held.collect())
            });
        let held = held.collect();
        let before = actions
            .iter()
            .flat_map(|action| &action.approvals);
        let alert: Option<Alert> = guarded
            .named(&alert)
            .map(|alert| alert.record);
        let status = alert.as_ref().map(|alert| alert.status);
        let connections = connections
            .into_iter()
            .map(|connection| connection.record);
        let connections: Vec<Connection> = connections.collect();
        Ok(Previewed {
            context: SessionContext {
                unbound: whole.session.unbound(&connections),
                policy: policy_in(&batch, tenant, at)?,
                approvers: self.approvers(tenant, before).await?,
                is_resolved: status == Some(AlertStatus::Resolved),
            },
            is_paused: is_paused(&batch, tenant)?,
            connections,
            alert,
            held,
            whole,
            at,
        })
    }
}
