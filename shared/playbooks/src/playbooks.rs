//! The shipped playbooks: files beside the code, versioned with it. Each start of a function that
//! uses them, and the tests, check them all.

use agent::session::Case;

use super::playbook::{MOST_READS, Matches, Playbook, Read};

/// A playbook's name, for error messages, and its text.
type File<'a> = (&'a str, &'a str);

macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../files/", $name, ".toml")))
    };
}

/// The shipped playbooks.
const FILES: [File; 15] = [
    file!("customer-out-of-sync"),
    file!("dispute-opened"),
    file!("fallback"),
    file!("invoice-duplicated"),
    file!("invoice-generation-failed"),
    file!("invoice-not-finalized"),
    file!("invoice-quantity-differs"),
    file!("payment-declined"),
    file!("payment-failed"),
    file!("payment-outcome-unknown"),
    file!("stripe-invoice-unpaid"),
    file!("usage-batch-stuck"),
    file!("usage-counted-twice"),
    file!("usage-events-missing"),
    file!("webhooks-failing"),
];

/// All playbooks.
#[derive(Debug)]
pub struct Playbooks {
    playbooks: Vec<Playbook>,
    /// The playbook for alerts that no other matches.
    fallback: Playbook,
}

/// The reason why the playbooks cannot be used, in words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PlaybookError(String);

impl Playbooks {
    /// Reads the shipped playbooks.
    pub fn shipped() -> Result<Self, PlaybookError> {
        Self::read(FILES)
    }

    fn read<'a>(files: impl IntoIterator<Item = File<'a>>) -> Result<Self, PlaybookError> {
        let mut fallback = None;
        let mut playbooks: Vec<Playbook> = Vec::new();
        for (name, text) in files {
            let flawed = |flaw: String| PlaybookError(format!("playbook {name}: {flaw}"));
            let playbook = Playbook::read(name, text).map_err(flawed)?;
            let mut others = playbooks.iter().chain(&fallback);
            if others.any(|other| other.matches == playbook.matches) {
                return Err(flawed("another one matches the same".to_owned()));
            }
            if playbook.matches == Matches::default() {
                fallback = Some(playbook);
            } else {
                playbooks.push(playbook);
            }
        }
        let none = || PlaybookError("no playbook is the fallback".to_owned());
        Ok(Self {
            playbooks,
            fallback: fallback.ok_or_else(none)?,
        })
    }

    /// Returns the playbook that matches every alert.
    pub(super) const fn fallback(&self) -> &Playbook {
        &self.fallback
    }

    /// Returns the playbooks that match an alert, most specific first, without the fallback. Also
    /// returns the labels of matching playbooks that did not help one of its records before. The
    /// reads of one analysis are limited; more specific playbooks take precedence.
    pub(super) fn for_case(&self, case: &Case) -> (Vec<&Playbook>, Vec<String>) {
        let matching = self.playbooks.iter();
        let matching = matching.filter(|playbook| playbook.matches.fit(&case.alert));
        let (not_helped, mut able): (Vec<&Playbook>, Vec<&Playbook>) =
            matching.partition(|one| case.playbooks.did_not_help(&one.version()));
        able.sort_by(|a, b| {
            let closer = b.matches.specificity().cmp(&a.matches.specificity());
            closer.then_with(|| a.name.cmp(&b.name))
        });
        let mut reads: Vec<Read> = Vec::new();
        able.retain(|playbook| {
            let new = playbook.reads(case).into_iter();
            let new: Vec<Read> = new.filter(|read| !reads.contains(read)).collect();
            let fits = reads.len() + new.len() <= MOST_READS;
            if fits {
                reads.extend(new);
            }
            fits
        });
        let passed_over = not_helped.iter().map(|one| one.version().label());
        (able, passed_over.collect())
    }
}

#[cfg(test)]
mod tests;
