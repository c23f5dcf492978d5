//! The managed-services dashboard, support tickets with their tags, and the search for records that
//! a service request may refer to.

mod dashboard;
mod delete_message;
mod get_ticket;
mod history_of_ticket;
mod hours_saved;
mod list_tickets;
mod raise_ticket;
mod reply_to_ticket;
mod search_references;
mod tags_of_ticket;
mod update_message;
mod update_ticket;

use shared::{App, http::Routes, operation};

pub fn routes() -> Routes<App> {
    let operations = [
        operation!(dashboard::get_dashboard),
        operation!(hours_saved::list_hours_saved),
        operation!(list_tickets::list_tickets),
        operation!(raise_ticket::create_ticket),
        operation!(get_ticket::get_ticket),
        operation!(update_ticket::update_ticket),
        operation!(reply_to_ticket::reply_to_ticket),
        operation!(update_message::update_ticket_message),
        operation!(delete_message::delete_ticket_message),
        operation!(search_references::search_references),
        operation!(history_of_ticket::list_ticket_history),
    ];
    Routes::new("managed-services", operations).and(tags_of_ticket::endpoints())
}
