//! Base URLs of connections.

use model::{address, plain_text};

plain_text! {
    /// The URL to which the paths of calls are appended: scheme, host, and a path without a query.
    BaseUrl, "^https?://[a-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/?$", 200,
    "https://api.example.com/v1", address::is_base,
    "an http or https URL with a host in lower case, and neither user, query nor fragment";
}

impl BaseUrl {
    /// True if it uses https and its host may be a name in the public DNS.
    pub fn is_public(&self) -> bool {
        address::is_public(self)
    }
}
