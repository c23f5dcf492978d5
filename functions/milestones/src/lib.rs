//! Milestones of projects.

mod create;
mod delete;
mod get;
mod history;
mod list_of_project;
mod update;

use shared::{App, http::Routes, operation};

pub fn routes() -> Routes<App> {
    let operations = [
        operation!(create::create_milestone),
        operation!(get::get_milestone),
        operation!(update::update_milestone),
        operation!(delete::delete_milestone),
        operation!(list_of_project::list_project_milestones),
        operation!(history::list_milestone_history),
    ];
    Routes::new("milestones", operations)
}
