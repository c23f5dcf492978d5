//! URLs of webhooks.

use std::ops::Deref;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, schema::Type},
};

use crate::{
    Fault, FaultCode, address,
    input::{Field, Place, Reading, reference},
};

/// The URL that a webhook calls: https, and a host name in the public DNS. It may have a path and a query,
/// and neither user nor fragment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WebhookUrl(String);

impl WebhookUrl {
    const MOST: usize = 500;
    const PATTERN: &str =
        r"^https?://[a-z0-9.-]+(:[0-9]{1,5})?([/?][A-Za-z0-9._~:@!$&'()*+,;=%/?-]*)?$";
    /// The characters of path and query beside letters and digits.
    const MARKS: &[u8] = b"._~:@!$&'()*+,;=%/?-";

    fn fits(text: &str) -> bool {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || Self::MARKS.contains(&byte);
        address::split(text)
            .is_some_and(|(origin, rest)| address::is_origin(origin) && rest.bytes().all(plain))
    }

    /// True if it uses https and its host may be a name in the public DNS.
    #[must_use]
    pub fn is_public(&self) -> bool {
        address::is_public(&self.0)
    }

    /// The fault of a URL that does not lead to the public internet.
    #[must_use]
    pub fn not_public(&self) -> Option<Fault> {
        let detail = "`url` must be an https URL with a public host name: no IP address, and no name of this \
            machine or of an internal network.";
        (!self.is_public()).then(|| Fault::at("url", FaultCode::Combination, detail))
    }
}

impl Deref for WebhookUrl {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Field for WebhookUrl {
    fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        let Value::String(text) = value else {
            return place.wrong(value, "a string");
        };
        if !(1..=Self::MOST).contains(&text.chars().count()) {
            let rule = format!("have 1 to {} characters", Self::MOST);
            return place.must(FaultCode::Length, rule);
        }
        if !Self::fits(text) {
            let rule = "be a URL with a host in lower case, and neither user nor fragment";
            return place.must(FaultCode::Pattern, rule);
        }
        Some(Self(text.clone()))
    }

    fn field_schema() -> RefOr<Schema> {
        reference("WebhookUrl")
    }

    fn field_schemas(all: &mut Vec<(String, RefOr<Schema>)>) {
        all.push(("WebhookUrl".to_owned(), <Self as PartialSchema>::schema()));
    }
}

impl PartialSchema for WebhookUrl {
    fn schema() -> RefOr<Schema> {
        let about = "The URL that the webhook calls: https, and a host name in the public DNS. Its host \
            is in lower case. It has neither user nor fragment.";
        ObjectBuilder::new()
            .schema_type(Type::String)
            .min_length(Some(1))
            .max_length(Some(Self::MOST))
            .pattern(Some(Self::PATTERN))
            .description(Some(about))
            .examples(["https://hooks.example.com/workdesk"])
            .into()
    }
}

impl ToSchema for WebhookUrl {
    fn name() -> std::borrow::Cow<'static, str> {
        "WebhookUrl".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_url(text: &str) -> bool {
        let mut faults = Vec::new();
        let place = &mut Place::body(&mut faults);
        WebhookUrl::read(&text.into(), place).is_some()
    }

    #[test]
    fn a_url_has_neither_user_nor_fragment() {
        for good in [
            "https://hooks.example.com",
            "https://hooks.example.com:8443/in/T0/B0?key=a%20b&x=1",
            "http://127.0.0.1:9200/",
            "https://hooks.example.com?key=1",
        ] {
            assert!(is_url(good), "{good}");
        }
        for bad in [
            "",
            "hooks.example.com",
            "ftp://hooks.example.com",
            "https://",
            "https://Hooks.example.com",
            "https://user@hooks.example.com",
            "https://hooks.example.com/#top",
            "https://hooks.example.com/a b",
            "https://hooks.example.com:0",
        ] {
            assert!(!is_url(bad), "{bad}");
        }
    }

    #[test]
    fn a_public_url_has_a_name_of_the_public_dns() {
        let is_public = |text: &str| WebhookUrl(text.to_owned()).not_public().is_none();
        assert!(is_public("https://hooks.example.com/in?x=1"));
        for inner in [
            "http://hooks.example.com",
            "https://localhost/in",
            "https://127.0.0.1/in",
            "https://hooks.internal",
            "https://hooks",
        ] {
            assert!(!is_public(inner), "{inner}");
        }
    }
}
