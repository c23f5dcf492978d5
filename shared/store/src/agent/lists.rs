//! Lists of sessions, each with its alert.

use std::collections::HashMap;

use agent::{AgentSession, AgentSessionFilter, AgentSessionStatus, AlertRef};
use model::{AlertId, AnyOf, Error, Id, OrganizationId, UserId};

use super::Agent;
use crate::{
    filter::Filter,
    key::{self, Key},
    page::{Page, Wanted},
    records::SessionOfAlert,
    table::{OrNotFound, Read, Record, Stored},
};

/// A session with its alert.
#[derive(Clone, Debug)]
pub struct SessionOnAlert {
    /// The session.
    pub session: Stored<AgentSession>,
    /// The alert; none if unreadable.
    pub alert: Option<AlertRef>,
}

impl SessionOfAlert {
    pub(super) fn of(session: &AgentSession) -> Self {
        Self {
            organization_id: session.organization_id,
            alert_id: session.alert_id,
            session_id: session.id,
            created_at: session.created_at,
        }
    }
}

impl Record<crate::Workdesk> for SessionOfAlert {
    const KIND: &'static str = "session_of_alert";

    fn key(&self) -> Key<Self> {
        key::session_of_alert(self)
    }
}

impl Agent<'_> {
    /// Returns the organization's sessions that match, newest first. A session past its deadline is
    /// listed as expired. Sessions that await confirmation have their own index.
    pub async fn list(
        &self,
        tenant: OrganizationId,
        caller: UserId,
        filter: &AgentSessionFilter,
        wanted: &Wanted,
    ) -> Result<Page<SessionOnAlert>, Error> {
        let fits = Filter::of(caller).any("alertId", filter.alert_id.as_ref())?;
        let fits = fits.condition();
        let statuses = filter.status.as_ref();
        let table = &self.0.table;
        let awaiting = AgentSessionStatus::AwaitingConfirmation;
        let page = if statuses.and_then(AnyOf::only) == Some(&awaiting) {
            let newest_first = key::agent_sessions_awaiting(tenant).descending();
            table.page(newest_first.filter(fits), wanted).await?
        } else {
            let newest_first = key::agent_sessions(tenant).descending();
            table.page(newest_first.filter(fits), wanted).await?
        };
        let now = self.0.clock.now();
        let page = page.filter_map(|session: Stored<AgentSession>| {
            let status = session.status_at(now);
            let fits = statuses.is_none_or(|any| any.0.contains(&status));
            fits.then_some(session)
        });
        let alert = |id| key::alert(tenant, id);
        let alerts = || page.records().map(|session| session.alert_id);
        let found = table.batch_get(alerts().map(alert), Read::Eventual).await?;
        let alerts: HashMap<_, AlertRef> = found.all(alerts(), alert);
        Ok(page.map(|session| SessionOnAlert {
            alert: alerts.get(&session.alert_id).cloned(),
            session,
        }))
    }

    /// Returns the sessions of an alert, newest first. 404 if the alert is another tenant's.
    pub async fn of_alert(
        &self,
        tenant: OrganizationId,
        alert: AlertId,
        wanted: &Wanted,
    ) -> Result<Page<SessionOnAlert>, Error> {
        let table = &self.0.table;
        let key = key::alert(tenant, alert);
        let names = key::sessions_of_alert(tenant, alert).descending();
        let (alert, names) =
            tokio::try_join!(table.get(&key, Read::Consistent), table.page(names, wanted),)?;
        let alert = AlertRef::from(&alert.or_not_found(AlertId::NOUN)?.record);
        let session = |id| key::agent_session(tenant, id);
        let keys = names.records().map(|name| session(name.session_id));
        let found = table.batch_get(keys, Read::Eventual).await?;
        Ok(names.filter_map(|name| {
            let session = found.named(&session(name.session_id))?;
            let alert = Some(alert.clone());
            Some(SessionOnAlert { session, alert })
        }))
    }
}
