//! The approval policy and the daily caps of an organization.

pub mod get;
pub mod set;
