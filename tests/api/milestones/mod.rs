//! `/api/milestones`

mod create;
mod delete;
mod get;
mod update;
