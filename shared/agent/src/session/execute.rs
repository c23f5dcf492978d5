//! Previews and executions of actions: the bodies of their requests, and what a preview shows.

use std::collections::BTreeMap;

use model::{
    base::{
        ActionId, Error, Fault, FaultCode, Reason, Timestamp, UserId,
        input::{
            BoundedList, Defaulted, Field, InputPlace, Reading, Schema, escaped, map_of, string,
        },
    },
    input,
    people::User,
};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    action::{ActionApproval, MoneyDirection},
    connection::Connection,
    policy::{AgentPolicy, Approvers},
    session::{AgentSession, ProposedAction, SessionContext, superseded},
};

input! {
    pub struct ActionsExecute {
        /// Ids of automated actions of the newest proposal. A repeated id counts once.
        action_ids: BoundedList<ActionId, 1, 50>,
        /// Runs actions again that are certainly not done. Without it, the approved list returns
        /// its results, and nothing runs again.
        again: Defaulted<bool>,
        /// Digests of the reviewed content, by action id. 409 if one of them has changed.
        digests: Option<Digests>,
        /// The approver's note.
        note: Option<Reason>,
    }
    example {"actionIds": ["s3-p1-a1"], "note": "Checked with the customer."};
}

input! {
    pub struct ActionsPreview {
        /// Ids of actions of the newest proposal. A repeated id counts once.
        action_ids: BoundedList<ActionId, 1, 50>,
    }
    example {"actionIds": ["s3-p1-a1"]};
}

/// Digests of actions by their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digests(pub BTreeMap<String, Digest>);

/// A SHA-256 in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest(pub String);

pub fn distinct(sent: &[ActionId]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::with_capacity(sent.len());
    for id in sent {
        if !ids.iter().any(|other| **other == **id) {
            ids.push(id.clone().into());
        }
    }
    ids
}

impl Field for Digest {
    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        let text = place.text(value)?;
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == 64 && text.bytes().all(is_hex) {
            return Some(Self(text.to_owned()));
        }
        place.must(FaultCode::Pattern, "be a SHA-256 in lower-case hexadecimal")
    }

    fn field_schema() -> Schema {
        string()
            .pattern(Some("^[0-9a-f]{64}$"))
            .into()
    }
}

impl Field for Digests {
    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        let object = place.object(value)?;
        if object.len() > 50 {
            return place.must(FaultCode::Length, "have at most 50 digests");
        }
        let digests = object
            .iter()
            .filter_map(|(id, digest)| {
                let digest = Digest::read(digest, &mut place.at(escaped(id)))?;
                Some((id.clone(), digest))
            });
        let digests: BTreeMap<_, _> = digests.collect();
        (digests.len() == object.len()).then_some(Self(digests))
    }

    fn field_schema() -> Schema {
        map_of(Digest::field_schema()).into()
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Approving<'a> {
    /// The distinct ids of the actions.
    pub ids: &'a [String],
    /// Permits actions to run again that are certainly not done.
    pub again: bool,
    /// The digests of the reviewed content, as far as they were sent.
    pub digests: Option<&'a Digests>,
    pub note: Option<&'a str>,
    pub by: UserId,
    /// The request's trace id, as in the logs.
    pub trace: Option<&'a str>,
}

#[derive(Clone, Copy, Debug)]
pub struct Approver<'a> {
    pub user: &'a User,
    pub policy: &'a AgentPolicy,
    /// Of the users who approved before, those who still may.
    pub others: &'a Approvers,
    /// Another user, who set the provider of the approver's session within a day.
    pub provider_set_by: Option<UserId>,
}

impl<'a> Approving<'a> {
    /// Creates a first approval of these actions, without a note.
    pub const fn of(ids: &'a [String], by: UserId) -> Self {
        Self {
            ids,
            again: false,
            digests: None,
            note: None,
            by,
            trace: None,
        }
    }

    pub(crate) fn approval(&self, by: &User, digest: String, now: Timestamp) -> ActionApproval {
        ActionApproval {
            digest: Some(digest),
            note: self.note.map(str::to_owned),
            ..ActionApproval::by(by, now)
        }
    }
}

impl AgentSession {
    /// Returns the proposed actions of these ids, all or none. 400 for an unknown id. 409 if the
    /// only fault is an id of an earlier proposal.
    pub fn named(&self, ids: &[String]) -> Result<Vec<&ProposedAction>, Error> {
        self.named_without(ids, |_, _| None)
    }

    /// Returns the proposed actions of these ids, as [`named`](Self::named) does, if none of them
    /// has another fault. `fault` gets the place of an action in the list.
    pub(crate) fn named_without(
        &self,
        ids: &[String],
        fault: impl Fn(usize, &ProposedAction) -> Option<(FaultCode, String)>,
    ) -> Result<Vec<&ProposedAction>, Error> {
        let mut void = false;
        let mut named = Vec::with_capacity(ids.len());
        let mut faults = Vec::new();
        for (at, id) in ids.iter().enumerate() {
            let field = format!("actionIds/{at}");
            match self.plan.proposed(id) {
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
            Err(superseded())
        } else {
            Ok(named)
        }
    }

    /// Returns the number of valid approvals of one of its actions.
    pub fn approvals_given(
        &self,
        action: &ProposedAction,
        context: &SessionContext,
        now: Timestamp,
    ) -> usize {
        let approvals = context
            .approvers
            .standing(&action.approvals);
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
    /// Sums the known amounts of the automated actions, by direction and currency. Opposite
    /// directions are not netted.
    pub fn of(actions: &[&ProposedAction]) -> Vec<Self> {
        let mut sums: BTreeMap<(MoneyDirection, &str), i64> = BTreeMap::new();
        let automated = actions
            .iter()
            .filter(|action| action.is_automated);
        for moved in automated.filter_map(|action| action.content.money.as_ref()) {
            if let Some(money) = &moved.amount {
                let sum = sums
                    .entry((moved.direction, &money.currency))
                    .or_default();
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
        obstacles.extend(
            calls
                .clone()
                .filter_map(|call| connection.key_taken(call)),
        );
        for call in calls.filter(|call| !connection.allows(&call.method, &call.path)) {
            let call = call.summary();
            obstacles.push(format!("The connection does not allow {call}."));
        }
        obstacles
    }
}
