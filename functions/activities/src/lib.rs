//! Activities, their comments and tags.

mod comments;
mod create;
mod delete;
mod get;
mod list;
mod list_of_organization;
mod list_of_project;
mod tags;
mod update;

use shared::{App, http::Routes, operation};

pub fn routes() -> Routes<App> {
    let operations = [
        operation!(list::list_activities),
        operation!(create::create_activity),
        operation!(get::get_activity),
        operation!(update::update_activity),
        operation!(delete::delete_activity),
        operation!(list_of_project::list_project_activities),
        operation!(list_of_organization::list_organization_activities),
    ];
    Routes::new("activities", operations)
        .and(shared::comments::endpoints::<comments::ActivityComment>())
        .and(tags::endpoints())
}
