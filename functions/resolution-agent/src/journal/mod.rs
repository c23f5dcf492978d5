//! The journal of sessions: list, export, and integrity check.

pub mod check;
pub mod export;
pub mod list;
pub mod view;
