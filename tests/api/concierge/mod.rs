//! `/api/concierge/...`

mod alerts;
mod cancel;
mod execute;
mod get;
mod list;
mod open;
mod propose;
