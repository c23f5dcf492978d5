use serde::{Deserialize, Serialize};

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
}
