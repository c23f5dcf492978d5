//! One folder for each branch of the URLs below `/api`, one file for each endpoint; what several
//! operations of a branch have in common stands in its `mod.rs`.

mod activities;
mod auth;
mod concierge;
mod docs;
mod managed_services;
mod milestones;
mod openapi;
mod organizations;
mod phases;
mod projects;
mod service_requests;
mod tags;
mod tasks;
mod tokens;
mod users;
