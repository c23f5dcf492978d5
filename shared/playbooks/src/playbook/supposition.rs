//! Suppositions: all that has to be so for an action to be right.

use serde::Deserialize;

use super::condition::Many;

/// A supposition, with the facts that show it.
#[derive(Debug, Deserialize)]
#[serde(try_from = "SuppositionInFile")]
pub(super) struct Supposition {
    /// The required facts that show it. Empty if a person has to know, so that the action is manual.
    facts: Vec<String>,
}

/// A supposition in the file: `{ says = "It is open.", read = "invoice.state" }`, or with
/// `manual = true` if no read shows it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SuppositionInFile {
    says: String,
    #[serde(default)]
    read: Many<String>,
    #[serde(default)]
    manual: bool,
}

impl TryFrom<SuppositionInFile> for Supposition {
    type Error = String;

    fn try_from(sent: SuppositionInFile) -> Result<Self, String> {
        if sent.says.is_empty() || sent.manual != sent.read.0.is_empty() {
            let flaw = "names either the facts that show it, or `manual = true`";
            return Err(format!("the supposition {:?} {flaw}", sent.says));
        }
        Ok(Self { facts: sent.read.0 })
    }
}

impl Supposition {
    pub(super) fn is_covered(&self, required: &[&str]) -> bool {
        let is_required = |fact: &String| required.contains(&fact.as_str());
        !self.facts.is_empty() && self.facts.iter().all(is_required)
    }
}
