//! Alerts of monitoring and billing systems.

pub mod alertmanager;
pub mod get;
pub mod list;
pub mod list_sessions;
pub mod record;
pub mod update;
