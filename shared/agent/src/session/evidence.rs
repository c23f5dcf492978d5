//! The basis of an analysis: reads of target systems, the findings on them, and the confidence that the proposal helps.

use crate::prelude::*;

/// The input of an alert's analysis.
#[derive(Clone, Debug)]
pub struct Case {
    pub alert: Alert,
    pub history: ClassHistory,
    pub connections: Vec<Connection>,
    pub playbooks: PlaybookRecord,
}

impl Case {
    /// Returns the connections, as playbooks name them for the alert.
    pub fn systems(&self) -> Systems<'_> {
        Systems::new(&self.connections, &self.alert.target_system)
    }
}

/// A read of a target system for an analysis, with its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadEvidence {
    /// Its name, the prefix of its facts.
    pub name: String,
    /// The connection through which it was to be sent.
    pub connection: String,
    /// The request, as `GET /invoices/inv_1`; none if nothing could be sent.
    pub request: Option<String>,
    /// The answer's status code; none without an answer.
    pub status: Option<u16>,
    /// SHA-256 of the answer's whole body without secrets, in hexadecimal.
    pub hash: Option<String>,
    pub facts: JsonText<Facts>,
    /// The hash of the answer's [excerpt](crate::journal::Excerpt); none without an answer.
    pub excerpt_hash: Option<String>,
    /// The reason if there is no answer.
    pub error: Option<String>,
    pub at: Timestamp,
}

/// A playbook's finding on what was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// Its id within the playbook.
    pub id: String,
    /// The claim in words.
    pub says: String,
    /// True if the claim holds; null if a fact that it needs is unknown.
    pub holds: Option<bool>,
    pub at: Timestamp,
}

/// The factors of a confidence. `odds = prior / (1 - prior)`, times each finding's weight; the
/// confidence is `odds / (1 + odds)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfidenceFrom {
    /// Number of runs of this playbook version that had their effect.
    pub effective: i64,
    /// Number of runs whose effect was verified, either way.
    pub runs: i64,
    /// `(effective + 1) / (runs + 2)`.
    pub prior: f64,
    /// The findings that count, once each.
    pub findings: Vec<FindingWeight>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingWeight {
    /// Its id within the playbook.
    pub id: String,
    /// The likelihood of the finding if the playbook helps, divided by its likelihood if it does
    /// not.
    pub weight: f64,
}

impl ConfidenceFrom {
    /// Creates the factors from a playbook version's effective runs, all its runs, and the findings.
    pub fn of(effective: i64, runs: i64, findings: Vec<FindingWeight>) -> Self {
        let number = |count: i64| f64::from(u32::try_from(count.max(0)).unwrap_or(u32::MAX));
        Self {
            effective,
            runs,
            prior: (number(effective) + 1.0) / (number(runs) + 2.0),
            findings,
        }
    }

    /// Returns the confidence with two digits, and in words.
    pub fn rounded(&self) -> (f64, String) {
        let rounded = (self.confidence() * 100.0).round() / 100.0;
        let (effective, runs) = (self.effective, self.runs);
        let record = match runs {
            // So few make no record.
            ..10 => "no record yet".to_owned(),
            _ => format!("it helped in {effective} of {runs} runs"),
        };
        (rounded, format!("{rounded:.2}; {record}"))
    }

    /// Returns the confidence, from 0 to 1.
    pub fn confidence(&self) -> f64 {
        let weights = self.findings.iter().map(|finding| finding.weight);
        let odds = self.prior / (1.0 - self.prior) * weights.product::<f64>();
        let confidence = odds.is_finite().then(|| odds / (1.0 + odds));
        confidence.unwrap_or(1.0)
    }
}

/// Outcomes of the actions that a playbook version proposed to an organization, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaybookRuns {
    pub organization_id: OrganizationId,
    pub name: String,
    /// Its version. In the table, `version` is the item's version.
    pub playbook_version: u32,
    /// Number of known outcomes.
    pub runs: i64,
    /// Number of runs that had their effect.
    pub effective: i64,
}

/// Outcomes of the playbooks' earlier proposals to an organization.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaybookRecord {
    pub runs: Vec<PlaybookRuns>,
    /// Playbook versions that lately did not help a record of the alert, by [`PlaybookVersion::label`].
    pub not_helped: Vec<String>,
}

impl PlaybookRecord {
    /// Returns the number of a version's effective runs, and the number of all its runs.
    pub fn of(&self, playbook: &PlaybookVersion) -> (i64, i64) {
        let is_it = |one: &&PlaybookRuns| {
            one.name == playbook.name && one.playbook_version == playbook.version
        };
        let runs = self.runs.iter().find(is_it);
        runs.map_or((0, 0), |one| (one.effective, one.runs))
    }

    pub fn did_not_help(&self, playbook: &PlaybookVersion) -> bool {
        self.not_helped.contains(&playbook.label())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(weight: f64) -> FindingWeight {
        FindingWeight {
            id: "f".into(),
            weight,
        }
    }

    #[test]
    fn confidence_is_prior_odds_times_weights() {
        for (effective, runs, weights, confidence) in [
            (0, 0, vec![], 0.5),
            (0, 0, vec![3.0], 0.75),
            (8, 8, vec![], 0.9),
            (8, 8, vec![0.5, 2.0], 0.9),
            (0, 8, vec![9.0], 0.5),
            (0, 0, vec![f64::MAX, f64::MAX], 1.0),
        ] {
            let from =
                ConfidenceFrom::of(effective, runs, weights.into_iter().map(weight).collect());
            let found = from.confidence();
            assert!((found - confidence).abs() < 1e-12, "{found} {from:?}");
        }
    }

    #[test]
    fn a_confidence_has_two_digits_and_names_its_record() {
        for (effective, runs, says) in [
            (0, 0, "0.92; no record yet"),
            (9, 9, "0.99; no record yet"),
            (6, 10, "0.94; it helped in 6 of 10 runs"),
        ] {
            let from = ConfidenceFrom::of(effective, runs, vec![weight(12.0)]);
            let (rounded, text) = from.rounded();
            assert_eq!(text, says);
            assert!((rounded - from.confidence()).abs() <= 0.005);
        }
    }

    #[test]
    fn a_version_has_a_record_of_its_own() {
        let version = |version| PlaybookVersion {
            name: "a".into(),
            version,
            hash: String::new(),
        };
        let record = PlaybookRecord {
            runs: vec![PlaybookRuns {
                organization_id: model::Id::new(1).unwrap(),
                name: "a".into(),
                playbook_version: 2,
                runs: 5,
                effective: 4,
            }],
            not_helped: vec!["a#2".into()],
        };
        assert_eq!(record.of(&version(2)), (4, 5));
        assert_eq!(record.of(&version(1)), (0, 0));
        assert!(record.did_not_help(&version(2)) && !record.did_not_help(&version(1)));
    }
}
