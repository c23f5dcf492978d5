//! An organization's policy, and what was claimed of a day that it caps.

use model::{
    AgentPolicy, Approver, Approving, Charge, Error, OrganizationId, PolicySet, Role, Timestamp,
    User,
};
use serde::{Deserialize, Serialize};

use super::{Agent, SessionWithActions};
use crate::{
    Given, Permit,
    key::{self, AnyKey, Key},
    table::{Batch, Change, Condition, IntoAttribute, Read, Record, Stored, Write},
};

/// How long the count of a day is kept, in milliseconds.
const KEPT: i64 = 8 * model::span::DAY;

/// How many actions were claimed on the day.
const ACTIONS: &str = "actions";

impl Record for AgentPolicy {
    const KIND: &'static str = "agent_policy";

    fn key(&self) -> Key<Self> {
        key::agent_policy(self.organization_id)
    }
}

/// What was claimed on a day (UTC) on which the policy caps something: a number of actions, and of
/// money by currency.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentDay {}

/// What an approval is judged by, as the table has it.
#[derive(Clone, Debug)]
pub(super) struct Approvable {
    pub(super) whole: SessionWithActions,
    policy: AgentPolicy,
    role: Option<Role>,
}

impl Approvable {
    /// Who approves, and under which policy.
    pub(super) fn approver(&self) -> Approver<'_> {
        Approver {
            role: self.role,
            policy: &self.policy,
        }
    }
}

/// The policy among what was read; that of version 0 is none.
pub(super) fn policy_in(
    batch: &Batch,
    tenant: OrganizationId,
) -> Result<Stored<AgentPolicy>, Error> {
    let found = batch.get(&key::agent_policy(tenant))?;
    Ok(found.unwrap_or_else(|| none(tenant)))
}

/// The policy of an organization that has set none.
fn none(tenant: OrganizationId) -> Stored<AgentPolicy> {
    Stored {
        record: AgentPolicy::none(tenant),
        version: 0,
    }
}

impl Agent<'_> {
    /// The organization's policy; that of version 0 is none.
    pub async fn policy(&self, tenant: OrganizationId) -> Result<Stored<AgentPolicy>, Error> {
        let key = key::agent_policy(tenant);
        let found = self.0.table.get(&key, Read::Consistent).await?;
        Ok(found.unwrap_or_else(|| none(tenant)))
    }

    /// Changes the organization's policy. 412 when it is not the version that the request expects,
    /// of which 0 is that of none.
    pub async fn set_policy(
        &self,
        permit: impl Into<Permit>,
        set: &PolicySet,
    ) -> Result<Stored<AgentPolicy>, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let read = || self.policy(tenant);
        let write = |given: Given, found: Stored<AgentPolicy>| async move {
            let mut policy = given.current(Some(found), "policy")?;
            set.apply(&mut policy);
            policy.updated_by = given.actor();
            policy.updated_at = Some(self.0.clock.now());
            let write = match policy.version {
                0 => Write::create(&policy.record)?,
                _ => Write::replace(&policy)?,
            };
            let done = self.0.table.write(write).await?;
            Ok(done.is_ok().then(|| policy.replaced()))
        };
        permit.rewrite(read, write).await
    }

    /// A session with what an approval of its actions is judged by.
    pub(super) async fn approvable(
        &self,
        tenant: OrganizationId,
        id: model::AgentSessionId,
        approving: &Approving<'_>,
    ) -> Result<Approvable, Error> {
        let user = key::user(tenant, approving.by);
        let keys = [AnyKey::from(key::agent_policy(tenant)), AnyKey::from(&user)];
        let (whole, batch) = tokio::try_join!(
            self.get(tenant, id),
            self.0.table.batch_get(keys, Read::Consistent),
        )?;
        Ok(Approvable {
            whole,
            policy: policy_in(&batch, tenant)?.record,
            role: batch.named(&user).map(|user: Stored<User>| user.role),
        })
    }
}

/// Takes what an action needs of its day, in the transaction that claims it; refused when there is no
/// room for it. Where there are caps, the organization's claims wait for each other here.
pub(super) fn takes(tenant: OrganizationId, day: Timestamp, charge: &Charge) -> Write {
    let below = "(attribute_not_exists(#) OR # <= :)";
    let mut room = Condition::default();
    if let Some(others) = charge.others {
        room = room.and(below, ACTIONS, [others.into_attribute()]);
    }
    let mut taken = Change::default().add(ACTIONS, 1);
    if let Some((money, others)) = &charge.money {
        room = room.and(below, &money.currency, [others.into_attribute()]);
        taken = taken.add(&money.currency, money.minor_units);
    }
    let expires = day.plus(KEPT).epoch_seconds();
    let taken = taken.set("expiresAt", expires);
    Write::update(key::agent_day(tenant, day), taken, room)
}
