//! The end of an alert. The worker reads whether its matter is settled, after the last action.

use agent::{Alert, Connection, JournalEvent, Judgement, Note, Sight, TargetRead};
use model::{AgentSessionId, Error, OrganizationId};

use super::{Agent, journal::WORKER, sessions::noted};
use crate::{
    key::{self, AnyKey},
    table::{OrLeave, Read, Stored, Write},
};

/// An alert whose matter may be settled.
#[derive(Clone, Debug)]
pub struct AlertCheck {
    /// The reads that tell.
    pub reads: Vec<TargetRead>,
    /// The existing connections of these reads.
    pub connections: Vec<Connection>,
}

impl Agent<'_> {
    /// Returns the check that may resolve a session's alert. None unless the session is completed,
    /// each effect is verified, and its playbook states the end.
    pub async fn to_resolve(
        &self,
        tenant: OrganizationId,
        id: AgentSessionId,
    ) -> Result<Option<AlertCheck>, Error> {
        let whole = self.get(tenant, id).await?;
        let Some(check) = whole.session.alert_check(&whole.actions) else {
            return Ok(None);
        };
        let names = check.reads.iter().map(|read| &read.connection);
        let names: Vec<_> = names.map(|name| key::connection(tenant, name)).collect();
        let keys = names.iter().map(AnyKey::from);
        let batch = self.0.table.batch_get(keys, Read::Consistent).await?;
        let connections = names.iter().filter_map(|key| batch.named(key));
        Ok(Some(AlertCheck {
            reads: check.reads.clone(),
            connections: connections.map(|one| one.record).collect(),
        }))
    }

    /// Resolves a session's alert, with its journal entry, if its conditions were read as true. A
    /// concurrent change of the session or the alert leaves the alert open.
    pub async fn resolve(
        &self,
        tenant: OrganizationId,
        id: AgentSessionId,
        sight: &Sight,
    ) -> Result<(), Error> {
        let whole = self.get(tenant, id).await?;
        let check = whole.session.alert_check(&whole.actions);
        let is_settled = check.is_some_and(|check| {
            let judgement = sight.judge(&check.conditions);
            matches!(judgement, Judgement::Holds)
        });
        if !is_settled {
            return Ok(());
        }
        let mut session = whole.session;
        let key = key::alert(tenant, session.alert_id);
        let keys = [AnyKey::from(&key)];
        let batch = self.0.table.batch_get(keys, Read::Consistent).await?;
        // An unreadable alert cannot be resolved.
        let found: Option<Stored<Alert>> = batch.named(&key);
        let Some(mut alert) = found else {
            return Ok(());
        };
        let now = self.0.clock.now();
        if !alert.resolve(now) {
            return Ok(());
        }
        let status = Some(session.status.name());
        let note = Note::new(WORKER, JournalEvent::AlertResolved, status);
        let mut writes = noted(&mut session, note, now)?;
        writes.push(Write::replace(&alert)?);
        self.0.table.transact(writes).await?.or_leave();
        Ok(())
    }
}
