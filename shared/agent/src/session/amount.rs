//! The amount found after a call, beside the approved amount.

use crate::{
    action::{ActionContent, ActionStep, ActionType, AgentAction, Risk},
    alert::Money,
    check::{Facts, VerificationStatus},
    session::{AgentSession, ProposedAction},
};

impl AgentAction {
    /// Returns the approved amount and the one that its verification found instead. None unless the
    /// effect took place with another amount.
    pub fn other_amount(&self) -> Option<(Money, Money)> {
        let record = self.checks.verification.as_ref()?;
        let verify = self.content.verify.as_ref()?;
        let approved = self.content.money.as_ref()?.amount.clone()?;
        let found = record.found.clone()?.0.0;
        let found: Facts = found.into_iter().collect();
        let took_place = verify.effective.holds(&found) == Some(true);
        if record.status != VerificationStatus::Ineffective || !took_place {
            return None;
        }
        let minor_units = found.get(&verify.amount.as_ref()?.fact)?.as_i64()?;
        let found = Money {
            minor_units,
            currency: approved.currency.clone(),
        };
        (found != approved).then_some((approved, found))
    }
}

impl AgentSession {
    /// Adds a manual action that names both amounts, if an action took effect with another amount than
    /// the approved one. `kind` is the kind of the target system.
    pub fn note_other_amount(&mut self, action: &AgentAction, kind: &str) {
        let proposed = self.proposed(&action.key.action_id);
        let Some(((approved, found), proposed)) = action.other_amount().zip(proposed) else {
            return;
        };
        let (approved, found) = (approved.says(kind), found.says(kind));
        let content = ActionContent {
            action_type: ActionType::ManualReview,
            description: format!(
                "Check the amount: {approved} was approved, and {found} was found. The action was: {}",
                proposed.content.description
            ),
            expected_outcome: "The difference is corrected, or accepted.".to_owned(),
            reversible: None,
            risk: Risk::High,
            money: None,
            minutes_saved: 0,
            customer: None,
            attempts: None,
            reads: Vec::new(),
            require: Vec::new(),
            steps: vec![ActionStep {
                order: 1,
                description: format!("Find out why {found} was found instead of {approved}"),
                call: None,
                reconcile: None,
            }],
            verify: None,
            ..proposed.content.clone()
        };
        let place = self.plan.proposed_actions.len() + 1;
        let manual = ProposedAction {
            id: self.action_id(self.plan.proposal, place),
            ..ProposedAction::manual(format!("{}_amount", proposed.key), content)
        };
        self.plan.proposed_actions.push(manual);
    }
}
