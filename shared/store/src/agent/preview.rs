//! What a preview of proposed actions is made of. Nothing is written for one.

use std::collections::HashSet;

use model::{
    AgentPolicy, AgentSession, AgentSessionId, Connection, EffectGuard, Error, HeldEffect, Id,
    OrganizationId, ProposedAction, Signal, TargetEffect, Timestamp,
};

use super::{Agent, SessionWithActions, is_paused, policy::policy_in};
use crate::{
    Permit,
    key::{self, AnyKey, Key},
    table::{Read, Stored},
};

/// A session, and what else its proposed actions are judged by.
#[derive(Clone, Debug)]
pub struct Previewed {
    /// The session with its approved actions.
    pub whole: SessionWithActions,
    /// The organization's policy.
    pub policy: AgentPolicy,
    /// The organization's connections.
    pub connections: Vec<Connection>,
    /// Whether nothing is sent for the organization.
    pub is_paused: bool,
    /// The session's signal; none for one that does not read.
    pub signal: Option<Signal>,
    /// Effects that are held, of those that the actions have or must not meet.
    held: Vec<(EffectGuard, HeldEffect)>,
    /// When it was read.
    pub at: Timestamp,
}

impl Previewed {
    /// Effects that other actions hold, and that so keep this one from being run.
    pub fn held_against(&self, action: &ProposedAction) -> impl Iterator<Item = &HeldEffect> {
        let session = &self.whole.session;
        let effects = action.effects().chain(session.rivals(action));
        let effects: Vec<TargetEffect> = effects.collect();
        let others = self.held.iter().filter(move |(guard, _)| {
            let is_own = guard.session_id == session.id && guard.action_id == action.id;
            !is_own && effects.contains(&guard.effect)
        });
        others.map(|(_, held)| held)
    }
}

impl Agent<'_> {
    /// What a preview of these actions is made of. 404 when the session is not the tenant's, else as
    /// [`AgentSession::named`] says. The same request again is another preview, since one changes
    /// nothing.
    pub async fn to_preview(
        &self,
        permit: impl Into<Permit>,
        id: AgentSessionId,
        ids: &[String],
    ) -> Result<Previewed, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let first = async |permit: Permit| {
            let (given, found) = permit.beside(self.previewed(tenant, id, ids)).await?;
            let made = Some(id.get());
            let done = self.0.commit(&given, Vec::new(), made).await?;
            done.map_err(|_| Error::contended())?;
            Ok(found)
        };
        let again = async |_| self.previewed(tenant, id, ids).await;
        permit.once(first, again).await
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
        let signal = key::signal(tenant, whole.session.alert_id);
        let effects = effects(&whole.session, &actions);
        let guards: Vec<Key<EffectGuard>> = effects
            .iter()
            .map(|effect| key::effect_guard(tenant, effect))
            .collect();
        let keys = guards.iter().map(AnyKey::from).chain([(&signal).into()]);
        let around = self.0.table.batch_get(keys, Read::Consistent).await?;
        let mut claimed = Vec::new();
        for guard in &guards {
            let guard: Option<Stored<EffectGuard>> = around.get(guard)?;
            claimed.extend(guard.map(|guard| guard.record));
        }
        Ok(Previewed {
            policy: policy_in(&batch, tenant)?.record,
            is_paused: is_paused(&batch, tenant)?,
            connections: connections.into_iter().map(|one| one.record).collect(),
            signal: around.named(&signal).map(|signal| signal.record),
            held: self.held(claimed, at).await?,
            whole,
            at,
        })
    }

    /// Those of these effects that are still held, by the records of the actions that claimed them.
    async fn held(
        &self,
        claimed: Vec<EffectGuard>,
        now: Timestamp,
    ) -> Result<Vec<(EffectGuard, HeldEffect)>, Error> {
        if claimed.is_empty() {
            return Ok(Vec::new());
        }
        let key = |guard: &EffectGuard| {
            key::agent_action(guard.organization_id, guard.session_id, &guard.action_id)
        };
        let keys = claimed.iter().map(|guard| AnyKey::from(key(guard)));
        let owners = self.0.table.batch_get(keys, Read::Consistent).await?;
        let held = claimed.into_iter().filter_map(|guard| {
            let owner = owners.named(&key(&guard));
            let held = HeldEffect::of(&guard, owner.as_ref().map(|owner| &owner.record), now)?;
            Some((guard, held))
        });
        Ok(held.collect())
    }
}

/// The effects that actions have, and those that exclude them, each once.
fn effects(session: &AgentSession, actions: &[&ProposedAction]) -> Vec<TargetEffect> {
    let all = actions
        .iter()
        .flat_map(|action| action.effects().chain(session.rivals(action)));
    let distinct: HashSet<TargetEffect> = all.collect();
    distinct.into_iter().collect()
}
