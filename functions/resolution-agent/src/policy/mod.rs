//! Who has to approve what, and how much a day takes.

pub mod get;
pub mod set;
pub mod view;
