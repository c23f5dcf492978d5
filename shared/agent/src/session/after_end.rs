//! Work on a session after its end. The organization's journal names its newest entry, and the
//! matter of its alert is checked. An effect other than the approved one is left to a person.

use model::base::{Timestamp, span};

use crate::{
    action::{ActionContent, ActionState, AgentAction, Message},
    alert::Money,
    check::{Check, CheckStatus, Facts, Verification, record::Timetable},
    connection::SystemKind,
    session::{ActionRecord, AgentSession, AgentSessionStatus, ApprovedActions, ProposedAction},
};

impl AgentSession {
    /// Time after which a requested check is requested again, in milliseconds.
    const ALERT_CHECK_AGAIN: i64 = 2 * span::MINUTE;

    /// Schedules a check of its alert at once, if there is one.
    pub fn plan_alert_check(
        &mut self,
        actions: &ApprovedActions<impl ActionRecord>,
        now: Timestamp,
    ) {
        if self.alert_check(actions).is_some() {
            self.check_alert_at(now);
            self.times.alert_checks = 0;
        }
    }

    /// Schedules a check of its alert at once, after a user settled a manual action. A completed
    /// session may still await the verification of another action; its result schedules the check
    /// again.
    pub(crate) fn recheck_alert(&mut self, now: Timestamp) {
        self.plan_alert_check(&ApprovedActions::<&AgentAction>::none(), now);
    }

    pub fn awaits_alert_check(&self) -> bool {
        self.times.alert_check_at.is_some()
    }

    pub fn alert_check_message(&self, now: Timestamp) -> Option<Message> {
        let is_due = self
            .times
            .alert_check_at
            .is_some_and(|at| at <= now);
        is_due.then_some(Message::CheckAlert {
            organization_id: self.organization_id,
            session_id: self.id,
        })
    }

    /// Returns the check that resolves its alert. None until its actions have ended with known
    /// outcomes and every verified effect was found, and without the conditions of a playbook.
    /// After a failure or a skip, another user may have settled the matter.
    pub fn alert_check<A: ActionRecord>(&self, actions: &ApprovedActions<A>) -> Option<Check<'_>> {
        let has_run = match self.status {
            AgentSessionStatus::Completed => true,
            AgentSessionStatus::Failed => !self.plan.approved.is_empty(),
            _ => false,
        };
        let is_settled = |action: &A| match action.state {
            ActionState::Succeeded => action.is_verified(),
            state => state.is_not_done(),
        };
        let is_done =
            has_run && actions.unreadable.is_empty() && actions.known.iter().all(is_settled);
        let end = self
            .plan
            .resolved_when
            .as_ref()
            .filter(|_| is_done);
        end.map(Check::of_alert)
    }

    pub fn alert_check_requested(&mut self, now: Timestamp) {
        self.check_alert_at(now.plus(Self::ALERT_CHECK_AGAIN));
    }

    pub fn check_alert_at(&mut self, at: Timestamp) {
        self.times.alert_check_at = Some(at);
        self.plan_visit();
    }

    /// Schedules the next check after one that found the matter unsettled.
    pub fn alert_is_unsettled(&mut self, now: Timestamp) {
        self.times.alert_check_at = Timetable::ALERT_END.next(self.times.alert_checks, now);
        self.times.alert_checks += 1;
        self.plan_visit();
    }

    /// Records that the alert's matter was read as settled. Actions that were skipped are not
    /// needed.
    pub fn matter_is_settled(&mut self, now: Timestamp) {
        let shortfall = &mut self.plan.shortfall;
        shortfall.retain(|_, state| *state != ActionState::Skipped);
        if self.status == AgentSessionStatus::Failed && self.plan.shortfall.is_empty() {
            self.status = AgentSessionStatus::Completed;
            self.error = None;
        }
        self.times.updated_at = now;
        self.end_alert_checks();
    }

    /// Ends the checks: the alert is resolved, or another event will schedule a check.
    pub fn end_alert_checks(&mut self) {
        self.times.alert_check_at = None;
        self.plan_visit();
    }

    /// True if it has ended and the organization's journal does not name its newest entry.
    pub fn is_unnamed(&self) -> bool {
        self.status.has_ended() && self.times.journal_named < self.journal.seq
    }

    /// Records that the organization's journal names its newest entry.
    pub fn set_named(&mut self) {
        self.times.journal_named = self.journal.seq;
        self.plan_visit();
    }

    /// Schedules the sweeper's next visit after its end. It names the newest entry at once, checks
    /// the alert, and ends the time in which other actions can be approved.
    pub(crate) fn plan_visit(&mut self) {
        let unnamed = self
            .times
            .journal_at
            .filter(|_| self.is_unnamed());
        let closes = self.approvable_until(self.times.updated_at);
        let visits = [unnamed, self.times.alert_check_at, closes];
        self.times.due_at = visits.into_iter().flatten().min();
    }

    /// Adds a manual action, if an action had another effect than the approved one. Examples are
    /// another amount, and money taken for a void invoice. `kind` is the kind of the target system.
    pub fn note_other_effect(&mut self, action: &AgentAction, kind: SystemKind) {
        let other = action.other_effect();
        let Some((other, proposed)) = other.zip(self.proposed(&action.key.action_id)) else {
            return;
        };
        let about = &proposed.content;
        let (key, check, outcome, step) = match other {
            OtherEffect::Amount {
                approved,
                found: actual,
            } => {
                let approved = approved.says(kind);
                let actual = actual.says(kind);
                let check =
                    format!("Check the amount: {approved} was approved, and {actual} was found.");
                let step = format!("Find out why {actual} was found instead of {approved}");
                let outcome = "The difference is corrected, or accepted.";
                (format!("{}_amount", proposed.key), check, outcome, step)
            }
            OtherEffect::State(says) => {
                let check = format!("Check the effect: {says}, which was not approved.");
                let outcome = "What moved is given back, or the record is corrected.";
                let step = format!("Find out why {says}, and what has to be given back");
                (format!("{}_effect", proposed.key), check, outcome, step)
            }
        };
        let content = ActionContent {
            playbook: about.playbook.clone(),
            connection: about.connection.clone(),
            records: about.records.clone(),
            systems: about.systems.clone(),
            ..ActionContent::manual(
                &about.target_system,
                format!("{check} The action was: {}", about.description),
                outcome,
                step,
            )
        };
        let place = self.plan.proposed_actions.len() + 1;
        let manual = ProposedAction {
            id: self.action_id(self.plan.proposal, place),
            ..ProposedAction::manual(key, content)
        };
        self.plan.proposed_actions.push(manual);
    }
}

/// An effect that was not approved.
#[derive(Clone, Debug, PartialEq)]
pub enum OtherEffect {
    Amount {
        approved: Money,
        found: Money,
    },
    /// A condition that shows it, in words.
    State(String),
}

impl AgentAction {
    /// Returns the effect that its verification found instead of the approved one; none if it found
    /// none.
    pub fn other_effect(&self) -> Option<OtherEffect> {
        let record = self.checks.effect.as_ref()?;
        let is_refuted = record.status == CheckStatus::NotDone;
        let verify = self
            .content
            .verify
            .as_ref()
            .filter(|_| is_refuted)?;
        let facts: Facts = record
            .found
            .clone()?
            .0
            .0
            .into_iter()
            .collect();
        self.other_amount(verify, &facts)
            .or_else(|| {
                let mut ruled_out = verify.fails_if.iter();
                let shown = ruled_out.find(|condition| condition.holds(&facts) == Some(true))?;
                Some(OtherEffect::State(shown.says()))
            })
    }

    fn other_amount(&self, verify: &Verification, facts: &Facts) -> Option<OtherEffect> {
        let approved = self
            .content
            .money
            .as_ref()?
            .amount
            .clone()?;
        let minor_units = verify.other_amount(facts)?;
        let actual = Money {
            minor_units,
            currency: approved.currency.clone(),
        };
        (actual != approved).then_some(OtherEffect::Amount {
            approved,
            found: actual,
        })
    }
}
