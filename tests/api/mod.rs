//! One module for each branch of the URLs.

mod auth;
mod managed_services;
mod milestones;
mod tasks;
