//! What a playbook concludes from what it reads.

use std::collections::BTreeSet;

use serde::Deserialize;
use shared::model::{ConfidenceFrom, Evidence, FindingWeight, PlaybookRecord, Timestamp};

use super::{
    Playbook, Values,
    condition::{Condition, Many},
};
use crate::engine::template::Template;

/// A finding.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Finding {
    pub(super) id: String,
    /// All of it must be so. Without a condition it always holds: it says something of the playbook.
    #[serde(default)]
    pub(super) when: Many<Condition>,
    pub(super) says: Template,
    /// How many times likelier it is so if the playbook helps than if it does not.
    pub(super) weight: f64,
    /// How many times likelier it is not so if the playbook helps than if it does not. The weight says
    /// nothing about that, so that it is 1 unless the file says otherwise.
    #[serde(default = "one")]
    pub(super) otherwise: f64,
    /// The cause, if it is so.
    pub(super) cause: Option<Template>,
}

fn one() -> f64 {
    1.0
}

impl Playbook {
    /// Its findings, as of an instant.
    pub(in crate::engine) fn evidence(&self, values: &Values, at: Timestamp) -> Vec<Evidence> {
        let findings = self.findings.iter().map(|finding| {
            let (holds, mut says) = (
                finding.when.hold(values.facts()),
                values.text(&finding.says),
            );
            let silence = values.silence(finding.when.facts());
            if let (None, Some(why)) = (holds, silence) {
                says = format!("{says} Not known: {why}.");
            }
            Evidence {
                id: finding.id.clone(),
                says,
                holds,
                at,
            }
        });
        findings.collect()
    }

    /// How likely it is to help, and by what. A finding that is not known counts 1.
    pub(in crate::engine) fn confidence(
        &self,
        values: &Values,
        record: &PlaybookRecord,
    ) -> ConfidenceFrom {
        let (effective, runs) = record.of(&self.version());
        let weighed = self.findings.iter().filter_map(|finding| {
            let weight = if finding.when.hold(values.facts())? {
                finding.weight
            } else {
                finding.otherwise
            };
            let counts = weight.total_cmp(&1.0).is_ne();
            counts.then(|| FindingWeight {
                id: finding.id.clone(),
                weight,
            })
        });
        ConfidenceFrom::of(effective, runs, weighed.collect())
    }

    /// The cause that the strongest finding that holds names; else what is suspected, which it says, with what
    /// could not be read of that which the findings go by.
    pub(in crate::engine) fn cause(&self, values: &Values) -> String {
        let causes = self.findings.iter().filter_map(|finding| {
            let cause = finding.cause.as_ref()?;
            let holds = finding.when.hold(values.facts()) == Some(true);
            holds.then_some((finding.weight, cause))
        });
        let strongest = causes.max_by(|(one, _), (other, _)| one.total_cmp(other));
        match strongest {
            Some((_, cause)) => values.text(cause),
            None if self.is_fallback() => values.text(&self.root_cause),
            None => {
                let suspected = values.text(&self.root_cause);
                let unread = self.unread(values);
                if unread.is_empty() {
                    return format!("Suspected: {suspected}");
                }
                format!("Suspected: {suspected} Not known: {}.", unread.join("; "))
            }
        }
    }

    /// What the findings would go by and could not be read, each once.
    fn unread(&self, values: &Values) -> Vec<String> {
        let facts = self
            .findings
            .iter()
            .flat_map(|finding| finding.when.facts());
        let reads: BTreeSet<&str> = facts
            .filter_map(|fact| Some(fact.split_once('.')?.0))
            .collect();
        reads
            .into_iter()
            .filter_map(|read| values.not_read(read))
            .collect()
    }
}
