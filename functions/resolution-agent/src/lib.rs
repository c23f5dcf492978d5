//! The resolution agent: alerts, sessions on them, in which actions are proposed, approved and
//! executed, the connections that these call, the policy that they keep, and the journal.

mod action_view;
mod alert_view;
mod cancel;
mod check_journal;
mod connection_name;
mod connection_view;
mod delete_connection;
pub mod engine;
mod execute;
mod export_journal;
mod get;
mod get_alert;
mod get_connection;
mod get_pause;
mod get_policy;
mod journal_view;
mod list;
mod list_alerts;
mod list_connections;
mod list_journal;
mod list_sessions_of_alert;
mod open;
mod pause;
mod pause_connection;
mod policy_view;
mod prefer;
mod propose;
mod put_connection;
mod receive_alertmanager;
mod record_alert;
mod reject;
mod resume;
mod resume_connection;
mod session_row;
mod set_policy;
mod test_connection;
mod update_alert;
mod view;

pub use engine::{Engine, EngineError, PlaybookEngine};

use std::sync::Arc;

use axum::extract::FromRef;
use shared::{App, http, operation, queue::Queue, utoipa_axum::router::OpenApiRouter};
use targets::Targets;

/// The state of this function. Cheap to clone.
#[derive(Clone)]
pub struct ResolutionAgent {
    app: App,
    queue: Queue,
    engine: Arc<dyn Engine>,
    targets: Targets,
}

impl ResolutionAgent {
    /// From its parts.
    #[must_use]
    pub fn new(app: App, queue: Queue, engine: Arc<dyn Engine>, targets: Targets) -> Self {
        Self {
            app,
            queue,
            engine,
            targets,
        }
    }
}

impl FromRef<ResolutionAgent> for App {
    fn from_ref(state: &ResolutionAgent) -> Self {
        state.app.clone()
    }
}

/// The function's routes.
pub fn routes() -> OpenApiRouter<ResolutionAgent> {
    http::routes(
        "concierge",
        [
            operation!(list_alerts::list_alerts),
            operation!(record_alert::record_alert),
            operation!(receive_alertmanager::receive_alertmanager),
            operation!(get_alert::get_alert),
            operation!(update_alert::update_alert),
            operation!(list_sessions_of_alert::list_sessions_of_alert),
            operation!(open::open),
            operation!(list::list),
            operation!(get::get),
            operation!(propose::propose),
            operation!(execute::execute),
            operation!(reject::reject),
            operation!(cancel::cancel),
            operation!(list_journal::list_journal),
            operation!(check_journal::check_journal),
            operation!(export_journal::export_journal),
            operation!(get_policy::get_policy),
            operation!(set_policy::set_policy),
            operation!(list_connections::list_connections),
            operation!(get_connection::get_connection),
            operation!(put_connection::put_connection),
            operation!(delete_connection::delete_connection),
            operation!(test_connection::test_connection),
            operation!(pause_connection::pause_connection),
            operation!(resume_connection::resume_connection),
            operation!(get_pause::get_pause),
            operation!(pause::pause),
            operation!(resume::resume),
        ],
    )
}
