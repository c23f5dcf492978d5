//! A worker's claim of an action and of its records.

use std::collections::BTreeSet;

use agent::{
    action::{ActionContent, ActionKey, AgentAction, OtherClaim, RecordGuard},
    connection::{Admission, AdmissionRequest, AgentPause, Connection},
    journal::JournalEntry,
    policy::{AgentPolicy, Approvers},
    transition::{ActionCommand, Called, Claim, ClaimContext, decide_action, decide_claim},
};
use model::base::{Error, Stopwatch, Timestamp, random};
use table::{AnyKey, Batch, Key, OrLeave, Stored, Write};

use crate::{
    Result, Tenant,
    agent::connections::{Traffic, name_at_work},
    base::{record::record, records::Stack, retry::try_retry},
    key::{self, Keyed},
};

use super::{
    Agent, PAUSED, is_paused, pauses,
    policy::{approvers_in, policy_in, takes, users_of},
    transition,
};

/// An action that a worker holds.
#[derive(Clone, Debug)]
pub struct HeldAction {
    pub action: Box<AgentAction>,
    pub connection: Box<Connection>,
    /// True if the connection recently gave unclear answers.
    pub is_troubled: bool,
    /// The earliest begin of its first call.
    pub begins: Timestamp,
    pub read_connections: Vec<Connection>,
    /// Measures the lease from the first read of the claim, so that reads and writes count.
    pub since: Stopwatch,
}

record! {
    guard: RecordGuard = "effect_guard",
    key: key::record_guard(guard.organization_id, &guard.record),
}

record! { _stack: Stack = "stack", key: key::stack(), }

/// The claim context, as read.
#[derive(Clone, Debug)]
struct Found {
    /// The instant of the read, used by all rules.
    at: Timestamp,
    /// Runs since then.
    since: Stopwatch,
    action: Stored<AgentAction>,
    /// The instant at which its session was opened.
    opened_at: Timestamp,
    context: ClaimContext,
    /// Its connection; none if it was deleted.
    connection: Option<Connection>,
    /// The breaker and limits of the connection.
    traffic: Option<Traffic>,
    read_connections: Vec<Connection>,
    records: Vec<(String, Option<Stored<RecordGuard>>)>,
}

impl Agent<'_> {
    /// Claims an action for `lease` milliseconds, if it can run.
    ///
    /// The write expects the action and the guards of its records as read. The session is read but
    /// not expected. A cancellation writes every action that has not ended, so one of a claim and a
    /// cancellation always sees the other. The state of breakers and limits is written earlier and
    /// separately: all actions of a connection share that item, so no transaction includes it.
    pub async fn claim(&self, action: &ActionKey, lease: i64) -> Result<Claim<HeldAction>> {
        let tenant = action.organization_id;
        let read = || self.found(action);
        let claimed = try_retry(read().await?, read, async |mut candidate: Found| {
            let before = candidate.action.clone();
            let at = candidate.at;
            let decision = decide_claim(&mut candidate.action, &candidate.context, lease, at);
            match decision.claim {
                Claim::Held(()) => {}
                Claim::Over => return Ok(Some(Claim::Over)),
                Claim::Busy => return Ok(Some(Claim::Busy)),
                Claim::Ended(outcome) => {
                    let ended = Claim::Ended(outcome);
                    return self
                        .write_instead(&candidate.action, &decision.entries, ended)
                        .await;
                }
                Claim::Deferred => {
                    return self
                        .write_instead(&candidate.action, &[], Claim::Deferred)
                        .await;
                }
                Claim::Slot(slot) => {
                    return self
                        .write_instead(&candidate.action, &[], Claim::Slot(slot))
                        .await;
                }
            }
            let begins = match self
                .admitted(&candidate, &before, lease)
                .await?
            {
                Admission::From(begins) => begins,
                Admission::Slot(slot) => {
                    let wait = ActionCommand::WaitForSlot(slot);
                    return self
                        .decide_instead(before, wait, at, |_| Claim::Slot(slot))
                        .await;
                }
                Admission::Deferred(until) => {
                    let defer = ActionCommand::Defer(until.min(at.plus(PAUSED)));
                    return self
                        .decide_instead(before, defer, at, |_| Claim::Deferred)
                        .await;
                }
            };
            let mut writes = vec![Write::replace(&candidate.action)?];
            writes.extend(transition::entries(&decision.entries)?);
            writes.extend(candidate.guards()?);
            let day = writes.len();
            writes.extend(
                decision
                    .charge
                    .iter()
                    .flat_map(|charge| takes(tenant, at, charge)),
            );
            let held = candidate.held(begins)?;
            match self.0.table.transact(writes).await? {
                Ok(()) => Ok(Some(Claim::Held(held))),
                Err(refused)
                    if (day..)
                        .take(2)
                        .any(|cap| refused.only_at(cap)) =>
                {
                    self.0
                        .connections()
                        .ends(&held.connection, &before)
                        .await?;
                    let ended = |action: &AgentAction| Claim::Ended(action.state);
                    self.decide_instead(before, ActionCommand::EndByCap, at, ended)
                        .await
                }
                // Another caller claimed it or one of its records, or the session was cancelled.
                Err(_) => Ok(None),
            }
        });
        // The future is large.
        Ok(Box::pin(claimed)
            .await?
            .unwrap_or(Claim::Busy))
    }

    /// Decides on a command in place of a claim, and writes the action. None if another caller
    /// wrote it meanwhile.
    async fn decide_instead(
        &self,
        mut action: Stored<AgentAction>,
        command: ActionCommand<'_>,
        now: Timestamp,
        claim: impl Fn(&AgentAction) -> Claim<HeldAction>,
    ) -> Result<Option<Claim<HeldAction>>> {
        let noted = decide_action(command, &mut action, now).unwrap_or_default();
        let claim = claim(&action);
        self.write_instead(&action, &noted, claim)
            .await
    }

    /// Writes an action that was not claimed. None if another caller wrote it meanwhile.
    async fn write_instead(
        &self,
        action: &Stored<AgentAction>,
        noted: &[JournalEntry],
        claim: Claim<HeldAction>,
    ) -> Result<Option<Claim<HeldAction>>> {
        let is_written = self.write_action(action, noted).await?;
        Ok(is_written.then_some(claim))
    }

    /// Returns whether the action, as it was before the claim, may start work, and when.
    async fn admitted(
        &self,
        candidate: &Found,
        action: &AgentAction,
        lease: i64,
    ) -> Result<Admission> {
        let (Some(connection), Some(traffic)) = (&candidate.connection, &candidate.traffic) else {
            return Ok(Admission::From(candidate.at));
        };
        let request = AdmissionRequest {
            action: &name_at_work(action),
            lease,
            calls: action.calls_ahead(),
            slot: action.schedule.slot,
            now: candidate.at,
        };
        let connections = self.0.connections();
        let traffic = traffic.clone();
        connections
            .admits(connection, request, traffic)
            .await
    }

    async fn found(&self, action: &ActionKey) -> Result<Found> {
        let since = Stopwatch::start();
        let at = self.0.now();
        let tenant = action.organization_id;
        let session_key = key::agent_session(tenant, action.session_id);
        let action_key = key::agent_action(action);
        let policy_key = key::agent_policy(tenant);
        let mut keys: Vec<AnyKey> = vec![(&session_key).into(), (&action_key).into()];
        keys.push(policy_key.into());
        if self.0.stack.get().is_none() {
            keys.push(key::stack().into());
        }
        let batch = self.0.batch(keys).await?;
        let session_and_action = batch
            .get(&session_key)?
            .zip(batch.get(&action_key)?);
        let Some((session, action)) = session_and_action else {
            let source = "the session or the action does not exist";
            return Err(Error::internal("claiming an action", source));
        };
        let policy: Option<Stored<AgentPolicy>> = batch.get(&key::agent_policy(tenant))?;
        if let Some(policy) = policy.filter(|policy| policy.is_due(at)) {
            self.put_in_force(&policy).await?;
        }
        let mut candidate = Found {
            at,
            since,
            context: ClaimContext {
                session: session.status,
                connection: None,
                deferred_until: None,
                stack: self.stack(&batch).await?,
                before: Vec::new(),
                unless: Vec::new(),
                tries: Vec::new(),
                held: Vec::new(),
                policy: policy_in(&batch, tenant, at)?,
                approvers: Approvers::default(),
                proposers: session.proposers(&action.key.action_id),
                is_resolved: false,
                restored: None,
            },
            opened_at: session.times.created_at,
            connection: None,
            traffic: None,
            read_connections: Vec::new(),
            records: Vec::new(),
            action,
        };
        if !candidate.action.state.has_ended() && !candidate.action.is_held(at) {
            self.read_context(&mut candidate)
                .await?;
        }
        Ok(candidate)
    }

    /// Reads the action's connection, pauses, predecessors, and the claims of its records.
    async fn read_context(&self, candidate: &mut Found) -> Result<()> {
        let action = &candidate.action;
        let tenant = action.key.organization_id;
        let content = &action.content;
        let guards = GuardKeys::of(tenant, content);
        let others_of = |ids: &[String]| -> Vec<Key<AgentAction>> {
            let others = ids.iter().map(|id| ActionKey {
                action_id: id.clone(),
                ..action.key.clone()
            });
            others
                .map(|key| key::agent_action(&key))
                .collect()
        };
        let before = others_of(&action.round.after);
        let unless = others_of(&action.round.unless);
        let system = &content.target_system;
        let connection = key::connection(tenant, system);
        let traffic = key::connection_traffic(tenant, system);
        let mut reads = action.required_reads();
        reads.extend(action.doubt_reads());
        let others: BTreeSet<&str> = reads
            .iter()
            .map(|read| &*read.connection)
            .collect();
        let others = others
            .into_iter()
            .filter(|name| name != system);
        let others: Vec<_> = others
            .map(|name| key::connection(tenant, name))
            .collect();
        let users = users_of(tenant, &action.round.current_approvals());
        let alert = action.alert_id.key(tenant);
        let mut keys: Vec<AnyKey> = guards
            .all()
            .chain(pauses(tenant))
            .collect();
        keys.extend([(&connection).into(), (&traffic).into(), (&alert).into()]);
        keys.extend(
            before
                .iter()
                .chain(&unless)
                .map(AnyKey::from),
        );
        keys.extend(others.iter().map(AnyKey::from));
        keys.extend(users.iter().map(AnyKey::from));
        keys.push(key::sign_in_provider(tenant).into());
        let batch = self.0.batch(keys).await?;
        candidate.connection = batch
            .get(&connection)?
            .map(|stored| stored.record);
        let connection = candidate.connection.as_ref();
        candidate.traffic = connection.map(|connection| Traffic::in_batch(connection, &batch));
        let others = others
            .iter()
            .filter_map(|key| batch.named(key));
        candidate.read_connections = others
            .map(|stored| stored.record)
            .collect();
        let mut called = connection
            .into_iter()
            .chain(&candidate.read_connections);
        let is_paused = is_paused(&batch, tenant)? || called.any(|connection| connection.paused);
        let claim = &mut candidate.context;
        claim.deferred_until = is_paused.then(|| candidate.at.plus(PAUSED));
        claim.connection = connection.map(Called::of);
        let pause: Option<Stored<AgentPause>> = batch.get(&key::agent_pause(tenant))?;
        let restored = pause.and_then(|pause| pause.restored);
        claim.restored = restored.filter(|restored| candidate.opened_at <= restored.at);
        if claim.restored.is_some() {
            // Other reads may show its effect then.
            let mut in_doubt = action.record.clone();
            in_doubt.progress.restored = claim.restored;
            let reads = in_doubt.doubt_reads();
            let names = reads
                .iter()
                .map(|read| &read.connection);
            let keys: Vec<_> = names
                .map(|name| key::connection(tenant, name))
                .collect();
            let more = self.0.batch(&keys).await?;
            let more = keys
                .iter()
                .filter_map(|key| more.named(key));
            let more = more.map(|stored| stored.record);
            candidate.read_connections.extend(more);
        }
        claim.approvers = approvers_in(&batch, tenant, &users);
        // An unreadable alert counts as open.
        let alert = batch.named(&alert);
        claim.is_resolved = alert.is_some_and(|alert| alert.stops_actions());
        // An unreadable predecessor has an unknown state.
        let state_of = |key: &Key<AgentAction>| {
            batch
                .named(key)
                .map(|action| action.state)
        };
        claim.before = before.iter().map(state_of).collect();
        claim.unless = unless.iter().map(state_of).collect();
        let mut claims = guards.others(&batch, (&action.key, content), candidate.at)?;
        self.read_owners(claims.iter_mut().collect())
            .await?;
        let owners = claims
            .iter()
            .filter_map(|claim| claim.owner.as_ref());
        let deniers = owners.filter_map(AgentAction::denied_by);
        claim.proposers.extend(deniers);
        let is_successor = |claim: &OtherClaim| {
            claim.by.session_id == action.key.session_id
                && action
                    .round
                    .after
                    .contains(&claim.by.action_id)
        };
        let held = claims.iter();
        let held = held.filter_map(|claim| claim.held(content, is_successor(claim), candidate.at));
        claim.held = held.collect();
        let tries_of = |record: &String| -> Vec<Timestamp> {
            let own = claims
                .iter()
                .filter(|claim| claim.record == *record);
            own.flat_map(|claim| claim.tries(content))
                .collect()
        };
        claim.tries = content
            .records
            .iter()
            .map(tries_of)
            .collect();
        let records = content
            .records
            .iter()
            .cloned()
            .zip(&guards.records);
        let records = records.map(|(record, key)| Ok((record, batch.get(key)?)));
        candidate.records = records.collect::<Result<_>>()?;
        Ok(())
    }

    /// Reads the records of the actions that made claims, with one batch.
    pub(super) async fn read_owners(&self, claims: Vec<&mut OtherClaim>) -> Result<()> {
        let keys = claims
            .iter()
            .map(|claim| key::agent_action(&claim.by));
        let owners = self.0.batch(keys).await?;
        for claim in claims {
            let owner = owners.named(&key::agent_action(&claim.by));
            claim.owner = owner.map(|owner| owner.record);
        }
        Ok(())
    }

    /// Returns the stack's name: the known one, or that of a batch. The first call creates it.
    pub(super) async fn stack(&self, batch: &Batch) -> Result<String> {
        if let Some(name) = self.0.stack.get() {
            return Ok(name.to_owned());
        }
        let (mut stack, table) = (batch.get(&key::stack())?, self.0.table.name());
        while stack
            .as_ref()
            .is_none_or(|stack| stack.table != table)
        {
            let made = Stack {
                name: random::token(),
                table: table.to_owned(),
                restored_to: None,
            };
            let write = Write::create_or_replace(stack, made)?;
            // A refused write means that another caller created one.
            self.0
                .table
                .write(write)
                .await?
                .or_leave();
            stack = self.0.read(&key::stack()).await?;
        }
        let name = stack
            .map(|stack| stack.record.name)
            .unwrap_or_default();
        Ok(self
            .0
            .stack
            .get_or_init(|| name)
            .clone())
    }
}

/// The keys of the guards of an action's records.
#[derive(Debug)]
pub(super) struct GuardKeys {
    records: Vec<Key<RecordGuard>>,
    earlier: Option<Key<RecordGuard>>,
}

impl GuardKeys {
    pub(super) fn of(tenant: Tenant, content: &ActionContent) -> Self {
        let records = content.records.iter();
        let records = records.map(|record| key::record_guard(tenant, record));
        Self {
            records: records.collect(),
            earlier: key::earlier_guard(tenant, content),
        }
    }

    /// Returns the claims by others of an action's records, as the guards in a batch name them.
    pub(super) fn others(
        &self,
        batch: &Batch,
        (own, content): (&ActionKey, &ActionContent),
        now: Timestamp,
    ) -> Result<Vec<OtherClaim>> {
        let mut claims = Vec::new();
        let earlier = content
            .records
            .first()
            .zip(self.earlier.as_ref());
        let records = content
            .records
            .iter()
            .zip(&self.records);
        for (record, key) in records.chain(earlier) {
            if let Some(guard) = batch.get(key)? {
                claims.extend(guard.others(record, own, content, now));
            }
        }
        Ok(claims)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = AnyKey> {
        self.records
            .iter()
            .chain(&self.earlier)
            .map(AnyKey::from)
    }
}

impl Found {
    fn held(self, begins: Timestamp) -> Result<HeldAction> {
        let connection = self.connection.ok_or_else(|| {
            Error::internal("claiming an action", "a claimed action has no connection")
        })?;
        let traffic = self
            .traffic
            .map(|traffic| traffic.known);
        Ok(HeldAction {
            action: Box::new(self.action.record),
            is_troubled: traffic.is_some_and(|traffic| traffic.is_troubled(&connection)),
            connection: Box::new(connection),
            begins,
            read_connections: self.read_connections,
            since: self.since,
        })
    }

    /// Returns the writes that claim the action's records.
    fn guards(&self) -> Result<Vec<Write>> {
        let records = self
            .records
            .iter()
            .map(|(record, guard)| {
                let before = guard
                    .as_ref()
                    .map(|guard| &guard.record);
                let by = (&self.action.key, &self.action.content);
                let claimed = RecordGuard::claimed(before, record, by, self.at);
                Write::create_or_replace(guard.clone(), claimed)
            });
        records.collect()
    }
}
