use std::collections::BTreeSet;

use agent::{
    check::read_of,
    session::{ConfidenceFrom, Evidence, FindingWeight, PlaybookRecord},
};
use model::Timestamp;

use super::{Playbook, Values};

impl Playbook {
    pub(crate) fn evidence(&self, values: &Values, at: Timestamp) -> Vec<Evidence> {
        let findings = self.findings.iter().map(|finding| {
            let holds = finding.when.hold(values.facts());
            let mut says = values.text(&finding.says);
            let read_error = values.read_error(finding.when.facts());
            if let (None, Some(why)) = (holds, read_error) {
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

    /// Returns the probability that it helps, with its factors. An unknown finding has weight 1.
    pub(crate) fn confidence(&self, values: &Values, record: &PlaybookRecord) -> ConfidenceFrom {
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

    /// Returns the cause of the strongest finding that holds. Without one, returns the suspected
    /// root cause, with the reads that failed.
    pub(crate) fn cause(&self, values: &Values) -> String {
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

    /// Returns the failed reads of its findings, each once.
    fn unread(&self, values: &Values) -> Vec<String> {
        let findings = self.findings.iter();
        let facts = findings.flat_map(|finding| finding.when.facts());
        let reads: BTreeSet<&str> = facts.map(read_of).collect();
        reads
            .into_iter()
            .filter_map(|read| values.not_read(read))
            .collect()
    }
}
