//! Connections: an organization's target systems, and their pauses.
//!
//! Claims of actions read them ([`claim`](crate::agent)), but no write of an action expects them.
//! In DynamoDB, transactions that check the same item conflict.

mod admission;
mod traffic;

use agent::connection::{AgentPause, Connection, ConnectionPut, MOST_CONNECTIONS};
use model::{
    base::{Code, Error, SealedSecret, SentSecret, Slug, UserId, input::Patch},
    people::{EntryContent, OrganizationEvent},
};
use table::{
    Condition, OrNotFound, Record, Stored, Write,
    page::{Page, PageRequest},
};
use tokio::sync::OnceCell;

use crate::{
    Result, Tenant,
    base::{
        Pending, WriteContext,
        record::{any_keys, record},
        records::ReadHead,
        store::{resource, too_many},
        writes::Writes,
    },
    key,
    people::journal::head_in,
};

pub(crate) use traffic::{Traffic, name_at_work};

resource! { pub Connections as connections }

record! {
    connection: Connection = "connection",
    key: key::connection(connection.organization_id, &connection.name),
    hidden: ["organizationId", "systemKind", "amounts", "secret", "auth", "idempotency", "version"],
}

record! { pause: AgentPause = "agent_pause", key: key::agent_pause(pause.organization_id), }

impl Connections<'_> {
    pub async fn list(
        &self,
        tenant: Tenant,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<Connection>>> {
        self.0
            .table
            .page(key::connections(tenant), wanted)
            .await
    }

    /// Returns all readable connections of the organization by name, by a consistent read.
    pub async fn all(&self, tenant: Tenant) -> Result<Vec<Stored<Connection>>> {
        let connections = key::connections(tenant).consistent();
        self.0
            .table
            .list_stored(connections)
            .await
    }

    /// Returns a connection. 404 if it is another tenant's.
    pub async fn get(&self, tenant: Tenant, name: &Slug) -> Result<Stored<Connection>> {
        let key = key::connection(tenant, name);
        self.0.one(&key, Connection::NOUN).await
    }

    /// Creates a connection or replaces the one of its name. `seal` encrypts a new secret, once,
    /// when the write is authorized. `identify` reads the account behind the connection; its error
    /// ends the write. 404 if none exists and the request expects a version. 400 if the base URL
    /// changes and the secret is not sent, and if a partner is no other connection of its kind. 409
    /// at the limit of connections.
    pub async fn put<S, I>(
        &self,
        pending: impl Pending,
        name: &Slug,
        put: ConnectionPut,
        seal: impl Fn(SentSecret) -> S,
        identify: impl Fn(Connection) -> I,
    ) -> Result<Stored<Connection>>
    where
        S: Future<Output = Result<String>>,
        I: Future<Output = Result<Option<String>>>,
    {
        let pending = pending.into();
        // A write that starts over keeps its ciphertext.
        let sealed = OnceCell::new();
        let sealed = async |set_at| {
            Ok::<_, Error>(match put.secret.clone() {
                Patch::Keep => Patch::Keep,
                Patch::Set(None) => Patch::Set(None),
                Patch::Set(Some(secret)) => {
                    let ciphertext = sealed
                        .get_or_try_init(|| seal(secret))
                        .await?
                        .clone();
                    Patch::Set(Some(SealedSecret { ciphertext, set_at }))
                }
            })
        };
        let tenant = pending.tenant();
        let event = OrganizationEvent::ConnectionPut;
        let read = || async { tokio::try_join!(self.all(tenant), self.0.head(tenant)) };
        let write = async |context: WriteContext,
                           (connections, head): (Vec<Stored<Connection>>, _)| {
            let context = context.with_head(head);
            let count = connections.len();
            let now = self.0.now();
            let mut new = Connection::new(tenant, name.clone(), put.clone(), now);
            let others: Vec<&Connection> = connections
                .iter()
                .map(|connection| &connection.record)
                .collect();
            let fault = new.partners.fault(name, &others);
            let before = connections
                .into_iter()
                .find(|connection| connection.name == *name);
            if before.is_none() && context.conditions.if_match.is_none() {
                if count >= MOST_CONNECTIONS {
                    let most = format_args!("The organization has {MOST_CONNECTIONS} connections");
                    return Err(too_many(Code::TooManyConnections, most));
                }
                if let Some(fault) = fault {
                    return Err(Error::invalid(fault));
                }
                sealed(now)
                    .await?
                    .apply(&mut new.secret);
                new.account = identify(new.clone()).await?;
                let entry = EntryContent::created(event, &new);
                let writes = Writes::from(Write::create(&new)?).noting(entry);
                return self
                    .0
                    .commit(&context, writes, Stored::created(new))
                    .await;
            }
            let before = context.current(before, Connection::NOUN)?;
            if let Some(fault) = put.lacks_secret(&before).or(fault) {
                return Err(Error::invalid(fault));
            }
            new.secret.clone_from(&before.secret);
            sealed(now)
                .await?
                .apply(&mut new.secret);
            new.account = identify(new.clone()).await?;
            let mut connection = before.clone();
            connection.replace(new);
            let entry = EntryContent::changed(event, &before.record, &connection.record);
            let writes = Writes::default().noting(entry);
            let done = self
                .0
                .commit_change(&context, before, connection, writes);
            done.await
        };
        self.0
            .write(pending, read, write)
            .await?
            .not_replayed()
    }

    /// Deletes a connection. Its approved actions that have not ended fail at their next claim
    /// without sending. 404 if it is another tenant's.
    pub async fn delete(&self, pending: impl Pending, name: &Slug) -> Result<()> {
        let (pending, tenant) = pending.with_tenant();
        let key = key::connection(tenant, name);
        let read = || self.0.with_head(&key, tenant);
        let write = async |context: WriteContext, (connection, head): (Option<_>, ReadHead)| {
            let context = context.with_head(head);
            let connection: Stored<Connection> = context.current(connection, Connection::NOUN)?;
            let writes = Writes::from(vec![
                Write::delete(connection.key(), Condition::version(connection.version)),
                Write::delete(Traffic::key(&connection), Condition::default()),
            ]);
            let event = OrganizationEvent::ConnectionDeleted;
            let entry = EntryContent::deleted(event, &connection.record);
            self.0
                .commit(&context, writes.noting(entry), ())
                .await
        };
        self.0
            .write(pending, read, write)
            .await?
            .not_replayed()
    }

    /// Pauses or resumes a connection. A resume also closes its breaker, since the user knows that
    /// the system answers. 404 if it is another tenant's.
    pub async fn pause(
        &self,
        pending: impl Pending,
        name: &Slug,
        paused: bool,
    ) -> Result<Stored<Connection>> {
        let (pending, tenant) = pending.with_tenant();
        let key = key::connection(tenant, name);
        let of_traffic = key::connection_traffic(tenant, name);
        let read = || async {
            let of_head = key::organization_head(tenant);
            let batch = self
                .0
                .batch(any_keys![&key, &of_traffic, of_head])
                .await?;
            let head = head_in(&batch, tenant)?;
            Ok((batch.get(&key)?, batch.named(&of_traffic), head))
        };
        let event = if paused {
            OrganizationEvent::ConnectionPaused
        } else {
            OrganizationEvent::ConnectionResumed
        };
        let write = async |context: WriteContext,
                           (connection, traffic, head): (Option<_>, _, _)| {
            let context = context.with_head(head);
            let before: Stored<Connection> = connection.or_not_found(Connection::NOUN)?;
            let mut connection = before.clone();
            let mut writes = Writes::default();
            let now = self.0.now();
            let changes = connection.paused != paused;
            if changes {
                connection.paused = paused;
                connection.updated_at = now;
                writes.push(Write::replace(&connection)?);
                let entry = EntryContent::changed(event, &before.record, &connection.record);
                writes.note(entry);
            }
            let mut traffic = Traffic::of(&connection, traffic);
            if !paused
                && traffic
                    .known
                    .answered(&connection, true, now)
            {
                writes.push(traffic.write()?);
            }
            connection.version += i64::from(changes);
            self.0
                .commit(&context, writes, connection)
                .await
        };
        let paused = self
            .0
            .write(pending, read, write)
            .await?;
        paused
            .or_load(async |_| self.get(tenant, name).await)
            .await
    }

    /// Returns a connection for a test. 404 if it is another tenant's. A replay tests again.
    pub async fn to_test(&self, pending: impl Pending, name: &Slug) -> Result<Stored<Connection>> {
        let (pending, tenant) = pending.with_tenant();
        self.0
            .read_only(pending, || self.get(tenant, name))
            .await
    }

    /// Returns the organization's pause; none if it was never set.
    pub async fn agent_pause(&self, tenant: Tenant) -> Result<Option<Stored<AgentPause>>> {
        self.0
            .read(&key::agent_pause(tenant))
            .await
    }

    /// Returns the pause before another one; the agent runs before the first.
    pub(crate) fn before(pause: AgentPause, before: Option<&Stored<AgentPause>>) -> AgentPause {
        let mut running = pause;
        running.paused = false;
        before.map_or(running, |pause| pause.record)
    }

    /// Pauses the organization's agent, or resumes it. `by` is the user, or none for the operator.
    /// Changes nothing if the agent already has this state.
    pub async fn pause_agent(
        &self,
        pending: impl Pending,
        by: impl Into<Option<UserId>>,
        paused: bool,
    ) -> Result<AgentPause> {
        let (pending, tenant) = pending.with_tenant();
        let pause = AgentPause {
            organization_id: tenant,
            paused,
            by: by.into(),
            restored: None,
            updated_at: self.0.now(),
        };
        let event = if paused {
            OrganizationEvent::AgentPaused
        } else {
            OrganizationEvent::AgentResumed
        };
        let key = key::agent_pause(tenant);
        let read = || self.0.with_head(&key, tenant);
        let write = async |context: WriteContext, (pause_before, head): (Option<Stored<_>>, _)| {
            let context = context.with_head(head);
            let before = Self::before(pause, pause_before.as_ref());
            if before.paused == paused {
                return self
                    .0
                    .commit(&context, Writes::default(), before)
                    .await;
            }
            let mut pause = pause;
            pause.restored = before.restored;
            let write = Write::create_or_replace(pause_before, pause)?;
            let writes = Writes::from(write).noting(EntryContent::changed(event, &before, &pause));
            self.0
                .commit(&context, writes, pause)
                .await
        };
        let paused = self
            .0
            .write(pending, read, write)
            .await?;
        let load = async |_| {
            let stored = self.agent_pause(tenant).await?;
            Ok(stored.map_or(pause, |stored| stored.record))
        };
        paused.or_load(load).await
    }
}
