//! Work on a session after its end. The organization's journal names its newest entry, and the
//! matter of its alert is checked. An effect other than the approved one is left to a person.

use model::base::Timestamp;

use crate::{
    action::{ActionState, AgentAction, Message},
    alert::Money,
    check::{Check, CheckStatus, Facts, Verification},
    session::{ActionRecord, AgentSession, AgentSessionStatus, ApprovedActions},
};

impl AgentSession {
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

    /// True if it has ended and the organization's journal does not name its newest entry.
    pub fn is_unnamed(&self) -> bool {
        self.status.has_ended() && self.times.journal_named < self.journal.seq
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
