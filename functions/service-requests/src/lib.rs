//! Service requests, their comments and tags.

mod comments;
mod create;
mod delete;
mod get;
mod history;
mod list;
mod tags;
mod update;

use shared::{App, http::Routes, operation};

pub fn routes() -> Routes<App> {
    let operations = [
        operation!(create::create_service_request),
        operation!(list::list_service_requests),
        operation!(get::get_service_request),
        operation!(update::update_service_request),
        operation!(delete::delete_service_request),
        operation!(history::list_service_request_history),
    ];
    Routes::new("service-requests", operations)
        .and(shared::comments::endpoints::<comments::ServiceRequestComment>())
        .and(tags::endpoints())
}
