//! The pause of all actions of an organization.

pub mod begin;
pub mod get;
pub mod resume;
pub mod view;
