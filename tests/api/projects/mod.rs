//! `/api/projects`

mod activities;
mod milestones;
mod tasks;
