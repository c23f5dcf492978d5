//! The checks that conditions make up.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::check::{FactCondition, Facts, TargetRead, read_of};

/// Returns the reads that conditions need, each once.
pub fn reads_of<'a>(
    reads: impl IntoIterator<Item = &'a TargetRead>,
    conditions: impl IntoIterator<Item = &'a FactCondition>,
) -> Vec<TargetRead> {
    reads_with(reads, conditions, None)
}

/// Returns the reads that conditions and a further fact need, each once.
pub(crate) fn reads_with<'a>(
    reads: impl IntoIterator<Item = &'a TargetRead>,
    conditions: impl IntoIterator<Item = &'a FactCondition>,
    fact: Option<&'a str>,
) -> Vec<TargetRead> {
    let facts = conditions
        .into_iter()
        .flat_map(FactCondition::facts);
    let named: BTreeSet<&str> = facts.chain(fact).map(read_of).collect();
    let reads = reads.into_iter();
    let needed = reads.filter(|read| named.contains(read.name.as_str()));
    needed.cloned().collect()
}

/// The end of an alert's matter, by its playbook. The agent resolves the alert only when these
/// conditions were read as true after the last action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedWhen {
    pub reads: Vec<TargetRead>,
    /// The conditions; all must hold.
    pub conditions: Vec<FactCondition>,
}

/// The check of an action's effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// The conditions on the action's reads that show the effect; all must hold.
    #[serde(serialize_with = "as_stored", deserialize_with = "one_or_many")]
    pub effective: Vec<FactCondition>,
    /// Conditions that show another effect than the approved one. If one holds, it is ineffective.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fails_if: Vec<FactCondition>,
    /// The condition that the amount found is the approved one; none for an action without an
    /// amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<FactCondition>,
    /// Time that the effect may take after the action's end, in milliseconds.
    pub within: i64,
}

impl Verification {
    /// Returns the conditions of the effect, and of its amount.
    pub fn conditions(&self) -> impl Iterator<Item = &FactCondition> {
        self.effective
            .iter()
            .chain(&self.amount)
    }

    /// Returns all conditions.
    pub fn all_conditions(&self) -> impl Iterator<Item = &FactCondition> {
        self.conditions().chain(&self.fails_if)
    }

    /// Returns the found amount in minor units if the record that tells it shows the effect, and
    /// the amount is another one than was approved.
    pub fn other_amount(&self, facts: &Facts) -> Option<i64> {
        let amount = self.amount.as_ref()?;
        let read = read_of(&amount.fact);
        let mut of_record = self
            .effective
            .iter()
            .filter(|condition| read_of(&condition.fact) == read);
        let took_place = of_record.all(|condition| condition.holds(facts) == Some(true));
        let differs = amount.holds(facts) == Some(false);
        let minor_units = facts.get(&amount.fact)?.as_i64()?;
        (took_place && differs).then_some(minor_units)
    }
}

/// Writes a single condition without a list, as earlier releases did: the digest covers its form.
fn as_stored<S: Serializer>(conditions: &[FactCondition], to: S) -> Result<S::Ok, S::Error> {
    match conditions {
        [condition] => condition.serialize(to),
        many => many.serialize(to),
    }
}

/// Reads a list of conditions. Earlier releases stored a single one.
fn one_or_many<'de, D: Deserializer<'de>>(stored: D) -> Result<Vec<FactCondition>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        Many(Vec<FactCondition>),
        One(FactCondition),
    }
    Ok(match OneOrMany::deserialize(stored)? {
        OneOrMany::Many(conditions) => conditions,
        OneOrMany::One(condition) => vec![condition],
    })
}

/// The check of an unclear call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reconciliation {
    /// The condition on the action's reads for a call that took effect.
    pub done: FactCondition,
    /// The condition for a call that took no effect. None if no check proves that, since the effect
    /// may still come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_done: Option<FactCondition>,
    /// The condition of a call that is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<FactCondition>,
    /// The condition of a call that has failed after it was under way. It shows nothing while the
    /// system has not said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<FactCondition>,
    /// Time that a call may be under way after the action's end, in milliseconds. Twelve hours if
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<i64>,
    /// A fact that changes with each try of the call, such as a number of attempts. Its value from
    /// before the call is compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
}

impl Reconciliation {
    /// Creates a reconciliation that only finds the effect of a call.
    pub const fn by(done: FactCondition) -> Self {
        Self {
            done,
            not_done: None,
            pending: None,
            refused: None,
            within: None,
            mark: None,
        }
    }

    pub fn conditions(&self) -> impl Iterator<Item = &FactCondition> {
        let others = [&self.not_done, &self.pending, &self.refused];
        std::iter::once(&self.done).chain(others.into_iter().flatten())
    }

    pub fn mark(&self) -> Option<&str> {
        self.mark.as_deref()
    }
}
