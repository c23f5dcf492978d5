//! `/api/organizations`

mod activities;
