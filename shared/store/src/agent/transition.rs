//! The one path of commands: the crate `agent` decides on what was read, and one transaction writes
//! the decision.

use agent::{
    action::{ActionState, AgentAction, LastOutcome},
    journal::JournalEntry,
    session::{AgentSession, ApprovedActions, alert_resolved},
    transition::{ActionCommand, SessionCommand, Transition, decide, decide_action},
};
use model::base::{AgentSessionId, Timestamp};
use table::{Condition, IntoAttribute, OrLeave, Record, Stored, UpdateExpression, Write};

use crate::{
    Result,
    base::{Pending, WriteContext, records::KeptExcerpt, writes::Writes},
    key::Keyed,
};

use super::{Agent, SessionWithActions, excerpts};

/// A decision with its writes.
#[derive(Debug)]
pub(super) struct Decided {
    /// The session and its actions, as they are after the writes.
    pub(super) whole: SessionWithActions,
    /// None if there is nothing to write.
    pub(super) transition: Option<Transition>,
    pub(super) writes: Vec<Write>,
}

impl Decided {
    const fn nothing(whole: SessionWithActions) -> Self {
        Self {
            whole,
            transition: None,
            writes: Vec::new(),
        }
    }

    fn needs_open_alert(&self) -> bool {
        let transition = self.transition.as_ref();
        transition.is_some_and(|transition| transition.needs_open_alert)
    }
}

impl SessionWithActions {
    /// Creates a session whose actions were not read. A command that changes none needs none.
    pub(super) const fn alone(session: Stored<AgentSession>) -> Self {
        Self {
            session,
            actions: ApprovedActions::none(),
        }
    }

    /// Decides on a command.
    pub(super) fn decide(mut self, command: SessionCommand<'_>, now: Timestamp) -> Result<Decided> {
        let transition = decide(command, &mut self.session, &mut self.actions, now)?;
        let Some(transition) = transition else {
            return Ok(Decided::nothing(self));
        };
        let writes = self.writes(&transition)?;
        Ok(Decided {
            whole: self.written(&transition),
            transition: Some(transition),
            writes,
        })
    }

    /// Returns the writes of a transition. An action of version 0 overwrites an unreadable one.
    fn writes(&self, transition: &Transition) -> Result<Vec<Write>> {
        let mut writes = vec![Write::replace(&self.session)?];
        writes.extend(entries(&transition.entries)?);
        for action in &self.actions.known {
            let id = &action.key.action_id;
            if transition.changed.contains(id) {
                writes.push(match action.version {
                    0 => Write::put(&action.record)?,
                    _ => Write::replace(action)?,
                });
            }
            if transition.stopping.contains(id) {
                // Its holder keeps writing it. The condition is only that it runs.
                let runs = Condition::default().equals("state", ActionState::Running);
                let stops = UpdateExpression::default().set("stopping", true);
                writes.push(Write::update(action.key(), stops, runs));
            }
            if transition.settled.as_ref() == Some(id) {
                writes.extend(outcome(action)?);
            }
        }
        for action in &transition.queued {
            writes.push(Write::create(action)?);
        }
        Ok(writes)
    }

    /// Returns the records after the writes of a transition.
    fn written(mut self, transition: &Transition) -> Self {
        let Self { session, actions } = &mut self;
        session.version += 1;
        for action in &mut actions.known {
            action.version += i64::from(
                transition
                    .changed
                    .contains(&action.key.action_id),
            );
        }
        let queued = transition.queued.iter().cloned();
        actions
            .known
            .extend(queued.map(Stored::created));
        self
    }
}

impl Agent<'_> {
    /// Runs the command of a request: reads what it names, decides, and writes in one transaction.
    /// A replay has no transition.
    pub(super) async fn run<F, R: Future<Output = Result<F>>>(
        &self,
        pending: impl Pending,
        id: AgentSessionId,
        read: impl Fn() -> R,
        decide: impl Fn(&WriteContext, F) -> Result<Decided>,
    ) -> Result<Decided> {
        let (pending, tenant) = pending.with_tenant();
        let write = async |context: WriteContext, records: F| {
            let mut decided = decide(&context, records)?;
            let mut writes = Writes::from(std::mem::take(&mut decided.writes));
            if decided.needs_open_alert() {
                let alert = decided
                    .whole
                    .session
                    .alert
                    .alert_id
                    .key(tenant);
                let resolved = ["resolved".into_attribute()];
                let is_open = Condition::exists().and("# <> :", "status", resolved);
                writes.push_or(Write::check(alert, is_open), alert_resolved());
            }
            self.0
                .commit(&context, writes, decided)
                .await
        };
        // The future is large.
        let decided = Box::pin(self.0.write(pending, read, write)).await?;
        let load = async |_| {
            self.get(tenant, id)
                .await
                .map(Decided::nothing)
        };
        decided.or_load(load).await
    }

    /// Runs a command on a session, and leaves it if the session changed meanwhile. Returns the
    /// session after it.
    pub(super) async fn run_or_leave(
        &self,
        session: Stored<AgentSession>,
        command: SessionCommand<'_>,
    ) -> Result<Stored<AgentSession>> {
        let whole = SessionWithActions::alone(session);
        let decided = whole.decide(command, self.0.now())?;
        if !decided.writes.is_empty() {
            let done = self
                .0
                .table
                .transact(decided.writes)
                .await?;
            done.or_leave();
        }
        Ok(decided.whole.session)
    }

    /// Runs a command on an action without a holder. Returns whether it was written: false if
    /// there was nothing to write, or if another caller wrote the action meanwhile.
    pub(super) async fn run_action(
        &self,
        action: &mut Stored<AgentAction>,
        command: ActionCommand<'_>,
    ) -> Result<bool> {
        let Some(noted) = decide_action(command, action, self.0.now()) else {
            return Ok(false);
        };
        self.write_action(action, &noted).await
    }

    /// Writes a changed action with the entries of its decision, if it is as it was read.
    pub(super) async fn write_action(
        &self,
        action: &Stored<AgentAction>,
        noted: &[JournalEntry],
    ) -> Result<bool> {
        let mut writes = vec![Write::replace(action)?];
        writes.extend(entries(noted)?);
        let done = self.0.table.transact(writes).await?;
        Ok(done.is_ok())
    }
}

/// Returns the write of an action's outcome, once it is known whether the action helped its
/// records.
pub(super) fn outcome(action: &AgentAction) -> Result<Option<Write>> {
    let outcome = LastOutcome::of(action);
    outcome
        .as_ref()
        .map(Write::put)
        .transpose()
}

/// Returns the writes of journal entries, and of the excerpts that they name.
pub(super) fn entries(entries: &[JournalEntry]) -> Result<Vec<Write>> {
    let mut writes = excerpts::writes(
        entries
            .iter()
            .filter_map(KeptExcerpt::of_entry),
    )?;
    for entry in entries {
        writes.push(Write::create(entry)?);
    }
    Ok(writes)
}
