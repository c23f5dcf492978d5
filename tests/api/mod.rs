//! One module for each branch of the URLs.

mod activities;
mod auth;
mod concierge;
mod managed_services;
mod milestones;
mod service_requests;
mod tasks;
