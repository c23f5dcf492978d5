//! `/api/auth`

mod login;
mod logout;
mod oidc;
mod password;
mod session;
mod sessions;
mod sign_in;
