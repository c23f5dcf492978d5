//! A function beside its bare requests.

use serde_json::Value;
use tests::Release;

use crate::served::{Sample, Served};

/// Requests of a round, one after another.
const REQUESTS: u32 = 5;

/// A function, and one that sends the same requests to the table and does nothing else.
pub struct Pair {
    ours: Served,
    bare: Served,
}

/// The samples of a round.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    pub ours: Sample,
    pub bare: Sample,
}

impl Pair {
    /// Starts both.
    pub async fn start(world: &Release, function: &str, recorded: &str) -> Self {
        Self {
            ours: Served::start(world, function, &[]).await,
            bare: Served::start(world, "bare-sdk", &[("TABLE_REQUESTS", recorded)]).await,
        }
    }

    /// Rounds of a read that both have answered before.
    pub async fn take_turns(&self, event: &Value, count: usize) -> Vec<Round> {
        for served in [&self.ours, &self.bare] {
            served.expect(event, 200).await;
            served.sample(event, REQUESTS).await;
        }
        let mut rounds = Vec::with_capacity(count);
        for round in 0..count {
            // Whoever is second finds the machine as the other one leaves it.
            rounds.push(if round.is_multiple_of(2) {
                let ours = self.ours.sample(event, REQUESTS).await;
                let bare = self.bare.sample(event, REQUESTS).await;
                Round { ours, bare }
            } else {
                let bare = self.bare.sample(event, REQUESTS).await;
                let ours = self.ours.sample(event, REQUESTS).await;
                Round { ours, bare }
            });
        }
        rounds
    }
}
