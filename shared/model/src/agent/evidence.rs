//! What an analysis goes by: what was read of target systems, what follows from that, and how likely it
//! makes that the proposal helps.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Facts, PlaybookVersion};
use crate::{ClassHistory, Connection, JsonText, OrganizationId, Signal, Timestamp};

/// All that is known when a signal is analysed.
#[derive(Clone, Debug)]
pub struct Case {
    /// The signal.
    pub signal: Signal,
    /// What its class did.
    pub history: ClassHistory,
    /// What the organization's actions may call.
    pub connections: Vec<Connection>,
    /// What became of what playbooks proposed before.
    pub playbooks: PlaybookRecord,
}

/// A read of a target system for an analysis, and what it came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadEvidence {
    /// Its name, with which those of its facts begin.
    pub name: String,
    /// The connection that it was to go through.
    pub connection: String,
    /// What was sent, as `GET /invoices/inv_1`; none if nothing could be.
    pub request: Option<String>,
    /// The answer's status; none without an answer.
    pub status: Option<u16>,
    /// SHA-256 of the answer's body without secrets and private members, in hexadecimal.
    pub hash: Option<String>,
    /// What is known by it.
    pub facts: JsonText<Facts>,
    /// The answer without secrets and private members, up to 4 KiB: `{status, body}`.
    pub excerpt: Option<JsonText>,
    /// Why there is no answer.
    pub error: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// Something that a playbook asks of what was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// Its id within the playbook.
    pub id: String,
    /// What is claimed.
    pub says: String,
    /// Whether it is so; null when what it goes by is not known.
    pub holds: Option<bool>,
    /// When that was read.
    pub at: Timestamp,
}

/// What a confidence follows from: `odds = prior / (1 - prior)`, times each finding's weight; the
/// confidence is `odds / (1 + odds)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfidenceFrom {
    /// How often what this version of the playbook proposed had its effect.
    pub effective: i64,
    /// How often that was found out, either way.
    pub runs: i64,
    /// `(effective + 1) / (runs + 2)`.
    pub prior: f64,
    /// The findings that count, each once.
    pub findings: Vec<FindingWeight>,
}

/// How much a finding counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingWeight {
    /// Its id within the playbook.
    pub id: String,
    /// How many times likelier the answers are if the playbook helps than if it does not.
    pub weight: f64,
}

impl ConfidenceFrom {
    /// By how often a playbook's version was effective of so many runs, and what was found.
    #[must_use]
    pub fn of(effective: i64, runs: i64, findings: Vec<FindingWeight>) -> Self {
        let number = |count: i64| f64::from(u32::try_from(count.max(0)).unwrap_or(u32::MAX));
        Self {
            effective,
            runs,
            prior: (number(effective) + 1.0) / (number(runs) + 2.0),
            findings,
        }
    }

    /// From 0 to 1.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        let weights = self.findings.iter().map(|finding| finding.weight);
        let odds = self.prior / (1.0 - self.prior) * weights.product::<f64>();
        if odds.is_finite() {
            odds / (1.0 + odds)
        } else {
            1.0
        }
    }
}

/// What became of the actions that a version of a playbook proposed to an organization, as far as it was
/// found out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaybookRuns {
    /// Whose.
    pub organization_id: OrganizationId,
    /// The playbook.
    pub name: String,
    /// Its version. (In the table, `version` is that of the item.)
    pub playbook_version: u32,
    /// How often it was found out.
    #[serde(default)]
    pub runs: i64,
    /// How often they had their effect.
    #[serde(default)]
    pub effective: i64,
}

/// The playbooks that did not help a record of a target system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NotHelped {
    /// Whose.
    pub organization_id: OrganizationId,
    /// The record.
    pub entity: String,
    /// Each by [`PlaybookVersion::label`].
    #[serde(default)]
    pub playbooks: Vec<String>,
}

/// What became of what playbooks proposed to an organization before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaybookRecord {
    /// How often what each version proposed had its effect.
    pub runs: Vec<PlaybookRuns>,
    /// Those that did not help a record that the signal names, by [`PlaybookVersion::label`].
    pub not_helped: Vec<String>,
}

impl PlaybookRecord {
    /// How often a version's actions had their effect, and how often that was found out.
    #[must_use]
    pub fn of(&self, playbook: &PlaybookVersion) -> (i64, i64) {
        let mut runs = self.runs.iter();
        let is_it = |one: &&PlaybookRuns| {
            one.name == playbook.name && one.playbook_version == playbook.version
        };
        runs.find(is_it)
            .map_or((0, 0), |one| (one.effective, one.runs))
    }

    /// Whether it did not help a record that the signal names.
    #[must_use]
    pub fn did_not_help(&self, playbook: &PlaybookVersion) -> bool {
        self.not_helped.contains(&playbook.label())
    }
}

impl PlaybookVersion {
    /// Name and version: `invoice-duplicated#3`.
    #[must_use]
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
    fn a_version_has_a_record_of_its_own() {
        let version = |version| PlaybookVersion {
            name: "a".into(),
            version,
            hash: String::new(),
        };
        let record = PlaybookRecord {
            runs: vec![PlaybookRuns {
                organization_id: crate::Id::new(1).unwrap(),
                name: "a".into(),
                playbook_version: 2,
                runs: 5,
                effective: 4,
            }],
            not_helped: vec!["a#2".into()],
        };
        assert_eq!(
            (record.of(&version(2)), record.of(&version(1))),
            ((4, 5), (0, 0))
        );
        assert!(record.did_not_help(&version(2)) && !record.did_not_help(&version(1)));
    }
}
