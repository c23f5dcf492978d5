//! Connections: the systems that an organization's actions call, and whether they are called.
//!
//! Claims of actions read them ([`claim`](super::agent)), and no write of an action expects anything
//! of them: on DynamoDB, transactions that so much as check the same item turn each other away.

mod traffic;

pub(crate) use traffic::{Traffic, name_at_work};

use model::{
    AgentPause, Code, Connection, ConnectionPut, Error, MOST_CONNECTIONS, OrganizationId, Slug,
    UserId,
};

use super::{
    Given, Permit, Store,
    key::{self, AnyKey, Key},
    page::{Page, Wanted},
    table::{Condition, OrNotFound, Read, Record, Stored, Write},
};

/// Connections.
#[derive(Clone, Copy, Debug)]
pub struct Connections<'a>(pub(super) &'a Store);

impl Record for Connection {
    const KIND: &'static str = "connection";

    fn key(&self) -> Key<Self> {
        key::connection(self.organization_id, &self.name)
    }
}

impl Record for AgentPause {
    const KIND: &'static str = "agent_pause";

    fn key(&self) -> Key<Self> {
        key::agent_pause(self.organization_id)
    }
}

impl Connections<'_> {
    /// The organization's connections by name.
    pub async fn list(
        &self,
        tenant: OrganizationId,
        wanted: &Wanted,
    ) -> Result<Page<Stored<Connection>>, Error> {
        self.0.table.page(key::connections(tenant), wanted).await
    }

    /// All of the organization's connections that read, by name, as they are at this moment.
    pub async fn all(&self, tenant: OrganizationId) -> Result<Vec<Stored<Connection>>, Error> {
        let all = key::connections(tenant).consistent();
        self.0.table.list_stored(all).await
    }

    /// A connection. 404 when it is not the tenant's.
    pub async fn get(
        &self,
        tenant: OrganizationId,
        name: &Slug,
    ) -> Result<Stored<Connection>, Error> {
        let key = key::connection(tenant, name);
        self.0.one(&key, Connection::NOUN).await
    }

    /// Creates a connection, or replaces the one of its name. 404 when there is none and a version of
    /// it is expected, 409 when the organization has as many as it may.
    pub async fn put(
        &self,
        permit: impl Into<Permit>,
        name: &Slug,
        put: ConnectionPut,
    ) -> Result<Stored<Connection>, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let read = || self.all(tenant);
        let put = &put;
        let write = |given: Given, all: Vec<Stored<Connection>>| async move {
            let (count, now) = (all.len(), self.0.clock.now());
            let found = all.into_iter().find(|one| one.name == *name);
            if found.is_none() && !given.expects_a_version() {
                if count >= MOST_CONNECTIONS {
                    return Err(too_many());
                }
                let new = Connection::new(tenant, name.clone(), put.clone(), now);
                let done = self.0.table.write(Write::create(&new)?).await?;
                return Ok(done.is_ok().then(|| Stored::created(new)));
            }
            let mut connection = given.current(found, Connection::NOUN)?;
            connection.replace(put.clone(), now);
            let done = self.0.table.write(Write::replace(&connection)?).await?;
            Ok(done.is_ok().then(|| connection.replaced()))
        };
        permit.rewrite(read, write).await
    }

    /// Deletes a connection: an action that was approved for it and has not ended fails when its turn
    /// comes, with nothing sent. 404 when it is not the tenant's.
    pub async fn delete(&self, permit: impl Into<Permit>, name: &Slug) -> Result<(), Error> {
        let permit = permit.into();
        let key = key::connection(permit.tenant(), name);
        let read = || self.0.table.get(&key, Read::Consistent);
        let write = |given: Given, found: Option<Stored<Connection>>| async move {
            let connection = given.current(found, Connection::NOUN)?;
            let as_it_was = Condition::version(connection.version);
            let traffic = Write::delete(Traffic::key(&connection), Condition::default());
            let writes = vec![Write::delete(connection.key(), as_it_was), traffic];
            let done = self.0.table.transact(writes).await?;
            Ok(done.is_ok().then_some(()))
        };
        permit.rewrite(read, write).await
    }

    /// Pauses a connection, or goes on with it: then its breaker is closed, since whoever says so knows
    /// that it answers again. 404 when it is not the tenant's.
    pub async fn pause(
        &self,
        permit: impl Into<Permit>,
        name: &Slug,
        paused: bool,
    ) -> Result<Stored<Connection>, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let key = key::connection(tenant, name);
        let of_traffic = key::connection_traffic(tenant, name);
        let read = || async {
            let keys = vec![AnyKey::from(&key), AnyKey::from(&of_traffic)];
            let batch = self.0.table.batch_get(keys, Read::Consistent).await?;
            Ok((batch.get(&key)?, batch.named(&of_traffic)))
        };
        let pause = async |permit: Permit| {
            let write = |given: Given, (found, traffic): (Option<Stored<Connection>>, _)| async move {
                let mut connection = found.or_not_found(Connection::NOUN)?;
                let (mut writes, now) = (Vec::new(), self.0.clock.now());
                let changes = connection.paused != paused;
                if changes {
                    connection.paused = paused;
                    connection.updated_at = now;
                    writes.push(Write::replace(&connection)?);
                }
                let mut traffic = Traffic::of(&connection, traffic);
                if !paused && traffic.known.answered(&connection, true, now) {
                    writes.push(traffic.write()?);
                }
                let done = self.0.commit(&given, writes, None).await?;
                Ok(done.is_ok().then(|| {
                    if changes {
                        connection.replaced()
                    } else {
                        connection
                    }
                }))
            };
            permit.rewrite(read, write).await
        };
        permit
            .once(pause, async |_| self.get(tenant, name).await)
            .await
    }

    /// A connection that is about to be tested. 404 when it is not the tenant's. The same request again
    /// is another test, since one changes nothing.
    pub async fn to_test(
        &self,
        permit: impl Into<Permit>,
        name: &Slug,
    ) -> Result<Stored<Connection>, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let first = async |permit: Permit| {
            let (given, connection) = permit.beside(self.get(tenant, name)).await?;
            let done = self.0.commit(&given, Vec::new(), None).await?;
            done.map_err(|_| Error::contended())?;
            Ok(connection)
        };
        permit
            .once(first, async |_| self.get(tenant, name).await)
            .await
    }

    /// Whether nothing is sent for the organization; none when nobody ever said so.
    pub async fn agent_pause(
        &self,
        tenant: OrganizationId,
    ) -> Result<Option<Stored<AgentPause>>, Error> {
        let key = key::agent_pause(tenant);
        self.0.table.get(&key, Read::Consistent).await
    }

    /// Pauses all of the organization's actions, or goes on with them.
    pub async fn pause_agent(
        &self,
        permit: impl Into<Permit>,
        by: UserId,
        paused: bool,
    ) -> Result<AgentPause, Error> {
        let permit = permit.into();
        let now = self.0.clock.now();
        let pause = AgentPause {
            organization_id: permit.tenant(),
            paused,
            by,
            updated_at: now,
        };
        let put = async |permit: Permit| {
            let given = permit.given().await?;
            let writes = vec![Write::put(&pause)?];
            let done = self.0.commit(&given, writes, None).await?;
            done.map_err(|_| Error::contended())?;
            Ok(pause)
        };
        let tenant = pause.organization_id;
        let again = async |_| {
            let found = self.agent_pause(tenant).await?;
            Ok(found.map_or(pause, |found| found.record))
        };
        permit.once(put, again).await
    }
}

fn too_many() -> Error {
    Error::conflict(
        Code::TooManyConnections,
        format!("The organization has {MOST_CONNECTIONS} connections; delete one."),
    )
}
