//! Options of the campaign.

use std::{path::PathBuf, time::Duration};

use strum::VariantArray;

use crate::kind::Kind;

/// Strikes of each kind by default.
const EACH: usize = 1_000;
const QUICK: usize = 10;

const CLIENTS: usize = 16;
const QUICK_CLIENTS: usize = 8;

/// Options of the campaign.
#[derive(Debug)]
pub struct Options {
    pub each: usize,
    /// The kinds of one system strike together.
    pub quick: bool,
    /// Clients of an organization that work at the same time.
    pub clients: usize,
    pub seed: u64,
    /// Only the kinds whose titles have this word.
    pub only: Option<String>,
    /// Only the story in which all kinds strike.
    pub together: bool,
    /// The folder with the binaries of another release, which serve beside these.
    pub former: Option<PathBuf>,
    /// Instead of the campaign: run an engine on this file.
    pub engine: Option<String>,
    /// Instead of the campaign: time an organization beside one that makes noise.
    pub neighbor: bool,
}

impl Options {
    /// Reads the arguments of this process.
    pub fn read() -> Self {
        let usage = "fault-campaign [--quick] [--dev] [--each N] [--seed N] [--only WORD] \
                     [--together] [--former FOLDER] [--neighbor] [--engine FILE]";
        let options = tests::Options::read(usage);
        let (usual, clients) = if options.has("--quick") {
            (QUICK, QUICK_CLIENTS)
        } else {
            (EACH, CLIENTS)
        };
        Self {
            each: options.get("--each").unwrap_or(usual),
            quick: options.has("--quick"),
            clients,
            seed: options.get("--seed").unwrap_or(1),
            only: options.get("--only"),
            together: options.has("--together"),
            former: options.get("--former"),
            engine: options.get("--engine"),
            neighbor: options.has("--neighbor"),
        }
    }

    fn includes(&self, kind: Kind) -> bool {
        let only = self.only.as_ref();
        !self.together && only.is_none_or(|word| kind.title().contains(word.as_str()))
    }

    /// Returns all stories but the last: each is a title with the kinds of its faults.
    pub fn stories(&self) -> Vec<(&'static str, Vec<Kind>)> {
        let mut stories: Vec<(&str, Vec<Kind>)> = Vec::new();
        let kinds = Kind::VARIANTS.iter().copied();
        for kind in kinds.filter(|kind| self.includes(*kind)) {
            let title = if self.quick {
                kind.system()
            } else {
                kind.title()
            };
            match stories
                .iter_mut()
                .find(|(other, _)| *other == title)
            {
                Some((_, kinds)) => kinds.push(kind),
                None => stories.push((title, vec![kind])),
            }
        }
        stories
    }

    /// Returns the time limit of a story, which no slow machine should need.
    pub fn patience(&self) -> Duration {
        Duration::from_mins(10) + Duration::from_millis(1_500) * u32::try_from(self.each).unwrap()
    }
}
