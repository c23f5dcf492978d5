//! The playbooks. They are files beside the code, versioned with it; all of them are checked
//! whenever a function starts and in the tests.

use shared::model::Case;

use super::{
    eyes::MOST_READS,
    playbook::{Flaw, Matches, Playbook, Read},
};

/// A playbook's name, for messages, and its text.
type File<'a> = (&'a str, &'a str);

macro_rules! file {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../playbooks/", $name, ".toml")),
        )
    };
}

/// Those of this function.
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
pub(super) struct Playbooks {
    playbooks: Vec<Playbook>,
    /// What is used where none matches.
    fallback: Playbook,
}

/// Why the playbooks cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PlaybookError {
    /// One of them has a flaw.
    #[error("playbook {name}: {flaw}")]
    Flawed {
        /// Which one.
        name: String,
        /// What is wrong with it.
        flaw: Flaw,
    },
    /// For some signals there would be none.
    #[error("no playbook is the fallback")]
    NoFallback,
}

impl Playbooks {
    /// Those of this function.
    pub(super) fn shipped() -> Result<Self, PlaybookError> {
        Self::read(FILES)
    }

    fn read<'a>(files: impl IntoIterator<Item = File<'a>>) -> Result<Self, PlaybookError> {
        let mut fallback = None;
        let mut playbooks: Vec<Playbook> = Vec::new();
        for (name, text) in files {
            let flawed = |flaw| PlaybookError::Flawed {
                name: name.to_owned(),
                flaw,
            };
            let playbook = Playbook::read(name, text).map_err(flawed)?;
            let mut others = playbooks.iter().chain(&fallback);
            if others.any(|other| other.matches == playbook.matches) {
                return Err(flawed(Flaw::Twin));
            }
            if playbook.matches == Matches::default() {
                fallback = Some(playbook);
            } else {
                playbooks.push(playbook);
            }
        }
        Ok(Self {
            playbooks,
            fallback: fallback.ok_or(PlaybookError::NoFallback)?,
        })
    }

    /// The one that is for every signal.
    pub(super) const fn fallback(&self) -> &Playbook {
        &self.fallback
    }

    /// Those that are for a signal, the closest first and the fallback last; and those that would be, but
    /// for that they did not help one of its records before, by their labels. As many as one analysis can
    /// send the reads of; a closer one keeps out one that fits less.
    pub(super) fn for_case(&self, case: &Case) -> (Vec<&Playbook>, Vec<String>) {
        let matching = self.playbooks.iter();
        let matching = matching.filter(|playbook| playbook.matches.fit(&case.signal));
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
        able.push(&self.fallback);
        let passed_over = not_helped.iter().map(|one| one.version().label());
        (able, passed_over.collect())
    }
}

#[cfg(test)]
mod tests;
