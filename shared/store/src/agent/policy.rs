//! An organization's policy, and the counts of its daily caps.

use std::collections::BTreeSet;

use agent::{
    action::ActionApproval,
    policy::{AgentPolicy, Approvers, Charge, PolicyChange, PolicySet},
    session::{Approver, Approving},
};
use model::{
    base::{Code, Error, Id, RecordType, Timestamp, UserId},
    people::{
        EntryContent, EntryCredential, Held, OrganizationEvent, SignInMethod, SignInProvider, User,
    },
};
use table::{AnyKey, Batch, Condition, Key, OrLeave, OrNotFound, Stored, UpdateExpression, Write};

use crate::{
    Result, Tenant,
    base::{
        Pending, WriteContext,
        record::{any_keys, record},
        writes::Writes,
    },
    key::{self, Keyed},
};

use super::{Agent, SessionWithActions};

/// Retention of a day's counts, in milliseconds.
const KEPT: i64 = 8 * model::base::span::DAY;

const ACTIONS: &str = "actions";

const MESSAGES: &str = "messages";

record! {
    policy: AgentPolicy = RecordType::AgentPolicy.name(),
    key: key::agent_policy(policy.organization_id),
    hidden: ["organizationId"],
}

#[derive(Clone, Debug)]
pub(super) struct Approvable {
    pub(super) whole: SessionWithActions,
    policy: AgentPolicy,
    user: User,
    provider: Option<Stored<SignInProvider>>,
    others: Approvers,
}

impl Approvable {
    /// The approver by a credential. 403 for a session by a provider that the organization has no
    /// more.
    pub(super) fn approver(
        &self,
        credential: Option<&EntryCredential>,
        now: Timestamp,
    ) -> Result<Approver<'_>> {
        let method = credential.and_then(|credential| credential.method);
        let provider_set_by = match &self.provider {
            _ if method != Some(SignInMethod::Oidc) => None,
            Some(provider) => provider.set_lately_by(now),
            None => {
                let detail = "The provider by which you signed in was removed. Sign in again.";
                return Err(Error::forbidden(Code::SignInAgain, detail));
            }
        };
        Ok(Approver {
            user: &self.user,
            policy: &self.policy,
            others: &self.others,
            provider_set_by: provider_set_by.filter(|by| *by != self.user.id),
        })
    }
}

/// Returns the policy in a batch that is in force at `now`.
pub(crate) fn policy_in(batch: &Batch, tenant: Tenant, now: Timestamp) -> Result<AgentPolicy> {
    let policy = batch.get(&key::agent_policy(tenant))?;
    Ok(policy
        .unwrap_or_else(|| none(tenant))
        .record
        .in_force(now))
}

/// Returns the policy of an organization that has set none.
fn none(tenant: Tenant) -> Stored<AgentPolicy> {
    Stored::unwritten(AgentPolicy::none(tenant))
}

impl Agent<'_> {
    /// Returns the organization's policy in force; version 0 if there is none.
    pub async fn policy(&self, tenant: Tenant) -> Result<Stored<AgentPolicy>> {
        let policy = self
            .0
            .read(&key::agent_policy(tenant))
            .await?;
        let policy = policy.unwrap_or_else(|| none(tenant));
        self.put_in_force(&policy).await
    }

    /// Writes that a looser policy is in force, with its entry in the organization's journal, once
    /// its time has come. Returns the policy in force. A concurrent write leaves that to the next
    /// reader.
    pub(super) async fn put_in_force(
        &self,
        policy: &Stored<AgentPolicy>,
    ) -> Result<Stored<AgentPolicy>> {
        let now = self.0.now();
        let mut after = policy.clone();
        if !policy.is_due(now) {
            return Ok(after);
        }
        after.record = after.record.in_force(now);
        let event = OrganizationEvent::PolicySet;
        let entry = EntryContent::changed(event, &policy.record, &after.record);
        let context = WriteContext::from(policy.organization_id);
        let writes = vec![Write::replace(&after)?];
        let done = self
            .0
            .transact(&context, writes, entry.as_slice())
            .await?;
        done.or_leave();
        Ok(after.replaced())
    }

    /// Changes the organization's policy on behalf of one with the permissions `by`. Looser terms
    /// wait for another admin, or for a day. 412 unless it has the expected version; 0 stands for
    /// none. 403 if the change guards the organization, and `by` does not meet its demand. 403 for
    /// a fresh user who confirms looser terms.
    pub async fn set_policy<H: Future<Output = Result<Held>>>(
        &self,
        pending: impl Pending,
        by: impl Fn() -> H,
        set: &PolicySet,
    ) -> Result<Stored<AgentPolicy>> {
        let (pending, tenant) = pending.with_tenant();
        let key = key::agent_policy(tenant);
        let read = || async { tokio::try_join!(self.0.with_head(&key, tenant), by()) };
        let write = async |context: WriteContext, ((policy, head), by): ((Option<_>, _), Held)| {
            let context = context.with_head(head);
            let policy = policy.unwrap_or_else(|| none(tenant));
            let now = self.0.now();
            if policy.is_due(now) {
                self.put_in_force(&policy).await?;
                return Ok(None);
            }
            let before = context.current(Some(policy), "policy")?;
            let mut wanted = before.record.clone();
            set.apply(&mut wanted);
            let context = context.demanding(wanted.demand_after(&before), &by)?;
            let Some(user) = context.actor else {
                return Err(Error::internal("setting a policy", "no user sets it"));
            };
            let mut after = before.clone();
            if after.change(set, user, now) == PolicyChange::Confirms {
                self.check_confirmation(&context, &before, user)
                    .await?;
            }
            let event = OrganizationEvent::PolicySet;
            let entry = EntryContent::changed(event, &before.record, &after.record);
            let writes = Writes::default().noting(entry);
            self.0
                .commit_change(&context, before, after, writes)
                .await
        };
        self.0
            .write(pending, read, write)
            .await?
            .not_replayed()
    }

    /// Checks that a user may confirm the pending policy. 403 for a fresh user, and for a session
    /// by a provider of the requester, set within a day.
    async fn check_confirmation(
        &self,
        context: &WriteContext,
        policy: &AgentPolicy,
        user: UserId,
    ) -> Result<()> {
        let tenant = context.tenant;
        let now = self.0.now();
        let user = user.key(tenant);
        let provider = key::sign_in_provider(tenant);
        let batch = self
            .0
            .batch(any_keys![&user, &provider])
            .await?;
        let provider: Option<Stored<SignInProvider>> = batch.get(&provider)?;
        let user = batch
            .get(&user)?
            .or_not_found(UserId::NOUN)?
            .record;
        let method = context
            .credential
            .as_ref()
            .and_then(|credential| credential.method);
        let chosen_by = provider
            .as_ref()
            .filter(|_| method == Some(SignInMethod::Oidc))
            .and_then(|provider| provider.set_lately_by(now));
        let user = user.under(provider.as_deref());
        let is_fresh = user
            .fresh_until()
            .is_some_and(|until| now < until);
        let Some(pending) = policy.pending.as_ref() else {
            return Ok(());
        };
        if !is_fresh && chosen_by != Some(pending.by) {
            return Ok(());
        }
        let at = pending.applies_at;
        let detail = format!(
            "Another user made or changed your access within a day, so that you confirm no looser policy. \
             It is in force from {at} on, or once another admin confirms it."
        );
        Err(Error::forbidden(Code::ApproverNotAllowed, detail))
    }

    pub(super) async fn approvable(
        &self,
        tenant: Tenant,
        id: model::base::AgentSessionId,
        approving: &Approving<'_>,
    ) -> Result<Approvable> {
        let user = approving.by.key(tenant);
        let provider = key::sign_in_provider(tenant);
        let keys = any_keys![key::agent_policy(tenant), &user, &provider];
        let (whole, batch) = tokio::try_join!(self.get(tenant, id), self.0.batch(keys))?;
        let named = approving.ids.iter();
        let named = named.filter_map(|id| whole.session.plan.proposed(id));
        let before = named.flat_map(|action| &action.approvals);
        let others = self.approvers(tenant, before).await?;
        let provider = batch.get(&provider)?;
        let user = batch
            .get(&user)?
            .or_not_found(UserId::NOUN)?
            .record;
        Ok(Approvable {
            others,
            whole,
            policy: policy_in(&batch, tenant, self.0.now())?,
            user: user.under(provider.as_deref()),
            provider,
        })
    }

    /// Returns those of the users who gave these approvals who still may.
    pub(super) async fn approvers<'b>(
        &self,
        tenant: Tenant,
        approvals: impl Iterator<Item = &'b ActionApproval>,
    ) -> Result<Approvers> {
        let users = users_of(tenant, approvals);
        if users.is_empty() {
            return Ok(Approvers::of([]));
        }
        let keys = users.iter().map(AnyKey::from);
        let keys = keys.chain([AnyKey::from(key::sign_in_provider(tenant))]);
        Ok(approvers_in(&self.0.batch(keys).await?, tenant, &users))
    }
}

pub(super) fn users_of<'b>(
    tenant: Tenant,
    approvals: impl IntoIterator<Item = &'b ActionApproval>,
) -> Vec<Key<User>> {
    let users = approvals
        .into_iter()
        .map(|approval| approval.user_id);
    let users: BTreeSet<UserId> = users.collect();
    users
        .iter()
        .map(|id| id.key(tenant))
        .collect()
}

/// Returns those users in a batch who may approve. The batch has the organization's provider, too.
pub(super) fn approvers_in(batch: &Batch, tenant: Tenant, keys: &[Key<User>]) -> Approvers {
    let provider = batch.named(&key::sign_in_provider(tenant));
    let users = keys
        .iter()
        .filter_map(|key| batch.named(key));
    let users = users.map(|user| user.record.under(provider.as_deref()));
    let users: Vec<User> = users.collect();
    Approvers::of(&users)
}

/// Returns the writes that charge an action to the daily caps, in the transaction of its claim.
/// They are refused when a cap is reached. With caps, concurrent claims of an organization conflict
/// here.
pub(super) fn takes(tenant: Tenant, day: Timestamp, charge: &Charge) -> Vec<Write> {
    let mut room = Condition::default();
    if let Some(others) = charge.others {
        room = room.absent_or(ACTIONS, "# <= :", others);
    }
    let mut taken = UpdateExpression::default().add(ACTIONS, 1);
    if let Some((money, others)) = &charge.money {
        room = room.absent_or(&money.currency, "# <= :", *others);
        taken = taken.add(&money.currency, money.minor_units);
    }
    let expires = day.plus(KEPT).epoch_seconds();
    let taken = taken.set("expiresAt", expires);
    let of_day = Write::update(key::agent_day(tenant, day), taken, room);
    let of_customer = charge
        .message
        .as_ref()
        .map(|(customer, others)| {
            let room = Condition::default().absent_or(MESSAGES, "# <= :", *others);
            let sent = UpdateExpression::default()
                .add(MESSAGES, 1)
                .set("expiresAt", expires);
            Write::update(key::messages_of_day(tenant, day, customer), sent, room)
        });
    std::iter::once(of_day)
        .chain(of_customer)
        .collect()
}
