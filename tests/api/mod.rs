//! One module for each branch of the URLs.

mod activities;
mod auth;
mod milestones;
mod service_requests;
