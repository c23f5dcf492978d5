//! Reads for a preview of proposed actions. A preview writes nothing but its idempotency key.

use std::collections::HashSet;

use agent::{
    AgentSession, Alert, AlertStatus, Connection, EffectGuard, HeldEffect, ProposedAction,
    SessionContext, TargetEffect,
};
use model::{AgentSessionId, Error, OrganizationId, Timestamp};

use super::{Agent, SessionWithActions, is_paused, policy::policy_in};
use crate::{
    PendingWrite, WriteContext,
    key::{self, AnyKey, Key},
    table::{Read, Stored},
    writes::Writes,
};

/// A session with the context of its preview.
#[derive(Clone, Debug)]
pub struct Previewed {
    /// The session with its approved actions.
    pub whole: SessionWithActions,
    /// The session's render context.
    pub context: SessionContext,
    /// The organization's connections.
    pub connections: Vec<Connection>,
    /// True if the organization is paused.
    pub is_paused: bool,
    /// The session's alert; none if unreadable.
    pub alert: Option<Alert>,
    /// Held effects, among those of the actions and of actions that exclude them.
    held: Vec<(EffectGuard, HeldEffect)>,
    /// The instant of the read.
    pub at: Timestamp,
}

impl Previewed {
    /// Returns the effects that other actions hold and that block this one.
    pub fn held_against(&self, action: &ProposedAction) -> impl Iterator<Item = &HeldEffect> {
        let session = &self.whole.session;
        let effects = action.content.effects().chain(session.rivals(action));
        let effects: Vec<TargetEffect> = effects.collect();
        let own = session.key_of(&action.id);
        let others = self
            .held
            .iter()
            .filter(move |(guard, _)| guard.by != own && effects.contains(&guard.effect));
        others.map(|(_, held)| held)
    }
}

impl Agent<'_> {
    /// Reads the context of a preview. 404 if the session is another tenant's, and the errors of
    /// [`AgentSession::named`]. A replay computes a fresh preview, since a preview changes nothing.
    pub async fn to_preview(
        &self,
        pending: impl Into<PendingWrite>,
        id: AgentSessionId,
        ids: &[String],
    ) -> Result<Previewed, Error> {
        let pending = pending.into();
        let tenant = pending.tenant();
        let read = || self.previewed(tenant, id, ids);
        let write = async |context: WriteContext, found| {
            self.0.commit(&context, Writes::default(), found).await
        };
        let previewed = self.0.write(pending, read, write).await?;
        previewed.or_load(async |_| read().await).await
    }

    async fn previewed(
        &self,
        tenant: OrganizationId,
        id: AgentSessionId,
        ids: &[String],
    ) -> Result<Previewed, Error> {
        let at = self.0.clock.now();
        let pause = key::agent_pause(tenant);
        let keys = [
            AnyKey::from(key::agent_policy(tenant)),
            AnyKey::from(&pause),
        ];
        let connections = self.0.connections();
        let (whole, batch, connections) = tokio::try_join!(
            self.get(tenant, id),
            self.0.table.batch_get(keys, Read::Consistent),
            connections.all(tenant),
        )?;
        let actions = whole.session.named(ids)?;
        let alert = key::alert(tenant, whole.session.alert_id);
        let effects = effects(&whole.session, &actions);
        let guards: Vec<Key<EffectGuard>> = effects
            .iter()
            .map(|effect| key::effect_guard(tenant, effect))
            .collect();
        let keys = guards.iter().map(AnyKey::from).chain([(&alert).into()]);
        let around = self.0.table.batch_get(keys, Read::Consistent).await?;
        let mut claimed = Vec::new();
        for guard in &guards {
            let guard: Option<Stored<EffectGuard>> = around.get(guard)?;
            claimed.extend(guard.map(|guard| guard.record));
        }
        let before = actions.iter().flat_map(|action| &action.approvals);
        let alert: Option<Alert> = around.named(&alert).map(|alert| alert.record);
        Ok(Previewed {
            context: SessionContext {
                policy: policy_in(&batch, tenant)?.record,
                approvers: self.approvers(tenant, before).await?,
                is_resolved: alert
                    .as_ref()
                    .is_some_and(|alert| alert.status == AlertStatus::Resolved),
            },
            is_paused: is_paused(&batch, tenant)?,
            connections: connections.into_iter().map(|one| one.record).collect(),
            alert,
            held: self.held(claimed, at).await?,
            whole,
            at,
        })
    }

    /// Returns the effects that are still held, by the records of the actions that claimed them.
    async fn held(
        &self,
        claimed: Vec<EffectGuard>,
        now: Timestamp,
    ) -> Result<Vec<(EffectGuard, HeldEffect)>, Error> {
        if claimed.is_empty() {
            return Ok(Vec::new());
        }
        let keys = claimed
            .iter()
            .map(|guard| AnyKey::from(key::agent_action(&guard.by)));
        let owners = self.0.table.batch_get(keys, Read::Consistent).await?;
        let held = claimed.into_iter().filter_map(|guard| {
            let owner = owners.named(&key::agent_action(&guard.by));
            let held = HeldEffect::of(&guard, owner.as_ref().map(|owner| &owner.record), now)?;
            Some((guard, held))
        });
        Ok(held.collect())
    }
}

/// Returns the effects of actions and those that exclude them, without repeats.
fn effects(session: &AgentSession, actions: &[&ProposedAction]) -> Vec<TargetEffect> {
    let all = actions
        .iter()
        .flat_map(|action| action.content.effects().chain(session.rivals(action)));
    let distinct: HashSet<TargetEffect> = all.collect();
    distinct.into_iter().collect()
}
