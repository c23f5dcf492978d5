//! `/api/tokens`

mod create;
mod delete;
mod list;
