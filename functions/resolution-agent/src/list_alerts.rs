//! `GET /api/concierge/alerts`

use axum::extract::State;
use serde::Serialize;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::List,
    model::{
        AgentSessionId, AlertFilter, AlertSort, Listing, Money, Signal, SignalEntity, SignalId,
        SignalStatus, Timestamp,
    },
    store::Stored,
};
use utoipa::ToSchema;

/// Something that a monitoring or billing system reported.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Alert)]
#[serde(rename_all = "camelCase")]
pub struct AlertView {
    id: SignalId,
    /// Who reported it.
    source: String,
    /// The reporter's own id.
    external_id: String,
    /// Its class, by which playbooks go.
    signal_type: String,
    /// `info`, `warning`, `error` or `critical`.
    severity: String,
    status: SignalStatus,
    title: String,
    description: Option<String>,
    /// The system it is about.
    target_system: String,
    /// The records of that system it is about.
    entities: Vec<SignalEntity>,
    /// Money that hangs on it.
    amount_at_risk: Option<Money>,
    occurred_at: Timestamp,
    /// The newest agent session on it, which may have ended.
    agent_session_id: Option<AgentSessionId>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Raised by every write.
    version: i64,
}

impl From<Stored<Signal>> for AlertView {
    fn from(stored: Stored<Signal>) -> Self {
        let Stored {
            record: signal,
            version,
        } = stored;
        Self {
            version,
            id: signal.id,
            source: signal.source,
            external_id: signal.external_id,
            signal_type: signal.signal_type,
            severity: signal.severity,
            status: signal.status,
            title: signal.title,
            description: signal.description,
            target_system: signal.target_system,
            entities: signal.entities,
            amount_at_risk: signal.amount_at_risk,
            occurred_at: signal.occurred_at,
            agent_session_id: signal.agent_session_id,
            created_at: signal.created_at,
            updated_at: signal.updated_at,
        }
    }
}

/// Lists alerts, what occurred last first.
#[utoipa::path(get, path = "/api/concierge/alerts", operation_id = "listAlerts")]
pub async fn list_alerts(
    State(app): State<App>,
    caller: Caller<need::ViewAgentRemediation, Listing<AlertFilter, AlertSort>>,
) -> Result<List<AlertView>, Problem> {
    let pages = caller.pages(&app)?;
    let (tenant, user) = (caller.tenant(), caller.user_id());
    let filter = &caller.query.filter;
    let signals = app.store.signals();
    let page = signals.list(tenant, user, filter, &pages.wanted).await?;
    Ok(pages.answer(page, AlertView::from)?)
}
