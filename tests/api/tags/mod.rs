//! `/api/tags`

mod create;
mod delete;
mod list;
mod update;
