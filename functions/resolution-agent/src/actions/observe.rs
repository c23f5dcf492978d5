//! Reads of target systems for a preview; they change nothing.

use std::time::Duration;

use shared::{
    agent::{
        check::{Observation, ReadError, Seen, TargetRead, reads_of},
        connection::Connection,
        session::ProposedAction,
    },
    endpoint::*,
    problem::Cause,
    store::agent::Previewed,
};
use targets::Targets;

/// Time limit for all reads of a preview together.
const PATIENCE: Duration = Duration::from_secs(8);

#[derive(Debug)]
pub struct Observations(Vec<(TargetRead, Result<Seen, ReadError>)>);

impl Observations {
    /// Reads the facts of these actions' preconditions, each read once. A paused connection or a
    /// late answer gives a read error.
    pub async fn of(targets: &Targets, previewed: &Previewed, actions: &[&ProposedAction]) -> Self {
        let mut wanted: Vec<TargetRead> = Vec::new();
        let contents = actions
            .iter()
            .map(|action| &action.content);
        for read in contents.flat_map(|content| reads_of(&content.reads, &content.require)) {
            if !wanted.contains(&read) {
                wanted.push(read);
            }
        }
        let through = |name: &str| {
            let connection = connection(&previewed.connections, name)?;
            if previewed.is_paused || connection.paused {
                return Err(ReadError::for_now("It is paused; nothing was sent."));
            }
            Ok(connection)
        };
        let seen = targets
            .read_all(&wanted, through, PATIENCE)
            .await;
        Self(wanted.into_iter().zip(seen).collect())
    }

    pub fn observation(&self, action: &ProposedAction) -> Observation {
        let reads = self.0.iter();
        let own = reads.filter(|(read, _)| action.content.reads.contains(read));
        own.map(|(read, seen)| (read, seen.clone()))
            .collect()
    }
}

/// Returns the connection of a name, or the error of its reads.
pub(crate) fn connection<'a>(
    connections: &'a [Connection],
    name: &str,
) -> Result<&'a Connection, ReadError> {
    let missing = || ReadError::for_good(format!("There is no connection {name:?}."));
    Connection::named(connections, name).ok_or_else(missing)
}

pub(super) fn says(refused: Error) -> String {
    Cause::from(refused).detail()
}
