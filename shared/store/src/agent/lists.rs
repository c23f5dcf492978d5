use agent::{
    alert::AlertRef,
    session::{AgentSession, AgentSessionFilter, AgentSessionStatus, NextFilter, SessionContext},
};
use model::base::{AlertId, AnyOf, Id, UserId};
use table::{
    OrNotFound, Read, Stored,
    page::{Page, PageRequest},
};

use crate::{
    Result, Tenant,
    base::{filter::Filter, record::record, records::SessionOfAlert},
    key::{self, Keyed},
};

use super::Agent;

#[derive(Clone, Debug)]
pub struct SessionOnAlert {
    pub session: Stored<AgentSession>,
    /// The alert; none if unreadable.
    pub alert: Option<AlertRef>,
    pub context: SessionContext,
}

impl SessionOfAlert {
    pub(super) fn of(session: &AgentSession) -> Self {
        Self {
            organization_id: session.organization_id,
            alert_id: session.alert.alert_id,
            session_id: session.id,
            created_at: session.times.created_at,
        }
    }
}

record! { session: SessionOfAlert = "session_of_alert", key: key::session_of_alert(session), }

impl Agent<'_> {
    /// Returns the organization's sessions that match, newest first. A session past its deadline is
    /// listed as expired. Sessions with open work, or awaiting confirmation, have an index.
    pub async fn list(
        &self,
        tenant: Tenant,
        caller: UserId,
        filter: &AgentSessionFilter,
        wanted: &PageRequest,
    ) -> Result<Page<SessionOnAlert>> {
        let statuses = filter.status.as_ref();
        let awaiting = statuses.and_then(AnyOf::only);
        let awaiting = awaiting.filter(|only| **only == AgentSessionStatus::AwaitingConfirmation);
        let fits = Filter::of(caller).any("alertId", filter.alert_id.as_ref())?;
        let fits = fits.is("status", awaiting).condition();
        let table = &self.0.table;
        let is_open = filter.open == Some(true) || filter.next == Some(NextFilter::Me);
        let page = if is_open || awaiting.is_some() {
            let newest_first = key::agent_sessions_open(tenant).descending();
            table
                .page(newest_first.filter(fits), wanted)
                .await?
        } else {
            let newest_first = key::agent_sessions(tenant).descending();
            table
                .page(newest_first.filter(fits), wanted)
                .await?
        };
        let now = self.0.now();
        let page = page.filter_map(|session: Stored<AgentSession>| {
            let status = session.status_at(now);
            let fits = statuses.is_none_or(|any| any.0.contains(&status));
            fits.then_some(session)
        });
        let page = self.on_alerts(tenant, page).await?;
        Ok(page.filter_map(|row| {
            let fits = filter.open.is_none_or(|is_open| {
                let mut open = row
                    .session
                    .open_actions(row.context.is_resolved, now);
                open.next().is_some() == is_open
            });
            fits.then_some(row)
        }))
    }

    async fn on_alerts(
        &self,
        tenant: Tenant,
        page: Page<Stored<AgentSession>>,
    ) -> Result<Page<SessionOnAlert>> {
        let sessions: Vec<&AgentSession> = page
            .records()
            .map(|stored| &stored.record)
            .collect();
        let contexts = self.contexts(tenant, &sessions, Vec::new(), Read::Eventual);
        let (contexts, _) = contexts.await?;
        Ok(page.map(|session| SessionOnAlert {
            alert: contexts.alert(&session).cloned(),
            context: contexts.of(&session),
            session,
        }))
    }

    /// Returns the sessions of an alert, newest first. 404 if the alert is another tenant's.
    pub async fn of_alert(
        &self,
        tenant: Tenant,
        alert: AlertId,
        wanted: &PageRequest,
    ) -> Result<Page<SessionOnAlert>> {
        let table = &self.0.table;
        let key = alert.key(tenant);
        let names = key::sessions_of_alert(tenant, alert).descending();
        let (alert, names) = tokio::try_join!(self.0.read(&key), table.page(names, wanted))?;
        alert.or_not_found(AlertId::NOUN)?;
        let session = |id| key::agent_session(tenant, id);
        let keys = names
            .records()
            .map(|name| session(name.session_id));
        let batch = table
            .batch_get(keys, Read::Eventual)
            .await?;
        let sessions = names.filter_map(|name| batch.named(&session(name.session_id)));
        self.on_alerts(tenant, sessions).await
    }
}
