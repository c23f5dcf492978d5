//! `/api/auth`

mod login;
mod logout;
mod password;
mod session;
mod sessions;
