//! One folder for each branch of the URLs below `/api`, one file for each endpoint; what several
//! operations of a branch have in common stands in its `mod.rs`.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says why"
)]

mod activities;
mod attached_tags;
mod auth;
mod changes;
mod comments;
mod concierge;
mod customers;
mod desk;
mod docs;
mod health;
mod invitations;
mod journal;
mod kept_fields;
mod known_versions;
mod managed_services;
mod messages;
mod milestones;
mod notifications;
mod openapi;
mod organizations;
mod phases;
mod projects;
mod search;
mod service_requests;
mod service_status;
mod strict_bodies;
mod tags;
mod tasks;
mod titles;
mod tokens;
mod users;
mod webhooks;
