//! Sign-in by an organization's provider (OpenID Connect, authorization code with PKCE).

pub mod begin;
mod browser;
pub mod callback;
mod claims;
mod discovery;
mod flow;
pub mod former_callback;
mod provider;
mod token;
