//! Whether any action of the organization is begun.

pub mod begin;
pub mod get;
pub mod resume;
pub mod view;
