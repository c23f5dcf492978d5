//! The account behind a connection, as it is read before an action's calls.

use model::base::characters::{is_hidden, is_invisible};

use crate::{
    check::{Observation, ReadError, TargetRead},
    connection::{ConnectionIdentity, values::plain},
};

impl ConnectionIdentity {
    /// The name of the read. No playbook's read has it: a hyphen is no part of their names.
    const READ: &'static str = "account-check";
    /// The most characters of a value that names the account.
    const LONGEST: usize = 200;

    /// Returns the read of the account through a connection.
    pub fn read(&self, connection: &str) -> TargetRead {
        let facts = self.at.iter().enumerate();
        let facts = facts.map(|(at, pointer)| (at.to_string(), pointer.to_string()));
        TargetRead {
            name: Self::READ.to_owned(),
            connection: connection.to_owned(),
            path: self.path.to_string(),
            facts: facts.collect(),
            ..TargetRead::default()
        }
    }

    /// Returns the account that was observed, or why it is not known.
    pub fn account(&self, observation: &Observation) -> Result<String, ReadError> {
        if let Some(error) = observation.error_of(Self::READ) {
            return Err(error.clone());
        }
        let values = self
            .at
            .iter()
            .enumerate()
            .map(|(at, pointer)| {
                let fact = format!("{}.{at}", Self::READ);
                let value = observation.facts.get(&fact).map(plain);
                value
                    .filter(|text| Self::names(text))
                    .ok_or_else(|| {
                        let path = &self.path;
                        ReadError::for_now(format!(
                            "The answer to GET {path} names no account at {pointer}."
                        ))
                    })
            });
        let values: Vec<String> = values.collect::<Result<_, _>>()?;
        Ok(values.join(", "))
    }

    /// True for a visible text without a part that was hidden as the secret.
    fn names(text: &str) -> bool {
        let is_short = (1..=Self::LONGEST).contains(&text.chars().count());
        let is_unseen =
            |character: char| character == '…' || is_hidden(character) || is_invisible(character);
        is_short && !text.contains(is_unseen)
    }
}
