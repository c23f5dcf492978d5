//! Previews of proposed actions before their approval.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    action::MoneyDirection,
    connection::Connection,
    session::{AgentSession, ProposedAction, SessionContext},
};
use model::{Error, Fault, FaultCode, Timestamp};

impl AgentSession {
    /// Returns the proposed actions of these ids, all or none. 400 for an unknown id. 409 if the
    /// only fault is an id of an earlier proposal.
    pub fn named(&self, ids: &[String]) -> Result<Vec<&ProposedAction>, Error> {
        self.named_without(ids, |_, _| None)
    }

    /// Returns the proposed actions of these ids, as [`named`](Self::named) does, if none of them has
    /// another fault. `fault` gets the place of an action in the list.
    pub(crate) fn named_without(
        &self,
        ids: &[String],
        fault: impl Fn(usize, &ProposedAction) -> Option<(FaultCode, String)>,
    ) -> Result<Vec<&ProposedAction>, Error> {
        let mut void = false;
        let (mut named, mut faults) = (Vec::with_capacity(ids.len()), Vec::new());
        for (at, id) in ids.iter().enumerate() {
            let field = format!("actionIds/{at}");
            match self.proposed(id) {
                Some(action) => match fault(at, action) {
                    None => named.push(action),
                    Some((code, detail)) => faults.push(Fault::at(&field, code, detail)),
                },
                None if self.is_void(id) => void = true,
                None => faults.push(Fault::unknown(&field, "action of this session")),
            }
        }
        if !faults.is_empty() {
            Err(Error::Invalid(faults))
        } else if void {
            Err(Self::superseded())
        } else {
            Ok(named)
        }
    }

    /// Returns the pairs of these actions that are not approved together, by their ids.
    pub fn exclusive_pairs(&self, actions: &[&ProposedAction]) -> Vec<[String; 2]> {
        let mut pairs = Vec::new();
        for (at, one) in actions.iter().enumerate() {
            let later = actions.iter().skip(at + 1);
            let excluded = later.filter(|other| self.are_exclusive(one, other));
            pairs.extend(excluded.map(|other| [one.id.clone(), other.id.clone()]));
        }
        pairs
    }

    /// Returns the number of valid approvals of one of its actions.
    pub fn approvals_given(
        &self,
        action: &ProposedAction,
        context: &SessionContext,
        now: Timestamp,
    ) -> usize {
        let approvals = context.approvers.standing(&action.approvals);
        let requirement = context.policy.demands(action);
        requirement.given(&approvals, &self.proposers(&action.id), now)
    }
}

/// A sum of money that moves in one direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoneySum {
    pub direction: MoneyDirection,
    /// The sum in the currency's smallest unit.
    pub minor_units: i64,
    /// The currency's ISO 4217 code.
    pub currency: String,
}

impl MoneySum {
    /// Sums the known amounts of the automated actions, by direction and currency. Opposite directions are not netted.
    pub fn of(actions: &[&ProposedAction]) -> Vec<Self> {
        let mut sums: BTreeMap<(MoneyDirection, &str), i64> = BTreeMap::new();
        let automated = actions.iter().filter(|action| action.is_automated);
        for moved in automated.filter_map(|action| action.content.money.as_ref()) {
            if let Some(money) = &moved.amount {
                let sum = sums.entry((moved.direction, &money.currency)).or_default();
                *sum = sum.saturating_add(money.minor_units);
            }
        }
        let sums = sums.into_iter();
        let sums = sums.map(|((direction, currency), minor_units)| Self {
            direction,
            minor_units,
            currency: currency.to_owned(),
        });
        sums.collect()
    }
}

impl ProposedAction {
    /// Returns the obstacles to its execution, in words: those that block the worker or delay it.
    pub fn obstacles(&self, connection: Option<&Connection>, is_paused: bool) -> Vec<String> {
        if !self.is_automated {
            return vec!["It is manual: a person has to do it.".to_owned()];
        }
        let mut obstacles = Vec::new();
        if is_paused {
            obstacles.push("All of the organization's actions are paused.".to_owned());
        }
        let Some(connection) = connection else {
            let system = &self.content.target_system;
            obstacles.push(format!("There is no connection {system:?}."));
            return obstacles;
        };
        if connection.paused {
            obstacles.push("The connection is paused.".to_owned());
        }
        let proposed = self.content.connection.as_ref();
        if proposed.is_some_and(|proposed| proposed.revision != connection.revision) {
            let changed = "The connection was changed since the action was proposed: have it proposed \
                           again.";
            obstacles.push(changed.to_owned());
        }
        let steps = self.content.steps.iter();
        let calls = steps.filter_map(|step| step.call.as_ref());
        obstacles.extend(calls.clone().filter_map(|call| connection.key_taken(call)));
        for call in calls.filter(|call| !connection.allows(&call.method, &call.path)) {
            let call = call.summary();
            obstacles.push(format!("The connection does not allow {call}."));
        }
        obstacles
    }
}
