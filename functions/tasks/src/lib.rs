//! Tasks of projects and of the organization, their comments and tags.

mod comments;
mod count;
mod create;
mod delete;
mod get;
mod history;
mod list;
mod list_of_project;
mod move_beside;
mod move_to_phase;
mod reorder;
mod tags;
mod update;

use shared::{App, http::Routes, operation};

pub fn routes() -> Routes<App> {
    let operations = [
        operation!(list::list_tasks),
        operation!(create::create_task),
        operation!(get::get_task),
        operation!(reorder::reorder_tasks),
        operation!(update::update_task),
        operation!(delete::delete_task),
        operation!(move_beside::move_task),
        operation!(move_to_phase::move_task_to_phase),
        operation!(list_of_project::list_project_tasks),
        operation!(count::count_project_tasks),
        operation!(history::list_task_history),
    ];
    Routes::new("tasks", operations)
        .and(shared::comments::endpoints::<comments::TaskComment>())
        .and(tags::endpoints())
}
