//! `/api/webhooks`

mod create;
mod deliveries;
mod rotate_secret;
mod test;
mod update;
