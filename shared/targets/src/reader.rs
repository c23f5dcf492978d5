//! Reads of target systems.

use std::time::Duration;

use agent::{Connection, Facts, Seen, Silence, TargetRead, answer};
use futures::{StreamExt, future::BoxFuture, stream};
use model::{Stopwatch, digest};
use reqwest::StatusCode;

use crate::{NoAnswer, Sending, Targets, answer::excerpt};

/// The most reads of one call in flight at a time.
const AT_ONCE: usize = 8;

impl Targets {
    /// Sends reads concurrently. Returns their results in the same order, after `timeout` at the
    /// latest. `through` returns the connection of a name, or why it is not used.
    pub async fn read_all<'a>(
        &'a self,
        reads: impl IntoIterator<Item = &'a TargetRead>,
        through: impl Fn(&str) -> Result<&'a Connection, Silence>,
        timeout: Duration,
    ) -> Vec<Result<Seen, Silence>> {
        let since = Stopwatch::start();
        let reads = reads.into_iter().map(|read| {
            let connection = through(&read.connection);
            let seen: BoxFuture<'_, _> = Box::pin(async move {
                let left = timeout.saturating_sub(since.elapsed());
                if left.is_zero() {
                    let late = "The time for reads was over; nothing was sent.";
                    return Err(Silence::for_now(late));
                }
                let seen = self.read(connection?, read, left).await;
                seen.map_err(|none| none.silence())
            });
            seen
        });
        // The futures are collected first, so that this one is `Send`.
        let reads: Vec<BoxFuture<'_, _>> = reads.collect();
        stream::iter(reads).buffered(AT_ONCE).collect().await
    }

    /// Reads the current state of a record. `connection` must be the one that the read names.
    async fn read(
        &self,
        connection: &Connection,
        read: &TargetRead,
        timeout: Duration,
    ) -> Result<Seen, NoAnswer> {
        let sending = Sending { key: None, timeout };
        let answered = self.send(connection, &read.call(), sending).await?;
        let told = answered.told().await?;
        let (status, is_too_large) = (told.status, told.is_too_large);
        // A body that is not JSON, or that was cut, is a text.
        let is_json = !told.body.is_string();
        let shown = told.shown(connection);
        let is_success = StatusCode::from_u16(status).is_ok_and(|status| status.is_success());
        let mut facts: Facts = [(format!("{}.http", read.name), status.into())]
            .into_iter()
            .collect();
        if is_success {
            facts.extend(read.facts(&shown));
        }
        Ok(Seen {
            status,
            is_json,
            is_too_large,
            facts,
            hash: digest(&shown.to_string()),
            excerpt: answer(status, excerpt(shown)),
        })
    }
}
