//! Organizations with their journals, users, invitations, customers, projects, phases and tags.

mod add_member;
mod check_journal;
mod create_customer;
mod create_invitation;
mod create_phase;
mod create_project;
mod create_tag;
mod create_user;
mod delete_invitation;
mod delete_phase;
mod delete_tag;
mod get_customer;
mod get_organization;
mod get_project;
mod get_user;
mod history_of_customer;
mod history_of_project;
mod list_customers;
mod list_invitations;
mod list_journal;
mod list_members;
mod list_phases;
mod list_projects;
mod list_tags;
mod list_users;
mod remove_member;
mod send_invitation;
mod set_password;
mod update_customer;
mod update_organization;
mod update_phase;
mod update_project;
mod update_tag;
mod update_user;
mod view;

use shared::{App, http::Routes, operation};

pub fn routes() -> Routes<App> {
    let operations = [
        operation!(get_organization::get_organization),
        operation!(update_organization::update_organization),
        operation!(list_journal::list_organization_journal),
        operation!(check_journal::check_organization_journal),
        operation!(list_users::list_users),
        operation!(create_user::create_user),
        operation!(get_user::get_user),
        operation!(update_user::update_user),
        operation!(set_password::set_password),
        operation!(list_invitations::list_invitations),
        operation!(create_invitation::create_invitation),
        operation!(send_invitation::send_invitation),
        operation!(delete_invitation::delete_invitation),
        operation!(list_customers::list_customers),
        operation!(create_customer::create_customer),
        operation!(get_customer::get_customer),
        operation!(update_customer::update_customer),
        operation!(history_of_customer::list_customer_history),
        operation!(list_projects::list_projects),
        operation!(create_project::create_project),
        operation!(get_project::get_project),
        operation!(update_project::update_project),
        operation!(list_members::list_project_members),
        operation!(add_member::add_project_member),
        operation!(remove_member::remove_project_member),
        operation!(list_phases::list_project_phases),
        operation!(create_phase::create_phase),
        operation!(update_phase::update_phase),
        operation!(delete_phase::delete_phase),
        operation!(list_tags::list_tags),
        operation!(create_tag::create_tag),
        operation!(update_tag::update_tag),
        operation!(delete_tag::delete_tag),
        operation!(history_of_project::list_project_history),
    ];
    Routes::new("directory", operations)
}
