use std::collections::BTreeMap;

use model::base::{Timestamp, span};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    action::{ActionStep, ActionType, MoneyDirection, MoneyMoved, RecordSystem, Reversible, Risk},
    alert::Money,
    check::{FactCondition, TargetRead, Verification},
    connection::{Connection, ConnectionRevision},
};

/// The content of an action: all that an approval covers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionContent {
    pub playbook: Option<PlaybookVersion>,
    pub action_type: ActionType,
    /// A description of what it does. For an automated action that cannot run automatically, also
    /// the reason.
    pub description: String,
    pub expected_outcome: String,
    /// The way to undo it. None if unknown.
    pub reversible: Option<Reversible>,
    pub risk: Risk,
    /// The money that it moves; none if it moves none.
    pub money: Option<MoneyMoved>,
    /// The debt, by the record that owes it; none if the playbook states none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debt: Option<Debt>,
    /// Minutes a person would have needed.
    pub minutes_saved: i64,
    pub target_system: String,
    /// The connection to that system, as of the proposal.
    pub connection: Option<ConnectionRevision>,
    /// Records to change or to keep, as `kind/id`, by the ids of the target systems. It acts on the
    /// first one. Two actions with a common record never run at once, of whatever type, session and
    /// connection.
    // Earlier releases wrote none.
    #[serde(default)]
    pub records: Vec<String>,
    /// The systems of these records, as far as they are known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub systems: BTreeMap<String, RecordSystem>,
    /// The number of records of its calls, such as events to send. None if it acts on its own
    /// records only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<ActionSize>,
    /// The customer who gets its message; none if it sends none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<String>,
    /// The number of times that its effect may be tried; none for no limit.
    pub attempts: Option<Attempts>,
    /// Reads of the target system for the conditions below and those of the steps.
    pub reads: Vec<TargetRead>,
    /// Conditions that must hold when it runs.
    pub require: Vec<FactCondition>,
    pub steps: Vec<ActionStep>,
    pub verify: Option<Verification>,
}

/// A debt, as its own record says. An action with an amount moves exactly this debt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Debt {
    /// Connection through which the record was read.
    pub connection: String,
    /// Request that read it.
    pub request: String,
    /// Open amount.
    pub amount: Money,
    /// Customer who owes it, by the id of that system.
    pub customer: String,
}

impl ActionContent {
    /// The most bytes of a record's name. The guard's key contains it.
    pub const LONGEST_RECORD: usize = 1_000;

    /// Creates the content of a manual action of one step, for a case that no playbook foresees.
    pub fn manual(
        target_system: &str,
        description: String,
        expected_outcome: &str,
        step: String,
    ) -> Self {
        Self {
            playbook: None,
            action_type: ActionType::ManualReview,
            description,
            expected_outcome: expected_outcome.to_owned(),
            reversible: None,
            risk: Risk::High,
            money: None,
            debt: None,
            minutes_saved: 0,
            target_system: target_system.to_owned(),
            connection: None,
            records: Vec::new(),
            systems: BTreeMap::new(),
            size: None,
            customer: None,
            attempts: None,
            reads: Vec::new(),
            require: Vec::new(),
            steps: vec![ActionStep {
                order: 1,
                description: step,
                call: None,
                reconcile: None,
            }],
            verify: None,
        }
    }

    /// Returns the type and the id of the record that it acts on.
    pub fn entity(&self) -> Option<(&str, &str)> {
        self.records.first()?.split_once('/')
    }

    /// Returns the id of the record that it acts on, as a list.
    pub fn entity_ids(&self) -> Vec<String> {
        let id = self
            .entity()
            .map(|(_, id)| id.to_owned());
        id.into_iter().collect()
    }

    /// True if it states a number of records of at least `least`, or an unknown one.
    pub fn touches(&self, least: i64) -> bool {
        let size = self.size.as_ref();
        size.is_some_and(|size| {
            size.records
                .is_none_or(|number| number >= least)
        })
    }

    /// True if both share a record.
    pub fn meets(&self, other: &Self) -> bool {
        let mut records = self.records.iter();
        records.any(|record| other.records.contains(record))
    }

    /// True if both have the same effect on a record that they share: they are of one type, or
    /// transfer money in the same direction. One system may be reached through several connections.
    pub fn repeats(&self, other: &Self) -> bool {
        let transfer = self.transfer();
        let is_alike = self.action_type == other.action_type;
        is_alike || (transfer.is_some() && transfer == other.transfer())
    }

    pub(crate) fn transfer(&self) -> Option<MoneyDirection> {
        let direction = self.money.as_ref()?.direction;
        direction
            .is_transfer()
            .then_some(direction)
    }

    /// Returns the approved account of its connection; none if it is not checked.
    pub fn account(&self) -> Option<&str> {
        self.connection
            .as_ref()?
            .account
            .as_deref()
    }

    /// True if a connection of its name reaches another account than the approved one. Its answers
    /// tell nothing about this action.
    pub fn is_elsewhere(&self, connection: &Connection) -> bool {
        let is_own = *connection.name == *self.target_system;
        let accounts = self
            .account()
            .zip(connection.account.as_deref());
        is_own && accounts.is_some_and(|(approved, now)| approved != now)
    }
}

/// The number of records of an action's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActionSize {
    /// The number, as it was read; null if it is unknown.
    pub records: Option<i64>,
}

/// The number of times that an effect on a record may be tried, over all sessions and rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempts {
    pub most: usize,
    /// The milliseconds within which they count.
    pub within: i64,
    /// The least milliseconds between two tries.
    pub apart: i64,
}

impl Attempts {
    /// The default of an action with money, and of one without a way back: one try a day.
    pub const OF_MONEY: Self = Self {
        most: 1,
        within: span::DAY,
        apart: 0,
    };

    /// Returns why another try is not allowed now, after these tries.
    pub fn refuse(self, tries: &[Timestamp], now: Timestamp) -> Option<String> {
        let from = self
            .open_from(tries)
            .filter(|from| now < *from)?;
        let recent = tries
            .iter()
            .filter(|at| now < at.plus(self.within))
            .count();
        let mut why = String::new();
        if recent >= self.most {
            let times = counted(recent);
            let within = self.within / span::HOUR;
            why = format!(
                "it was tried {times} within {within} hours, as often as its playbook allows, and "
            );
        }
        Some(format!(
            "attempts_reached: {why}it may be tried again from {from} on. Nothing was sent."
        ))
    }

    /// Returns the instant from which another try is allowed, after these tries. None before the
    /// first.
    pub fn open_from(self, tries: &[Timestamp]) -> Option<Timestamp> {
        let mut tries = tries.to_vec();
        tries.sort_unstable();
        let apart = tries.last()?.plus(self.apart);
        let place = tries.len().checked_sub(self.most);
        let oldest = place.and_then(|place| tries.get(place));
        Some(oldest.map_or(apart, |oldest| apart.max(oldest.plus(self.within))))
    }
}

fn counted(times: usize) -> String {
    match times {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    }
}

/// The version of a playbook that proposed an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaybookVersion {
    pub name: String,
    /// The version; every change raises it.
    pub version: u32,
    /// SHA-256 of the playbook's text, in hexadecimal.
    pub hash: String,
}

impl PlaybookVersion {
    /// Returns name and version: `invoice-duplicated#3`.
    pub fn label(&self) -> String {
        format!("{}#{}", self.name, self.version)
    }
}
