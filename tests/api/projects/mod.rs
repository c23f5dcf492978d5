//! `/api/projects`

mod archived;
mod create;
mod get;
mod list;
mod milestones;
mod phases;
mod tasks;
mod update;
