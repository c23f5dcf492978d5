//! `/api/auth`

mod accept;
mod email;
mod enumeration;
mod forgot;
mod login;
mod logout;
mod notices;
mod oidc;
mod password;
mod reset;
mod session;
mod sessions;
mod sign_in;
