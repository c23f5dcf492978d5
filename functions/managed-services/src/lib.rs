//! The managed-services dashboard, support tickets, and the search for what a service request may
//! refer to.

mod dashboard;
mod get_ticket;
mod reply_to_ticket;
mod search_references;

use shared::App;
use utoipa_axum::{router::OpenApiRouter, routes};

/// The function's routes.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        // /api/managed-services/dashboard
        .routes(routes!(dashboard::dashboard))
        // /api/managed-services/ticket/{ticketId}
        .routes(routes!(get_ticket::get_ticket))
        // /api/managed-services/ticket/{ticketId}/reply
        .routes(routes!(reply_to_ticket::reply_to_ticket))
        // /api/managed-services/search-references
        .routes(routes!(search_references::search_references))
}
