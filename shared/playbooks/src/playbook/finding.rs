use super::{Playbook, Values};
use crate::prelude::*;

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
            weight.total_cmp(&1.0).is_ne().then(|| FindingWeight {
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
        let suspected = values.text(&self.root_cause);
        match strongest {
            Some((_, cause)) => return values.text(cause),
            None if self.is_fallback() => return suspected,
            None => {}
        }
        let facts = self
            .findings
            .iter()
            .flat_map(|finding| finding.when.facts());
        let reads: BTreeSet<&str> = facts.map(read_of).collect();
        let unread = reads.into_iter().filter_map(|read| values.not_read(read));
        let unread = unread.collect::<Vec<_>>().join("; ");
        if unread.is_empty() {
            return format!("Suspected: {suspected}");
        }
        format!("Suspected: {suspected} Not known: {unread}.")
    }
}
