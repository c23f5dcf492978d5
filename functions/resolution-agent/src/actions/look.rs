//! Reads of target systems for a preview; they change nothing.

use std::time::Duration;

use shared::{
    Error,
    agent::{Connection, ProposedAction, Seen, Sight, Silence, TargetRead},
    problem::Cause,
    store::Previewed,
};
use targets::Targets;

/// Time limit for all reads of a preview together.
const PATIENCE: Duration = Duration::from_secs(8);

/// Results of a preview's reads.
#[derive(Debug)]
pub struct Looks(Vec<(TargetRead, Result<Seen, Silence>)>);

impl Looks {
    /// Reads the facts of these actions' preconditions, each read once. A paused connection or a
    /// late answer gives a read error.
    pub async fn of(targets: &Targets, found: &Previewed, actions: &[&ProposedAction]) -> Self {
        let mut wanted: Vec<TargetRead> = Vec::new();
        for read in actions.iter().flat_map(|action| needed(action)) {
            if !wanted.contains(read) {
                wanted.push(read.clone());
            }
        }
        let through = |name: &str| {
            let connection = Connection::named(&found.connections, name);
            let connection = connection
                .ok_or_else(|| Silence::for_good(format!("There is no connection {name:?}.")))?;
            if found.is_paused || connection.paused {
                return Err(Silence::for_now("It is paused; nothing was sent."));
            }
            Ok(connection)
        };
        let seen = targets.read_all(&wanted, through, PATIENCE).await;
        Self(wanted.into_iter().zip(seen).collect())
    }

    /// Returns the facts and read errors of an action's reads.
    pub fn sight(&self, action: &ProposedAction) -> Sight {
        let of_action = self.0.iter();
        let of_action = of_action.filter(|(read, _)| action.content.reads.contains(read));
        of_action.map(|(read, seen)| (read, seen.clone())).collect()
    }
}

/// Returns the reads of an action that its preconditions use.
fn needed(action: &ProposedAction) -> impl Iterator<Item = &TargetRead> {
    action.content.reads.iter().filter(|read| {
        let is_its = |fact: &str| {
            let name = fact.split_once('.').map(|(name, _)| name);
            name == Some(&*read.name)
        };
        let mut conditions = action.content.require.iter();
        conditions.any(|condition| condition.facts().any(is_its))
    })
}

/// Returns the `detail` of an error.
pub(super) fn says(refused: Error) -> String {
    Cause::from(refused).detail()
}
