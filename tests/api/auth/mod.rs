//! `/api/auth`

mod login;
mod logout;
mod session;
