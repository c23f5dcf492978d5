use serde::{Deserialize, Serialize};

use crate::base::Timestamp;

/// A user's identity at a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderSubject {
    pub issuer: String,
    /// The provider's id of the user: the claim `sub`.
    pub sub: String,
    /// True for a user whom the sign-in of a group made.
    #[serde(default)]
    pub by_group: bool,
    /// The last sign-in by the provider, to the hour. None of a user whom an earlier version signed
    /// in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_in_at: Option<Timestamp>,
}
