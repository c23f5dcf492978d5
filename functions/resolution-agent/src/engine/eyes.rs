//! Reads of target systems for an analysis. A pause of the organization or of a connection does not
//! stop them, since reads change nothing.

use std::{collections::BTreeMap, time::Duration};

use futures::future::{BoxFuture, join_all};
use shared::{
    agent::{Case, Connection, Facts, ReadEvidence, TargetRead},
    model::JsonText,
};
use targets::{Seen, Targets};

use super::playbook::{Playbook, Read};

/// Timeout of all reads of an analysis, which are sent concurrently.
pub const PATIENCE: Duration = Duration::from_secs(8);

/// Reads records of target systems.
pub trait Eyes: Send + Sync {
    /// Returns the result of a read through a connection, or the problem.
    fn look<'a>(
        &'a self,
        connection: &'a Connection,
        read: &'a TargetRead,
        timeout: Duration,
    ) -> BoxFuture<'a, Result<Seen, String>>;
}

impl Eyes for Targets {
    fn look<'a>(
        &'a self,
        connection: &'a Connection,
        read: &'a TargetRead,
        timeout: Duration,
    ) -> BoxFuture<'a, Result<Seen, String>> {
        Box::pin(async move {
            let seen = Self::look(self, connection, read, timeout).await;
            seen.map_err(|why| why.problem())
        })
    }
}

/// The results of all reads of an analysis. A read that several playbooks share is sent once.
#[derive(Debug, Default)]
pub(super) struct Sight(Vec<(Read, ReadEvidence)>);

impl Sight {
    /// Sends the reads of these playbooks concurrently and waits for all of them, at most
    /// [`PATIENCE`].
    pub(super) async fn of(eyes: &dyn Eyes, case: &Case, playbooks: &[&Playbook]) -> Self {
        let mut reads: Vec<Read> = Vec::new();
        for playbook in playbooks {
            for read in playbook.reads(case) {
                if !reads.contains(&read) {
                    reads.push(read);
                }
            }
        }
        let looks = reads.into_iter().map(|read| async {
            let evidence = look(eyes, case, &read).await;
            (read, evidence)
        });
        Self(join_all(looks).await)
    }

    /// Returns the failed reads of a playbook by name, with the reasons.
    pub(super) fn unread(&self, reads: &[Read]) -> BTreeMap<String, String> {
        let own = self.0.iter().filter(|(read, _)| reads.contains(read));
        let unread =
            own.filter_map(|(read, evidence)| Some((read.name.clone(), unread(evidence)?)));
        unread.collect()
    }

    /// Returns the facts of a playbook's reads.
    pub(super) fn facts(&self, reads: &[Read]) -> Facts {
        let mut facts = Facts::default();
        for (read, evidence) in &self.0 {
            if reads.contains(read) {
                facts.extend(evidence.facts.0.clone());
            }
        }
        facts
    }

    pub(super) fn into_evidence(self) -> Vec<ReadEvidence> {
        self.0.into_iter().map(|(_, evidence)| evidence).collect()
    }
}

/// Returns why a read failed, as part of a sentence.
fn unread(evidence: &ReadEvidence) -> Option<String> {
    if let Some(error) = &evidence.error {
        let mut letters = error.trim_end_matches('.').chars();
        let first = letters.next()?.to_lowercase();
        return Some(first.chain(letters).collect());
    }
    let (request, status) = (evidence.request.as_ref()?, evidence.status?);
    let is_success = (200..300).contains(&status);
    (!is_success).then(|| format!("{request} was answered {status}"))
}

async fn look(eyes: &dyn Eyes, case: &Case, read: &Read) -> ReadEvidence {
    let mut evidence = ReadEvidence {
        name: read.name.clone(),
        connection: read.connection.clone(),
        request: None,
        status: None,
        hash: None,
        facts: JsonText::default(),
        excerpt: None,
        error: None,
        at: case.history.at,
    };
    let seen = match read.ready(&case.connections) {
        Ok((_, read)) if read.asks_for_key() => {
            let early = "It was not sent: it looks for what a call makes, by the call's key.";
            Err(early.to_owned())
        }
        Ok((connection, read)) => {
            evidence.request = Some(read.call().summary());
            let look = eyes.look(connection, read, PATIENCE);
            let late = "The target system did not answer in time.";
            let look = tokio::time::timeout(PATIENCE, look).await;
            look.unwrap_or_else(|_| Err(late.to_owned()))
        }
        Err(why) => Err(format!("It was not sent: {why}.")),
    };
    match seen {
        Ok(seen) => {
            evidence.status = Some(seen.status);
            evidence.hash = Some(seen.hash);
            evidence.excerpt = Some(seen.excerpt);
            evidence.facts = JsonText(seen.facts);
        }
        Err(why) => evidence.error = Some(why),
    }
    evidence
}
