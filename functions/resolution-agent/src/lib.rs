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

/// The function's routes.
pub fn routes() -> Routes<ResolutionAgent> {
    Routes::new(
        "concierge",
        [
            operation!(alerts::list::list),
            operation!(alerts::record::record),
            operation!(alerts::alertmanager::alertmanager),
            operation!(alerts::get::get),
            operation!(alerts::update::update),
            operation!(alerts::list_sessions::list_sessions),
            operation!(sessions::open::open),
            operation!(sessions::list::list),
            operation!(sessions::get::get),
            operation!(sessions::propose::propose),
            operation!(sessions::execute::execute),
            operation!(sessions::reject::reject),
            operation!(sessions::cancel::cancel),
            operation!(actions::preview::preview),
            operation!(actions::settle::settle),
            operation!(actions::hand_over::hand_over),
            operation!(journal::list::list),
            operation!(journal::check::check),
            operation!(journal::export::export),
            operation!(policy::get::get),
            operation!(policy::set::set),
            operation!(connections::list::list),
            operation!(connections::get::get),
            operation!(connections::put::put),
            operation!(connections::delete::delete),
            operation!(connections::test::test),
            operation!(connections::pause::pause),
            operation!(connections::resume::resume),
            operation!(pause::get::get),
            operation!(pause::begin::begin),
            operation!(pause::resume::resume),
        ],
    )
}
