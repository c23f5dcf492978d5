//! `/api/concierge/...`

mod alert;
mod alertmanager;
mod alerts;
mod cancel;
mod connections;
mod execute;
mod get;
mod journal;
mod list;
mod open;
mod policy;
mod propose;
mod record_alert;
mod reject;
