//! The checks of an action after its end, and their stored form. The last release reads and writes
//! that form, too; each purpose has statuses of its own there.

use model::base::{JsonText, Timestamp};
use serde::{Deserialize, Serialize};

use crate::check::{CheckPurpose, CheckRecord, CheckStatus};

/// The checks of an action after its end. At most one purpose is pending at a time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredChecks", into = "StoredChecks")]
pub struct Checks {
    /// Of an unclear call, if the action ended as unknown and its step has a reconciliation.
    pub call: Option<CheckRecord>,
    /// Of the effect, if the action succeeded and has a verification.
    pub effect: Option<CheckRecord>,
}

impl Checks {
    /// Returns the checks that were begun, each with its purpose.
    pub fn begun(&self) -> impl Iterator<Item = (CheckPurpose, &CheckRecord)> {
        let call = self
            .call
            .iter()
            .map(|record| (CheckPurpose::Call, record));
        let effect = self
            .effect
            .iter()
            .map(|record| (CheckPurpose::Effect, record));
        call.chain(effect)
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredChecks {
    verification: Option<StoredCheck<EffectStatus>>,
    reconciliation: Option<StoredCheck<CheckStatus>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredCheck<S> {
    status: S,
    #[serde(rename = "looks")]
    count: i64,
    at: Option<Timestamp>,
    next: Option<Timestamp>,
    found: Option<JsonText>,
    problem: Option<String>,
    /// True if the last check read nothing.
    is_blind: bool,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EffectStatus {
    Pending,
    Effective,
    Ineffective,
}

impl From<StoredChecks> for Checks {
    fn from(stored: StoredChecks) -> Self {
        let effect = stored.verification.map(|check| {
            let status = match check.status {
                EffectStatus::Pending => CheckStatus::Pending,
                EffectStatus::Effective => CheckStatus::Done,
                EffectStatus::Ineffective if check.is_blind => CheckStatus::Unknown,
                EffectStatus::Ineffective => CheckStatus::NotDone,
            };
            check.with(status)
        });
        let call = stored.reconciliation;
        Self {
            call: call.map(|check| {
                let status = check.status;
                check.with(status)
            }),
            effect,
        }
    }
}

impl From<Checks> for StoredChecks {
    fn from(checks: Checks) -> Self {
        let verification = checks.effect.map(|record| {
            let status = match record.status {
                CheckStatus::Pending => EffectStatus::Pending,
                CheckStatus::Done => EffectStatus::Effective,
                CheckStatus::NotDone | CheckStatus::Unknown => EffectStatus::Ineffective,
            };
            StoredCheck::of(record, status)
        });
        let reconciliation = checks.call.map(|record| {
            let status = record.status;
            StoredCheck::of(record, status)
        });
        Self {
            verification,
            reconciliation,
        }
    }
}

impl<S> StoredCheck<S> {
    fn of(record: CheckRecord, status: S) -> Self {
        Self {
            status,
            count: record.count,
            at: record.at,
            next: record.next,
            found: record.found,
            problem: record.problem,
            is_blind: record.status == CheckStatus::Unknown,
        }
    }

    fn with(self, status: CheckStatus) -> CheckRecord {
        CheckRecord {
            status,
            count: self.count,
            at: self.at,
            next: self.next,
            found: self.found,
            problem: self.problem,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn checks_are_stored_in_the_form_of_the_last_release() {
        let statuses = [
            (CheckStatus::Pending, "pending", "pending", false),
            (CheckStatus::Done, "effective", "done", false),
            (CheckStatus::NotDone, "ineffective", "not_done", false),
            (CheckStatus::Unknown, "ineffective", "unknown", true),
        ];
        for (status, of_effect, of_call, is_blind) in statuses {
            let record = CheckRecord {
                status,
                count: 2,
                ..CheckRecord::default()
            };
            let checks = Checks {
                call: Some(record.clone()),
                effect: Some(record),
            };
            let stored = |status| {
                json!({
                    "status": status, "looks": 2, "at": null, "next": null, "found": null,
                    "problem": null, "isBlind": is_blind,
                })
            };
            let expected =
                json!({ "verification": stored(of_effect), "reconciliation": stored(of_call) });
            assert_eq!(json!(checks), expected);
            assert_eq!(serde_json::from_value::<Checks>(expected).unwrap(), checks);
        }
    }
}
