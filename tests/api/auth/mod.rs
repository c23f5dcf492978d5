//! `/api/auth`

mod enumeration;
mod login;
mod logout;
mod password;
mod session;
mod sessions;
