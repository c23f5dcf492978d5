//! `PUT /api/managed-services/tickets/{id}/tags/{tagId}`
//! `DELETE /api/managed-services/tickets/{id}/tags/{tagId}`

use shared::{App, http::Endpoint, model::base::TicketId, tags};

pub fn endpoints() -> [Endpoint<App>; 2] {
    tags::endpoints_of_paths::<TicketId>("Ticket", "/api/managed-services/tickets/{id}/tags")
}
