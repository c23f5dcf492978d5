//! The basis of an analysis: reads of target systems, the findings on them, and the confidence that
//! the proposal helps.

use model::base::{JsonText, OrganizationId, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    action::PlaybookVersion,
    alert::Alert,
    check::Facts,
    connection::{Connection, Systems},
    pattern::ClassHistory,
};

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

/// A read of a target system and its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadEvidence {
    /// Name of the read; the names of its facts begin with it.
    pub name: String,
    pub connection: String,
    /// Request that was sent; null if none could be sent.
    pub request: Option<String>,
    /// HTTP status of the answer; null without an answer.
    #[schema(value_type = Option<i64>, minimum = 100, maximum = 599)]
    pub status: Option<u16>,
    /// SHA-256 of the answer's whole body, without secrets.
    pub hash: Option<String>,
    #[schema(ignore)]
    pub facts: JsonText<Facts>,
    /// The hash of the answer's [excerpt](crate::connection::Excerpt); none without an answer.
    pub excerpt_hash: Option<String>,
    /// Reason why there is no answer.
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

/// The confidence in a proposal: the share of its playbook's findings that hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confidence {
    /// Number of findings that hold.
    pub holding: u32,
    pub findings: u32,
    /// Number of runs of this playbook version that had their effect.
    pub effective: i64,
    /// Number of runs whose effect was verified, either way.
    pub runs: i64,
}

impl Confidence {
    /// Returns the share, from 0 to 1, with two digits. 0 without findings.
    pub fn share(self) -> f64 {
        let share = f64::from(self.holding) / f64::from(self.findings.max(1));
        (share * 100.0).round() / 100.0
    }

    /// Returns the findings and the record in words:
    /// `4 of 4 findings hold; 12 of 12 runs were effective`.
    pub fn says(self) -> String {
        let Self {
            holding,
            findings,
            effective,
            runs,
        } = self;
        let record = match runs {
            0 => "no run of this playbook yet".to_owned(),
            _ => format!("{effective} of {runs} runs were effective"),
        };
        match findings {
            0 => "No finding supports it".to_owned(),
            _ => format!("{holding} of {findings} findings hold; {record}"),
        }
    }
}

/// Outcomes of the actions that a playbook version proposed to an organization, as far as they are
/// known.
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
    /// Playbook versions that lately did not help a record of the alert, by
    /// [`PlaybookVersion::label`].
    pub not_helped: Vec<String>,
}

impl PlaybookRecord {
    /// Returns the number of a version's effective runs, and the number of all its runs.
    pub fn of(&self, playbook: &PlaybookVersion) -> (i64, i64) {
        let is_it = |runs: &&PlaybookRuns| {
            runs.name == playbook.name && runs.playbook_version == playbook.version
        };
        let runs = self.runs.iter().find(is_it);
        runs.map_or((0, 0), |runs| (runs.effective, runs.runs))
    }

    pub fn did_not_help(&self, playbook: &PlaybookVersion) -> bool {
        self.not_helped
            .contains(&playbook.label())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confidence_is_the_share_of_findings_that_hold() {
        for (holding, findings, runs, share, says) in [
            (
                4,
                4,
                0,
                1.0,
                "4 of 4 findings hold; no run of this playbook yet",
            ),
            (
                2,
                3,
                12,
                0.67,
                "2 of 3 findings hold; 11 of 12 runs were effective",
            ),
            (
                0,
                2,
                0,
                0.0,
                "0 of 2 findings hold; no run of this playbook yet",
            ),
            (0, 0, 0, 0.0, "No finding supports it"),
        ] {
            let effective = (runs - 1).max(0);
            let confidence = Confidence {
                holding,
                findings,
                effective,
                runs,
            };
            assert!((confidence.share() - share).abs() < 1e-9, "{confidence:?}");
            assert_eq!(confidence.says(), says);
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
                organization_id: model::base::Id::new(1).unwrap(),
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
