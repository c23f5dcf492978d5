use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use agent::{
    action::BodyForm,
    check::{Facts, ReadError, Seen, TargetRead},
    connection::Connection,
};
use futures::{
    FutureExt, StreamExt,
    future::{BoxFuture, join_all},
    stream,
};
use model::{
    base::{Error, Stopwatch, Timestamp, clock::Clock},
    people::digest,
};
use reqwest::StatusCode;
use runtime::telemetry;

use crate::{Sending, Targets};

/// The most reads of one call in flight at a time.
const AT_ONCE: usize = 8;

/// A read and its connection, or why that is not used.
type Through<'a> = (&'a TargetRead, Result<&'a Connection, ReadError>);

impl Targets {
    /// Sends reads concurrently. Returns their results in the same order, after `timeout` at the
    /// latest. `through` returns the connection of a name, or why it is not used. Reads count for
    /// the limit of calls per second and for the breaker of their connection.
    pub async fn read_all<'a>(
        &'a self,
        reads: impl IntoIterator<Item = &'a TargetRead>,
        through: impl Fn(&str) -> Result<&'a Connection, ReadError>,
        timeout: Duration,
    ) -> Vec<Result<Seen, ReadError>> {
        let since = Stopwatch::start();
        let reads = reads.into_iter();
        let reads: Vec<_> = reads
            .map(|read| (read, through(&read.connection)))
            .collect();
        let mut slots = self.slots(&reads).await;
        let sent = reads.iter().map(|(read, connection)| {
            let connection = connection.clone();
            let slot = slots
                .get_mut(&*read.connection)
                .map(Slots::next);
            let seen = async move {
                let (connection, slot) = (connection?, slot.unwrap_or(Ok(Duration::ZERO))?);
                if since.elapsed() + slot >= timeout {
                    let late = "The time for reads was over; nothing was sent.";
                    return Err(ReadError::for_now(late));
                }
                tokio::time::sleep(slot).await;
                let left = timeout.saturating_sub(since.elapsed());
                self.read(connection, read, left).await
            };
            seen.boxed()
        });
        // The futures are collected first, so that this one is `Send`.
        let sent: Vec<BoxFuture<'_, _>> = sent.collect();
        let seen: Vec<_> = stream::iter(sent)
            .buffered(AT_ONCE)
            .collect()
            .await;
        self.learn(&reads, &seen).await;
        seen
    }

    async fn slots<'a>(&self, reads: &[Through<'a>]) -> BTreeMap<&'a str, Slots> {
        let Some(counter) = &self.counter else {
            return BTreeMap::new();
        };
        let mut counts: BTreeMap<&str, (&Connection, usize)> = BTreeMap::new();
        for (read, connection) in reads {
            if let Ok(connection) = connection {
                let (_, count) = counts
                    .entry(&read.connection)
                    .or_insert((connection, 0));
                *count += 1;
            }
        }
        let reserved = counts
            .into_iter()
            .map(async |(name, (connection, count))| {
                let slots = counter
                    .read_slots(connection, count)
                    .await;
                (name, Slots::of(slots, counter.now()))
            });
        join_all(reserved)
            .await
            .into_iter()
            .collect()
    }

    /// Records unclear answers, which open the breaker.
    async fn learn(&self, reads: &[Through<'_>], seen: &[Result<Seen, ReadError>]) {
        let Some(counter) = &self.counter else {
            return;
        };
        let mut unclear: BTreeMap<&str, &Connection> = BTreeMap::new();
        for ((read, connection), seen) in reads.iter().zip(seen) {
            let is_unclear = match seen {
                Ok(seen) => seen
                    .read_error(read)
                    .is_some_and(|error| error.is_unclear),
                Err(read_error) => read_error.is_unclear,
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
        for error in join_all(learned)
            .await
            .into_iter()
            .filter_map(Result::err)
        {
            telemetry::warn("cannot record a connection's answer", &error);
        }
    }

    /// Reads the current state of a record. `connection` must be the one that the read names. The
    /// read counts for no limit and no breaker.
    pub async fn read(
        &self,
        connection: &Connection,
        read: &TargetRead,
        timeout: Duration,
    ) -> Result<Seen, ReadError> {
        let sending = Sending { key: None, timeout };
        let head = self
            .send(connection, &read.call(), sending)
            .await;
        let head = head.map_err(|no_response| no_response.read_error())?;
        let response = head.read(connection).await;
        let is_too_large = response.form == BodyForm::TooLarge;
        if let BodyForm::Broken(broken) = response.form {
            return Err(ReadError::unclear(broken));
        }
        let status = response.status;
        let body = response.body;
        let is_success = StatusCode::from_u16(status).is_ok_and(|status| status.is_success());
        let http = (format!("{}.http", read.name), status.into());
        let mut facts: Facts = [http].into_iter().collect();
        if is_success {
            let counter = self.counter.as_ref();
            let at = counter.map_or_else(|| Clock::system().now(), |counter| counter.now());
            facts.extend(read.facts(&body, connection.reading(at)));
        }
        Ok(Seen {
            status,
            // A body that is not JSON, or that was cut, is a text.
            is_json: !body.is_string(),
            is_too_large,
            facts,
            hash: digest(&body.to_string()),
            excerpt: response.excerpt,
        })
    }
}

/// The slots of a connection's reads: the wait before each, or why none is sent.
#[derive(Debug)]
struct Slots(Result<VecDeque<Duration>, ReadError>);

impl Slots {
    fn of(slots: Result<Result<Vec<Timestamp>, Timestamp>, Error>, now: Timestamp) -> Self {
        let wait = |at: &Timestamp| {
            let wait = at.millis() - now.millis();
            Duration::from_millis(u64::try_from(wait).unwrap_or(0))
        };
        Self(match slots {
            Ok(Ok(slots)) => Ok(slots.iter().map(wait).collect()),
            Ok(Err(later)) => {
                let seconds = wait(&later).as_secs() + 1;
                let problem = format!(
                    "Its breaker is open, or its limit of calls is reached; nothing was sent. Calls are sent \
                     again in {seconds} s."
                );
                Err(ReadError::for_now(problem))
            }
            Err(error) => {
                telemetry::warn("cannot reserve the reads of a connection", &error);
                let uncounted = "The service could not count this read; nothing was sent.";
                Err(ReadError::for_now(uncounted))
            }
        })
    }

    fn next(&mut self) -> Result<Duration, ReadError> {
        match &mut self.0 {
            Ok(slots) => Ok(slots.pop_front().unwrap_or_default()),
            Err(read_error) => Err(read_error.clone()),
        }
    }
}
