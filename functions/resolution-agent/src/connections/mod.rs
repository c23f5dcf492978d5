//! Connections: the target systems that actions call.

pub mod delete;
pub mod get;
pub mod list;
pub mod pause;
pub mod put;
pub mod resume;
pub mod test;
pub mod view;
