//! `/api/phases`

pub mod delete;
mod update;
