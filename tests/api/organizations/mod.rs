//! `/api/organizations`

mod activities;
mod get;
mod update;
