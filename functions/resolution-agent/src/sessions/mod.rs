//! Agent sessions on alerts: proposals, approvals and results.

pub mod action;
pub mod cancel;
pub mod execute;
pub mod get;
pub mod list;
pub mod open;
pub mod prefer;
pub mod propose;
pub mod reject;
pub mod row;
pub mod view;
