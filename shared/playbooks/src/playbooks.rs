//! The shipped playbooks: files beside the code, versioned with it. Each start of a function that
//! uses them, and the tests, check them all.

use agent::session::Case;

use serde::Deserialize;
use serde_json::Value;

use crate::playbook::{MOST_READS, Playbook, Read};

/// A playbook's file, as the build script writes it.
#[derive(Debug, Deserialize)]
struct File {
    /// Its name without `.toml`, for error messages.
    name: String,
    hash: String,
    content: Value,
}

/// The shipped playbooks: a list of [`File`].
const FILES: &str = include_str!(concat!(env!("OUT_DIR"), "/files.json"));

#[derive(Debug)]
pub struct Playbooks {
    playbooks: Vec<Playbook>,
    /// The playbook for alerts that no other matches.
    pub(super) fallback: Playbook,
}

/// The reason why the playbooks cannot be used, in words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PlaybookError(String);

impl Playbooks {
    pub fn shipped() -> Result<Self, PlaybookError> {
        let files = serde_json::from_str::<Vec<File>>(FILES);
        Self::read(files.map_err(|error| PlaybookError(error.to_string()))?)
    }

    fn read(files: impl IntoIterator<Item = File>) -> Result<Self, PlaybookError> {
        let mut fallback = None;
        let mut playbooks: Vec<Playbook> = Vec::new();
        for file in files {
            let flawed = |flaw: String| PlaybookError(format!("playbook {}: {flaw}", file.name));
            let playbook = Playbook::read(&file.name, file.hash, file.content).map_err(flawed)?;
            let mut others = playbooks.iter().chain(&fallback);
            if others.any(|other| other.matches == playbook.matches) {
                return Err(flawed("another one matches the same".to_owned()));
            }
            if playbook.is_fallback() {
                fallback = Some(playbook);
            } else {
                playbooks.push(playbook);
            }
        }
        let no_fallback = || PlaybookError("no playbook is the fallback".to_owned());
        Ok(Self {
            playbooks,
            fallback: fallback.ok_or_else(no_fallback)?,
        })
    }

    /// Returns the playbooks that match an alert, most specific first, without the fallback. Also
    /// returns the labels of matching playbooks that did not help one of its records before. The
    /// reads of one analysis are limited; more specific playbooks take precedence.
    pub(super) fn for_case(&self, case: &Case) -> (Vec<&Playbook>, Vec<String>) {
        let matching = self.playbooks.iter();
        let matching = matching.filter(|playbook| playbook.matches.fit(case));
        let (not_helped, mut able): (Vec<&Playbook>, Vec<&Playbook>) =
            matching.partition(|playbook| {
                case.playbooks
                    .did_not_help(&playbook.version())
            });
        able.sort_by(|a, b| {
            let closer = b
                .matches
                .specificity()
                .cmp(&a.matches.specificity());
            closer.then_with(|| a.name.cmp(&b.name))
        });
        let mut reads: Vec<Read> = Vec::new();
        able.retain(|playbook| {
            let values = playbook
                .values(&case.alert)
                .within(case.systems());
            let (own, _) = playbook.reads_with(values, |_, _| ());
            let new: Vec<Read> = own
                .into_iter()
                .filter(|read| !reads.contains(read))
                .collect();
            let fits = reads.len() + new.len() <= MOST_READS;
            if fits {
                reads.extend(new);
            }
            fits
        });
        let passed_over = not_helped
            .iter()
            .map(|playbook| playbook.version().label());
        (able, passed_over.collect())
    }
}

#[cfg(test)]
mod tests;
