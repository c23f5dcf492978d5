//! `/api/organizations`

mod update;
