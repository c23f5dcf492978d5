//! Reads of target systems.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use agent::{Connection, Excerpt, Facts, Seen, Silence, TargetRead};
use futures::{
    StreamExt,
    future::{BoxFuture, join_all},
    stream,
};
use model::{Error, Stopwatch, Timestamp, digest};
use reqwest::StatusCode;

use crate::{NoAnswer, Sending, Targets, answer::kept_part};

/// The most reads of one call in flight at a time.
const AT_ONCE: usize = 8;

impl Targets {
    /// Sends reads concurrently. Returns their results in the same order, after `timeout` at the
    /// latest. `through` returns the connection of a name, or why it is not used. Reads count for the
    /// limit of calls per second and for the breaker of their connection.
    pub async fn read_all<'a>(
        &'a self,
        reads: impl IntoIterator<Item = &'a TargetRead>,
        through: impl Fn(&str) -> Result<&'a Connection, Silence>,
        timeout: Duration,
    ) -> Vec<Result<Seen, Silence>> {
        let since = Stopwatch::start();
        let reads: Vec<(&TargetRead, Result<&Connection, Silence>)> = reads
            .into_iter()
            .map(|read| (read, through(&read.connection)))
            .collect();
        let mut turns = self.turns(&reads).await;
        let sent = reads.iter().map(|(read, connection)| {
            let connection = connection.clone();
            let turn = turns.get_mut(&*read.connection).map(Turns::next);
            let seen: BoxFuture<'_, _> = Box::pin(async move {
                let (connection, turn) = (connection?, turn.unwrap_or(Ok(Duration::ZERO))?);
                if since.elapsed() + turn >= timeout {
                    let late = "The time for reads was over; nothing was sent.";
                    return Err(Silence::for_now(late));
                }
                tokio::time::sleep(turn).await;
                let left = timeout.saturating_sub(since.elapsed());
                let seen = self.read(connection, read, left).await;
                seen.map_err(|none| none.silence())
            });
            seen
        });
        // The futures are collected first, so that this one is `Send`.
        let sent: Vec<BoxFuture<'_, _>> = sent.collect();
        let seen: Vec<_> = stream::iter(sent).buffered(AT_ONCE).collect().await;
        self.learn(&reads, &seen).await;
        seen
    }

    /// Reserves the turns of reads by connection.
    async fn turns<'a>(
        &self,
        reads: &[(&'a TargetRead, Result<&'a Connection, Silence>)],
    ) -> BTreeMap<&'a str, Turns> {
        let Some(counter) = &self.counter else {
            return BTreeMap::new();
        };
        let mut counts: BTreeMap<&str, (&Connection, usize)> = BTreeMap::new();
        for (read, connection) in reads {
            if let Ok(connection) = connection {
                let (_, count) = counts.entry(&read.connection).or_insert((connection, 0));
                *count += 1;
            }
        }
        let reserved = counts.into_iter().map(async |(name, (connection, count))| {
            let turns = counter.read_turns(connection, count).await;
            (name, Turns::of(turns, counter.now()))
        });
        join_all(reserved).await.into_iter().collect()
    }

    /// Records unclear answers, which open the breaker.
    async fn learn(
        &self,
        reads: &[(&TargetRead, Result<&Connection, Silence>)],
        seen: &[Result<Seen, Silence>],
    ) {
        let Some(counter) = &self.counter else {
            return;
        };
        let mut unclear: BTreeMap<&str, &Connection> = BTreeMap::new();
        for ((read, connection), seen) in reads.iter().zip(seen) {
            let is_unclear = match seen {
                Ok(seen) => seen.silence(read).is_some_and(|one| one.is_unclear),
                Err(silence) => silence.is_unclear,
            };
            if let Ok(connection) = connection
                && is_unclear
            {
                unclear.insert(&connection.name, connection);
            }
        }
        let learned = unclear
            .values()
            .map(|connection| counter.unclear(connection));
        for error in join_all(learned).await.into_iter().filter_map(Result::err) {
            let cause = error.chain();
            tracing::warn!(cause, "cannot record a connection's answer");
        }
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
        let body = told.body;
        let is_success = StatusCode::from_u16(status).is_ok_and(|status| status.is_success());
        let mut facts: Facts = [(format!("{}.http", read.name), status.into())]
            .into_iter()
            .collect();
        if is_success {
            facts.extend(read.facts(&body));
        }
        Ok(Seen {
            status,
            is_json,
            is_too_large,
            facts,
            hash: digest(&body.to_string()),
            excerpt: Excerpt {
                status,
                body: kept_part(body, connection),
            },
        })
    }
}

/// The turns of a connection's reads: the wait before each, or why none is sent.
#[derive(Debug)]
struct Turns(Result<VecDeque<Duration>, Silence>);

impl Turns {
    fn of(turns: Result<Result<Vec<Timestamp>, Timestamp>, Error>, now: Timestamp) -> Self {
        let wait = |at: &Timestamp| {
            let wait = at.millis() - now.millis();
            Duration::from_millis(u64::try_from(wait).unwrap_or(0))
        };
        Self(match turns {
            Ok(Ok(turns)) => Ok(turns.iter().map(wait).collect()),
            Ok(Err(later)) => {
                let seconds = wait(&later).as_secs() + 1;
                let problem = format!(
                    "Its breaker is open, or its limit of calls is reached; nothing was sent. Calls are sent \
                     again in {seconds} s."
                );
                Err(Silence::for_now(problem))
            }
            Err(error) => {
                let cause = error.chain();
                tracing::warn!(cause, "cannot reserve the reads of a connection");
                Err(Silence::for_now(
                    "The service could not count this read; nothing was sent.",
                ))
            }
        })
    }

    fn next(&mut self) -> Result<Duration, Silence> {
        match &mut self.0 {
            Ok(turns) => Ok(turns.pop_front().unwrap_or_default()),
            Err(silence) => Err(silence.clone()),
        }
    }
}
