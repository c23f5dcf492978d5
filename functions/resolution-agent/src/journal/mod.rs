//! What happened in sessions, and that nobody changed it since.

pub mod check;
pub mod export;
pub mod list;
pub mod view;
