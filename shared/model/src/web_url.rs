//! The address of the desk, for links to records.

use crate::{address, plain_text};

plain_text! {
    /// The address of the organization's desk, to which links append `/#/tasks/17`.
    WebUrl, r"^(https://[a-z0-9.-]+|http://([a-z0-9-]+\.)*localhost)(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/?$", 200,
    "https://desk.example.com", fits,
    "an https URL, or an http URL of localhost, with a host in lower case, and neither user, query nor fragment";
}

fn fits(url: &str) -> bool {
    let origin = address::split(url).map_or("", |(origin, _)| origin);
    let is_local = origin.strip_prefix("http://").is_some_and(|authority| {
        let host = authority.split(':').next().unwrap_or_default();
        host.rsplit('.').next() == Some("localhost")
    });
    address::is_base(url) && (is_local || origin.starts_with("https://"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Field, Place};

    #[test]
    fn an_address_is_https_or_of_this_machine() {
        let is_one = |text: &str| {
            let mut faults = Vec::new();
            WebUrl::read(&text.into(), &mut Place::body(&mut faults)).is_some()
        };
        for good in [
            "https://desk.example.com",
            "https://example.com:8443/desk/",
            "http://localhost:9000",
            "http://app.localhost:3000/",
        ] {
            assert!(is_one(good), "{good}");
        }
        for bad in [
            "desk.example.com",
            "http://desk.example.com",
            "http://localhost.example.com",
            "http://notlocalhost",
            "https://desk.example.com/#/",
            "javascript:alert(1)",
        ] {
            assert!(!is_one(bad), "{bad}");
        }
    }
}
