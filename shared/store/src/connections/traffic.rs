//! What workers know together of a connection: how it answers, and how much it is called. None of it
//! is written as long as all is well and nothing is limited.

use model::{
    Admission, AgentAction, Asking, Breaker, Connection, ConnectionTraffic, Error, OrganizationId,
    Slug, Timestamp,
};

use super::Connections;
use crate::{
    key::{self, AnyKey, Key},
    rewrite::try_rewrite,
    table::{Batch, OrNotFound, Read, Record, Stored, Write},
};

/// How soon an action asks again where others wrote what it was to write every time, in
/// milliseconds.
const CONTENDED: i64 = 1_000;

impl Record for ConnectionTraffic {
    const KIND: &'static str = "connection_traffic";

    fn key(&self) -> Key<Self> {
        key::connection_traffic(self.organization_id, &self.connection)
    }
}

/// What is known of a connection, to be written as it was read.
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    pub(crate) known: ConnectionTraffic,
    /// None where it is not in the table.
    version: Option<i64>,
}

impl Traffic {
    pub(crate) fn key(connection: &Connection) -> Key<ConnectionTraffic> {
        key::connection_traffic(connection.organization_id, &connection.name)
    }

    pub(super) fn of(connection: &Connection, found: Option<Stored<ConnectionTraffic>>) -> Self {
        match found {
            Some(Stored { record, version }) => Self {
                known: record,
                version: Some(version),
            },
            None => Self {
                known: ConnectionTraffic::none(connection),
                version: None,
            },
        }
    }

    /// That of a batch which asked for it. One that does not read keeps nobody from calling.
    pub(crate) fn in_batch(connection: &Connection, batch: &Batch) -> Self {
        Self::of(connection, batch.named(&Self::key(connection)))
    }

    pub(super) fn write(self) -> Result<Write, Error> {
        let Self { known, version } = self;
        match version {
            None => Write::create(&known),
            Some(version) => Write::replace(&Stored {
                record: known,
                version,
            }),
        }
    }
}

/// What an action is called among those of its connection.
pub(crate) fn name_at_work(action: &AgentAction) -> String {
    format!("{}/{}", action.session_id, action.action_id)
}

impl Connections<'_> {
    /// A connection and its breaker, read at once. 404 when it is not the tenant's.
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

    /// Lets an action be at work, if its connection's breaker and limits allow it: `traffic` is what is
    /// known of that. Nothing is written where they have nothing to say.
    pub(crate) async fn admits(
        &self,
        connection: &Connection,
        asking: Asking<'_>,
        traffic: Traffic,
    ) -> Result<Admission, Error> {
        let read = || self.traffic(connection);
        let write = async |mut traffic: Traffic| {
            let before = traffic.known.clone();
            let admission = traffic.known.admit(connection, asking);
            if traffic.known == before {
                return Ok(Some(admission));
            }
            let done = self.0.table.write(traffic.write()?).await?;
            Ok(done.is_ok().then_some(admission))
        };
        let later = || Admission::PutOff(asking.now.plus(CONTENDED));
        let admitted = try_rewrite(traffic, read, write).await?;
        Ok(admitted.unwrap_or_else(later))
    }

    /// When another call of an action may begin that is at work, or when it is worth asking again.
    /// Costs nothing where calls are not limited.
    pub async fn turn(
        &self,
        connection: &Connection,
    ) -> Result<Result<Timestamp, Timestamp>, Error> {
        let now = || self.0.clock.now();
        if connection.limits.per_second.is_none() {
            return Ok(Ok(now()));
        }
        let read = || self.traffic(connection);
        let write = async |mut traffic: Traffic| {
            let turn = traffic.known.turn(connection, now());
            if turn.is_err() {
                return Ok(Some(turn));
            }
            let done = self.0.table.write(traffic.write()?).await?;
            Ok(done.is_ok().then_some(turn))
        };
        let turn = try_rewrite(read().await?, read, write).await?;
        Ok(turn.unwrap_or_else(|| Err(now().plus(CONTENDED))))
    }

    /// Has an action end that was at work. Costs nothing where there may be any number of them.
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
        // Where others write all the time, the end of its lease ends it.
        try_rewrite(read().await?, read, write).await?;
        Ok(())
    }

    /// Notes an answer of a connection, where that is news; answers its breaker as it is then.
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
        // Others keep writing it, who know as much.
        let noted = try_rewrite(found, read, write).await?;
        Ok(noted.unwrap_or(breaker))
    }

    async fn traffic(&self, connection: &Connection) -> Result<Traffic, Error> {
        let key = Traffic::key(connection);
        let found = self.0.table.get(&key, Read::Consistent).await?;
        Ok(Traffic::of(connection, found))
    }
}
