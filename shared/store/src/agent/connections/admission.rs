//! The circuit breaker and call limits that workers share. A healthy connection without limits
//! writes nothing.

use agent::{
    action::AgentAction,
    connection::{
        Admission, AdmissionRequest, Breaker, Connection, ConnectionTraffic, Counting, ReadCounter,
    },
};
use model::base::{Slug, Timestamp};
use table::{OrNotFound, Stored};

use crate::{
    Result, Tenant,
    base::{Store, record::any_keys, retry::try_retry},
    key,
};

use super::{
    Connections,
    traffic::{Traffic, name_at_work},
};

/// The retry delay, in milliseconds, of an action whose writes kept conflicting.
const CONTENDED: i64 = 1_000;

impl Connections<'_> {
    /// Returns a connection and its breaker, read together. 404 if it is another tenant's.
    pub async fn with_breaker(
        &self,
        tenant: Tenant,
        name: &Slug,
    ) -> Result<(Stored<Connection>, Breaker)> {
        let connection = key::connection(tenant, name);
        let traffic = key::connection_traffic(tenant, name);
        let batch = self
            .0
            .batch(any_keys![&connection, &traffic])
            .await?;
        let connection = batch
            .get(&connection)?
            .or_not_found(Connection::NOUN)?;
        let traffic = Traffic::in_batch(&connection, &batch).known;
        let breaker = traffic.breaker_of(&connection);
        Ok((connection, breaker))
    }

    /// Admits an action if the breaker and limits of its connection permit. `traffic` is their
    /// state as read. Nothing is written unless the state changes.
    pub(crate) async fn admits(
        &self,
        connection: &Connection,
        request: AdmissionRequest<'_>,
        traffic: Traffic,
    ) -> Result<Admission> {
        let admit = |traffic: &mut ConnectionTraffic| traffic.admit(connection, request);
        let admitted = self
            .change(connection, traffic, admit)
            .await?;
        Ok(admitted.unwrap_or_else(|| Admission::Deferred(request.now.plus(CONTENDED))))
    }

    /// Returns when the next call of an action may begin, or when to retry. Without a limit,
    /// nothing is read.
    pub async fn slot(&self, connection: &Connection) -> Result<Result<Timestamp, Timestamp>> {
        let now = || self.0.now();
        if connection.limits.per_second.is_none() {
            return Ok(Ok(now()));
        }
        let slot = |traffic: &mut ConnectionTraffic| traffic.slot(connection, now());
        let traffic = self.traffic(connection).await?;
        let slot = self
            .change(connection, traffic, slot)
            .await?;
        Ok(slot.unwrap_or_else(|| Err(now().plus(CONTENDED))))
    }

    /// As [`ReadCounter::read_slots`]. Nothing is written without a limit on calls.
    async fn read_slots(
        &self,
        connection: &Connection,
        count: usize,
    ) -> Result<Result<Vec<Timestamp>, Timestamp>> {
        let now = || self.0.now();
        let slots = |traffic: &mut ConnectionTraffic| -> Result<Vec<Timestamp>, Timestamp> {
            let breaker = traffic.breaker_of(connection);
            if let Some(open) = breaker
                .open_until
                .filter(|open| now() < *open)
            {
                return Err(open);
            }
            // All slots or none.
            let mut with_slots = traffic.clone();
            let slots = (0..count).map(|_| with_slots.slot(connection, now()));
            let slots = slots.collect::<Result<_, _>>()?;
            *traffic = with_slots;
            Ok(slots)
        };
        let traffic = self.traffic(connection).await?;
        let slots = self
            .change(connection, traffic, slots)
            .await?;
        Ok(slots.unwrap_or_else(|| Err(now().plus(CONTENDED))))
    }

    /// Records the end of an action's work. Without a limit on concurrent actions, nothing is read
    /// or written.
    pub async fn ends(&self, connection: &Connection, action: &AgentAction) -> Result<()> {
        if connection.limits.concurrent.is_none() {
            return Ok(());
        }
        let name = name_at_work(action);
        let ends = |traffic: &mut ConnectionTraffic| traffic.ends(&name);
        let traffic = self.traffic(connection).await?;
        // After continued conflicts, the end of its lease removes it.
        self.change(connection, traffic, ends)
            .await?;
        Ok(())
    }

    /// Records an answer of a connection if it changes the state. Returns the breaker afterwards.
    pub async fn answered(&self, connection: &Connection, is_clear: bool) -> Result<Breaker> {
        let answered = |traffic: &mut ConnectionTraffic| {
            traffic.answered(connection, is_clear, self.0.now());
            traffic.breaker_of(connection)
        };
        let traffic = self.traffic(connection).await?;
        let breaker = traffic.known.breaker_of(connection);
        // Other callers keep writing it and know as much.
        let noted = self
            .change(connection, traffic, answered)
            .await?;
        Ok(noted.unwrap_or(breaker))
    }

    /// Changes the state that was read, and writes it if it differs. None after continued
    /// conflicts.
    async fn change<T>(
        &self,
        connection: &Connection,
        traffic: Traffic,
        change: impl Fn(&mut ConnectionTraffic) -> T,
    ) -> Result<Option<T>> {
        let read = || self.traffic(connection);
        let write = async |mut traffic: Traffic| {
            let before = traffic.known.clone();
            let outcome = change(&mut traffic.known);
            if traffic.known == before {
                return Ok(Some(outcome));
            }
            let done = self
                .0
                .table
                .write(traffic.write()?)
                .await?;
            Ok(done.is_ok().then_some(outcome))
        };
        try_retry(traffic, read, write).await
    }

    async fn traffic(&self, connection: &Connection) -> Result<Traffic> {
        let stored = self
            .0
            .read(&Traffic::key(connection))
            .await?;
        Ok(Traffic::of(connection, stored))
    }
}

impl ReadCounter for Store {
    fn read_slots<'a>(
        &'a self,
        connection: &'a Connection,
        count: usize,
    ) -> Counting<'a, Result<Vec<Timestamp>, Timestamp>> {
        Box::pin(async move {
            self.connections()
                .read_slots(connection, count)
                .await
        })
    }

    fn unclear<'a>(&'a self, connection: &'a Connection) -> Counting<'a, ()> {
        Box::pin(async move {
            let connections = self.connections();
            connections
                .answered(connection, false)
                .await
                .map(|_| ())
        })
    }

    fn now(&self) -> Timestamp {
        Store::now(self)
    }
}
