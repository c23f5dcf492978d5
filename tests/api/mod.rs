//! One module for each branch of the URLs.

mod auth;
mod concierge;
mod milestones;
