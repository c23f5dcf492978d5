//! Alerts: what monitoring and billing systems reported.

pub mod alertmanager;
pub mod get;
pub mod list;
pub mod list_sessions;
pub mod record;
pub mod update;
pub mod view;
