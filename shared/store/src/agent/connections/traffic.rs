//! The state that workers share of a connection: its circuit breaker, and the calls under its
//! limits.

use agent::{
    action::AgentAction,
    connection::{Connection, ConnectionTraffic},
};
use table::{Batch, Key, Stored, Write};

use crate::{Result, base::record::record, key};

record! {
    traffic: ConnectionTraffic = "connection_traffic",
    key: key::connection_traffic(traffic.organization_id, &traffic.connection),
}

/// The state of a connection with its version, for the next write.
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    pub(crate) known: ConnectionTraffic,
    /// None if it is not in the table.
    found: Option<Stored<ConnectionTraffic>>,
}

impl Traffic {
    pub(crate) fn key(connection: &Connection) -> Key<ConnectionTraffic> {
        key::connection_traffic(connection.organization_id, &connection.name)
    }

    pub(super) fn of(connection: &Connection, stored: Option<Stored<ConnectionTraffic>>) -> Self {
        let traffic = match &stored {
            Some(stored) => stored.record.clone(),
            None => ConnectionTraffic::none(connection),
        };
        Self {
            known: traffic,
            found: stored,
        }
    }

    /// Returns the state in a batch. An unreadable state blocks no call.
    pub(crate) fn in_batch(connection: &Connection, batch: &Batch) -> Self {
        Self::of(connection, batch.named(&Self::key(connection)))
    }

    pub(super) fn write(self) -> Result<Write> {
        Write::create_or_replace(self.found, self.known)
    }
}

/// Returns the name of an action among those of its connection.
pub(crate) fn name_at_work(action: &AgentAction) -> String {
    format!("{}/{}", action.key.session_id, action.key.action_id)
}
