//! Webhooks and their deliveries.

pub mod create;
pub mod delete;
pub mod get;
pub mod list;
pub mod list_deliveries;
pub mod redeliver;
pub mod rotate_secret;
pub mod test;
pub mod update;
pub mod view;
