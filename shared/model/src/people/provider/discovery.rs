//! The statements of a provider about itself, as the table keeps them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The members of a provider's discovery document and key set that sign-ins need.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderDiscovery {
    pub issuer: String,
    pub authorization_endpoint: String,
    pub token_endpoint: String,
    /// URL of the user info; none if the provider has no user info.
    pub userinfo_endpoint: Option<String>,
    pub jwks_uri: String,
    /// True if the provider lists the scope `groups`. Some providers refuse scopes that they do not
    /// list.
    pub lists_groups: bool,
    /// True if the client's secret goes into the body of a request, false if it goes into its
    /// header.
    pub secret_in_body: bool,
    /// True if each answer to the browser names the issuer (RFC 9207).
    pub names_issuer: bool,
    /// Public keys (RFC 7517), each with the members that verify a signature.
    pub keys: Vec<Value>,
}

impl ProviderDiscovery {
    /// The time in milliseconds after which the sweeper reads it again.
    pub const KEPT: i64 = crate::base::span::HOUR;

    /// The time in milliseconds between two readings of the sweeper that fail.
    pub const RETRIED: i64 = 10 * crate::base::span::MINUTE;

    /// The time in milliseconds for which a failure is remembered, and between two readings for
    /// sign-ins.
    pub const FAILED: i64 = 30 * crate::base::span::SECOND;
}
