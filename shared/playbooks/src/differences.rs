//! Differences between an alert, the requests of its analysis, and the answers of the systems.
//!
//! An action rests on what was meant. Where a system answers with another record, or where it knows
//! another customer than the alert names, no action runs by itself.

use std::collections::BTreeSet;

use agent::{
    alert::{Alert, AlertEntity},
    check::Facts,
};

use crate::{
    playbook::{Read, Values},
    template::{plain, quoted},
};

/// A difference, as a finding that does not hold.
#[derive(Debug)]
pub(super) struct Difference {
    /// The id of the finding.
    pub(super) id: String,
    /// The claim that does not hold, with the values found.
    pub(super) says: String,
    /// The reason that no action can run by itself, as part of a sentence.
    pub(super) obstacle: String,
}

/// Returns the differences of an analysis, each once.
pub(super) fn of(alert: &Alert, reads: &[Read], values: &Values) -> Vec<Difference> {
    let mut differences: Vec<Difference> = Vec::new();
    for read in reads {
        let other = read.other_record(values.facts()).map(|(asked, answered)| {
            let asked = quoted(asked);
            let answered = quoted(&answered);
            let system = quoted(&read.connection);
            Difference {
                id: format!("{}_is_the_one_asked_for", read.name),
                says: format!(
                    "{system} answers with the record that was asked for. It was asked for {asked}, and answered {answered}."
                ),
                obstacle: format!("{system} was asked for {asked} and answered {answered}"),
            }
        });
        differences.extend(other);
        differences.extend(named_otherwise(alert, read, values.facts()));
    }
    let mut seen = BTreeSet::new();
    differences.retain(|difference| seen.insert(difference.obstacle.clone()));
    differences
}

/// Returns the records of a read that differ from those of the alert. A fact with the name of a
/// type of the alert's records has to be one of them.
fn named_otherwise<'a>(
    alert: &'a Alert,
    read: &'a Read,
    facts: &'a Facts,
) -> impl Iterator<Item = Difference> + 'a {
    let types: BTreeSet<&str> = alert
        .entities
        .iter()
        .map(|entity| &*entity.r#type)
        .collect();
    types.into_iter().filter_map(move |kind| {
        let fact = facts.get(&format!("{}.{kind}", read.name))?;
        let fact = plain(fact.clone());
        let of_kind = alert.entities.iter().filter(|entity| *entity.r#type == *kind);
        let named: Vec<&str> = of_kind.map(|entity| &*entity.id).collect();
        if named.contains(&fact.as_str()) {
            return None;
        }
        let noun = kind.replace('_', " ");
        let named: Vec<String> = named.into_iter().map(quoted).collect();
        let named = named.join(", ");
        let fact = quoted(&fact);
        let system = quoted(&read.connection);
        Some(Difference {
            id: format!("alert_names_the_{kind}"),
            says: format!(
                "The alert and {system} name the same {noun}. The alert names {named}, and {system} names {fact}."
            ),
            obstacle: format!("the alert names {noun} {named}, and {system} names {fact}"),
        })
    })
}

/// Returns the further records of an alert. Its playbook acts on the first record of each type that
/// a parameter takes.
pub(super) fn others<'a>(alert: &'a Alert, types: &BTreeSet<&str>) -> Vec<&'a AlertEntity> {
    let mut seen = BTreeSet::new();
    let further = alert.entities.iter().filter(|entity| {
        let kind: &str = &entity.r#type;
        types.contains(kind) && !seen.insert(kind)
    });
    further.collect()
}
