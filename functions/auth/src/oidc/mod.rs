//! Sign-in by an organization's provider (OpenID Connect, authorization code with PKCE).

pub mod begin;
pub mod callback;
pub(crate) mod known;
mod provider;
mod state;
