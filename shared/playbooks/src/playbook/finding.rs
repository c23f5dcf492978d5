use std::collections::BTreeSet;

use agent::{
    check::read_of,
    session::{Confidence, Evidence, PlaybookRecord},
};
use model::base::Timestamp;

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

    /// Returns the share of its findings that hold. What always holds supports nothing.
    pub(crate) fn confidence(&self, evidence: &[Evidence], record: &PlaybookRecord) -> Confidence {
        let (effective, runs) = record.of(&self.version());
        let is_unconditional = |id: &str| {
            let mut findings = self.findings.iter();
            findings.any(|finding| finding.id == id && finding.when.0.is_empty())
        };
        let mut confidence = Confidence {
            effective,
            runs,
            ..Confidence::default()
        };
        for finding in evidence
            .iter()
            .filter(|finding| !is_unconditional(&finding.id))
        {
            confidence.findings += 1;
            confidence.holding += u32::from(finding.holds == Some(true));
        }
        confidence
    }

    /// Returns the first cause that holds. Without one, returns the suspected root cause, with the
    /// reads that failed.
    pub(crate) fn cause(&self, values: &Values) -> String {
        let mut causes = self.causes.iter();
        if let Some(cause) = causes.find(|cause| cause.when.hold(values.facts()) == Some(true)) {
            return values.text(&cause.says);
        }
        let suspected = values.text(&self.root_cause);
        if self.is_fallback() {
            return suspected;
        }
        let of_findings = self
            .findings
            .iter()
            .flat_map(|finding| finding.when.facts());
        let of_causes = self
            .causes
            .iter()
            .flat_map(|cause| cause.when.facts());
        let reads: BTreeSet<&str> = of_findings
            .chain(of_causes)
            .map(read_of)
            .collect();
        let unread = reads
            .into_iter()
            .filter_map(|read| values.not_read(read));
        let unread = unread.collect::<Vec<_>>().join("; ");
        if unread.is_empty() {
            return format!("Suspected: {suspected}");
        }
        format!("Suspected: {suspected} Not known: {unread}.")
    }
}
