//! `/api/projects`

mod archived;
mod create;
mod get;
mod list;
mod members;
mod milestones;
mod phases;
mod tasks;
mod update;
