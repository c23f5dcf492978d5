//! `/api/activities`

mod create;
mod delete;
mod get;
mod list;
mod tags;
mod update;
