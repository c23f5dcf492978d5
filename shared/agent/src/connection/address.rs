//! Base URLs of connections.

use model::address;

use super::words::plain_text;

plain_text! {
    /// The URL to which the paths of calls are appended: scheme, host, and a path without a query.
    BaseUrl, "^https?://[a-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/?$", 200,
    "https://api.example.com/v1", is_base_url,
    "an http or https URL with a host in lower case, and neither user, query nor fragment";
}

fn is_base_url(url: &str) -> bool {
    let Some((origin, path)) = address::split(url) else {
        return false;
    };
    let in_path = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let is_segment = |segment: &str| {
        !segment.is_empty()
            && segment.bytes().all(in_path)
            && !segment.bytes().all(|byte| byte == b'.')
    };
    let is_path = path.is_empty() || path.starts_with('/');
    let path = path.strip_suffix('/').unwrap_or(path);
    address::is_origin(origin) && is_path && path.split('/').skip(1).all(is_segment)
}

impl BaseUrl {
    /// True if it uses https and its host may be a name in the public DNS.
    #[must_use]
    pub fn is_public(&self) -> bool {
        address::is_public(self)
    }
}
