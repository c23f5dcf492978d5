//! The circuit breaker and call limits that workers share. Nothing is written while a connection is
//! healthy and has no limits.

use agent::{
    Counting, ReadCounter,
    action::AgentAction,
    connection::{Admission, AdmissionRequest, Breaker, Connection},
};
use model::{Error, OrganizationId, Slug, Timestamp};

use super::{
    Connections,
    traffic::{Traffic, name_at_work},
};
use crate::{
    key::{self, AnyKey},
    retry::try_retry,
    store::Store,
    table::{OrNotFound, Read, Stored},
};

/// The retry delay, in milliseconds, of an action whose writes kept conflicting.
const CONTENDED: i64 = 1_000;

impl Connections<'_> {
    /// Returns a connection and its breaker, read together. 404 if it is another tenant's.
    pub async fn with_breaker(
        &self,
        tenant: OrganizationId,
        name: &Slug,
    ) -> Result<(Stored<Connection>, Breaker), Error> {
        let connection = key::connection(tenant, name);
        let traffic = key::connection_traffic(tenant, name);
        let keys = vec![AnyKey::from(&connection), AnyKey::from(&traffic)];
        let batch = self.0.table.batch_get(keys, Read::Consistent).await?;
        let connection = batch.get(&connection)?.or_not_found(Connection::NOUN)?;
        let breaker = Traffic::in_batch(&connection, &batch)
            .known
            .breaker_of(&connection);
        Ok((connection, breaker))
    }

    /// Admits an action if the breaker and limits of its connection permit. `traffic` is their
    /// state as read. Nothing is written unless the state changes.
    pub(crate) async fn admits(
        &self,
        connection: &Connection,
        request: AdmissionRequest<'_>,
        traffic: Traffic,
    ) -> Result<Admission, Error> {
        let read = || self.traffic(connection);
        let write = async |mut traffic: Traffic| {
            let before = traffic.known.clone();
            let admission = traffic.known.admit(connection, request);
            if traffic.known == before {
                return Ok(Some(admission));
            }
            let done = self.0.table.write(traffic.write()?).await?;
            Ok(done.is_ok().then_some(admission))
        };
        let later = || Admission::Deferred(request.now.plus(CONTENDED));
        let admitted = try_retry(traffic, read, write).await?;
        Ok(admitted.unwrap_or_else(later))
    }

    /// Returns when the next call of a working action may begin, or when to retry. Without a limit
    /// on calls, nothing is read or written.
    pub async fn slot(
        &self,
        connection: &Connection,
    ) -> Result<Result<Timestamp, Timestamp>, Error> {
        let now = || self.0.clock.now();
        if connection.limits.per_second.is_none() {
            return Ok(Ok(now()));
        }
        let read = || self.traffic(connection);
        let write = async |mut traffic: Traffic| {
            let slot = traffic.known.slot(connection, now());
            if slot.is_err() {
                return Ok(Some(slot));
            }
            let done = self.0.table.write(traffic.write()?).await?;
            Ok(done.is_ok().then_some(slot))
        };
        let slot = try_retry(read().await?, read, write).await?;
        Ok(slot.unwrap_or_else(|| Err(now().plus(CONTENDED))))
    }

    /// As [`ReadCounter::read_slots`]. Nothing is written without a limit on calls.
    async fn read_slots(
        &self,
        connection: &Connection,
        count: usize,
    ) -> Result<Result<Vec<Timestamp>, Timestamp>, Error> {
        let now = || self.0.clock.now();
        let read = || self.traffic(connection);
        let write = async |mut traffic: Traffic| {
            let breaker = traffic.known.breaker_of(connection);
            if let Some(open) = breaker.open_until.filter(|open| now() < *open) {
                return Ok(Some(Err(open)));
            }
            let slots = (0..count).map(|_| traffic.known.slot(connection, now()));
            let slots: Result<Vec<_>, _> = slots.collect();
            if slots.is_err() || connection.limits.per_second.is_none() {
                return Ok(Some(slots));
            }
            let done = self.0.table.write(traffic.write()?).await?;
            Ok(done.is_ok().then_some(slots))
        };
        let slots = try_retry(read().await?, read, write).await?;
        Ok(slots.unwrap_or_else(|| Err(now().plus(CONTENDED))))
    }

    /// Records the end of an action's work. Without a limit on concurrent actions, nothing is read
    /// or written.
    pub async fn ends(&self, connection: &Connection, action: &AgentAction) -> Result<(), Error> {
        if connection.limits.concurrent.is_none() {
            return Ok(());
        }
        let name = name_at_work(action);
        let read = || self.traffic(connection);
        let write = async |mut traffic: Traffic| {
            if !traffic.known.ends(&name) {
                return Ok(Some(()));
            }
            let done = self.0.table.write(traffic.write()?).await?;
            Ok(done.is_ok().then_some(()))
        };
        // After continued conflicts, the end of its lease removes it.
        try_retry(read().await?, read, write).await?;
        Ok(())
    }

    /// Records an answer of a connection if it changes the state. Returns the breaker afterwards.
    pub async fn answered(
        &self,
        connection: &Connection,
        is_clear: bool,
    ) -> Result<Breaker, Error> {
        let read = || self.traffic(connection);
        let write = async |mut traffic: Traffic| {
            let is_news = traffic
                .known
                .answered(connection, is_clear, self.0.clock.now());
            let breaker = traffic.known.breaker_of(connection);
            if !is_news {
                return Ok(Some(breaker));
            }
            let done = self.0.table.write(traffic.write()?).await?;
            Ok(done.is_ok().then_some(breaker))
        };
        let found = read().await?;
        let breaker = found.known.breaker_of(connection);
        // Other callers keep writing it and know as much.
        let noted = try_retry(found, read, write).await?;
        Ok(noted.unwrap_or(breaker))
    }

    async fn traffic(&self, connection: &Connection) -> Result<Traffic, Error> {
        let key = Traffic::key(connection);
        let found = self.0.table.get(&key, Read::Consistent).await?;
        Ok(Traffic::of(connection, found))
    }
}

impl ReadCounter for Store {
    fn read_slots<'a>(
        &'a self,
        connection: &'a Connection,
        count: usize,
    ) -> Counting<'a, Result<Vec<Timestamp>, Timestamp>> {
        Box::pin(async move { self.connections().read_slots(connection, count).await })
    }

    fn unclear<'a>(&'a self, connection: &'a Connection) -> Counting<'a, ()> {
        Box::pin(async move {
            let connections = self.connections();
            connections.answered(connection, false).await.map(|_| ())
        })
    }

    fn now(&self) -> Timestamp {
        Store::now(self)
    }
}
