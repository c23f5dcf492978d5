use crate::{
    base::{Fault, FaultCode, address},
    plain_text,
};

plain_text! {
    /// The URL that the webhook calls: https, and a host name in the public DNS.
    WebhookUrl, r"^https?://[a-z0-9.-]+(:[0-9]{1,5})?([/?][A-Za-z0-9._~:@!$&'()*+,;=%/?-]*)?$", 500,
    "https://hooks.example.com/workdesk", fits,
    "a URL with a host in lower case, and neither user nor fragment";
}

/// The characters of path and query beside letters and digits.
const MARKS: &[u8] = b"._~:@!$&'()*+,;=%/?-";

fn fits(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || MARKS.contains(&byte);
    address::split(text)
        .is_some_and(|(origin, rest)| address::is_origin(origin) && rest.bytes().all(plain))
}

impl WebhookUrl {
    /// True if it uses https and its host may be a name in the public DNS.
    pub fn is_public(&self) -> bool {
        address::is_public(&self.0)
    }

    /// The fault of a URL that does not lead to the public internet.
    pub fn not_public(&self) -> Option<Fault> {
        let detail = "`url` must be an https URL with a public host name: no IP address, and no name of this \
            machine or of an internal network.";
        (!self.is_public()).then(|| Fault::at("url", FaultCode::Combination, detail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::input::Component;
    use crate::base::input::InputPlace;

    fn is_url(text: &str) -> bool {
        let mut faults = Vec::new();
        let place = &mut InputPlace::body(&mut faults);
        WebhookUrl::parse(&text.into(), place).is_some()
    }

    #[test]
    fn a_url_has_neither_user_nor_fragment() {
        let good = "https://hooks.example.com https://hooks.example.com:8443/in/T0/B0?key=a%20b&x=1 \
                    http://127.0.0.1:9200/ https://hooks.example.com?key=1";
        for good in good.split(' ') {
            assert!(is_url(good), "{good}");
        }
        let bad = "hooks.example.com|https://user@hooks.example.com|https://hooks.example.com/#top|\
                   https://hooks.example.com/a b";
        for bad in bad.split('|') {
            assert!(!is_url(bad), "{bad}");
        }
    }

    #[test]
    fn another_host_than_a_public_one_is_a_fault() {
        let fault = |text: &str| WebhookUrl(text.to_owned()).not_public();
        assert_eq!(fault("https://hooks.example.com/in?x=1"), None);
        assert!(fault("https://hooks.internal").is_some());
    }
}
