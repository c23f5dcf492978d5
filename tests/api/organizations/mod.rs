//! `/api/organizations`

mod sign_in;
mod update;
