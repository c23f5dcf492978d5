//! The resolution agent: alerts, agent sessions that propose and execute actions, connections to
//! target systems, the approval policy, and the journal.

mod actions;
mod alerts;
mod analyse;
mod connections;
mod journal;
mod pause;
mod policy;
mod sessions;
mod state;

pub use analyse::Analyse;
pub use state::ResolutionAgent;

use shared::{http::Routes, operation};

pub fn routes() -> Routes<ResolutionAgent> {
    let operations = [
        operation!(alerts::list::list_alerts),
        operation!(alerts::record::record_alert),
        operation!(alerts::alertmanager::receive_alertmanager),
        operation!(alerts::get::get_alert),
        operation!(alerts::update::update_alert),
        operation!(alerts::list_sessions::list_agent_sessions_of_alert),
        operation!(sessions::open::open_agent_session),
        operation!(sessions::list::list_agent_sessions),
        operation!(sessions::get::get_agent_session),
        operation!(sessions::propose::propose_agent_actions),
        operation!(sessions::execute::execute_agent_actions),
        operation!(sessions::reject::reject_agent_actions),
        operation!(sessions::cancel::cancel_agent_session),
        operation!(actions::preview::preview_agent_actions),
        operation!(actions::settle::settle_agent_action),
        operation!(actions::hand_over::hand_over_agent_action),
        operation!(journal::list::list_agent_session_journal),
        operation!(journal::check::check_agent_session_journal),
        operation!(journal::export::export_agent_journal),
        operation!(policy::get::get_agent_policy),
        operation!(policy::set::set_agent_policy),
        operation!(connections::list::list_connections),
        operation!(connections::get::get_connection),
        operation!(connections::put::put_connection),
        operation!(connections::delete::delete_connection),
        operation!(connections::test::test_connection),
        operation!(connections::pause::pause_connection),
        operation!(connections::resume::resume_connection),
        operation!(pause::get::get_agent_pause),
        operation!(pause::begin::pause_agent_actions),
        operation!(pause::resume::resume_agent_actions),
    ];
    Routes::new("concierge", operations)
}
