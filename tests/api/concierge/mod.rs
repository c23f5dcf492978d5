//! `/api/concierge/...`

mod cancel;
mod execute;
mod get;
mod open;
mod propose;
