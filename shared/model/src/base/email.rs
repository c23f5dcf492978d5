//! Addresses of mail.

use serde::{Deserialize, Serialize};
use utoipa::{PartialSchema, ToSchema};

use crate::base::{
    Fault, FaultCode,
    input::{Component, InputPlace, Json, Reading, Schema, string},
};

/// An address for mail, of at most 254 characters. Addresses are compared without regard to case.
///
/// White space around it is cut. A domain such as `bücher.example` is stored in Punycode:
/// `xn--bcher-kva.example`. All else is kept as it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Email(String);

crate::as_text!(Email);

const MOST: usize = 254;

/// The form of an address as clients send it. Domains in further scripts are taken as well.
const PATTERN: &str = r"^[ \t\r\n]*[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([A-Za-z0-9ß-öø-ÿα-ωа-яぁ-ゖァ-ヺ一-鿿가-힣]([A-Za-z0-9ß-öø-ÿα-ωа-яぁ-ゖァ-ヺ一-鿿가-힣-]*[A-Za-z0-9ß-öø-ÿα-ωа-яぁ-ゖァ-ヺ一-鿿가-힣])?\.)+[A-Za-z0-9ß-öø-ÿα-ωа-яぁ-ゖァ-ヺ一-鿿가-힣]([A-Za-z0-9ß-öø-ÿα-ωа-яぁ-ゖァ-ヺ一-鿿가-힣-]*[A-Za-z0-9ß-öø-ÿα-ωа-яぁ-ゖァ-ヺ一-鿿가-힣])?[ \t\r\n]*$";

impl Component for Email {
    fn parse(value: &Json, place: &mut InputPlace<'_>) -> Reading<Self> {
        let text = place.text(value)?;
        let address = in_ascii(text.trim());
        let address = address
            .as_deref()
            .unwrap_or_else(|| text.trim());
        if !(1..=MOST).contains(&address.chars().count()) {
            return place.must(FaultCode::Length, "have 1 to 254 characters");
        }
        if !fits(address) {
            let rule = "be an address for mail, in ASCII before the @, such as ada@example.com";
            return place.must(FaultCode::Pattern, rule);
        }
        Some(Self(address.to_owned()))
    }
}

impl PartialSchema for Email {
    fn schema() -> Schema {
        let about = "An address for mail. Addresses are compared without regard to case. White space around it \
            is cut, and a domain in other letters is stored in Punycode.";
        string()
            .min_length(Some(1))
            .max_length(Some(MOST))
            .pattern(Some(PATTERN))
            .description(Some(about))
            .examples(["ada@example.com"])
            .into()
    }
}

impl ToSchema for Email {}

/// Returns an address whose domain has other letters than ASCII's with the domain in Punycode.
/// `None` for another address, and for what is no domain.
fn in_ascii(text: &str) -> Option<String> {
    let (local, domain) = text.rsplit_once('@')?;
    if domain.is_ascii() {
        return None;
    }
    let domain = idna::domain_to_ascii_strict(domain).ok()?;
    Some(format!("{local}@{domain}"))
}

fn fits(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let of_atom = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_`{|}~-".contains(&byte);
    let is_atom = |atom: &str| !atom.is_empty() && atom.bytes().all(of_atom);
    let of_label = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(of_label)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    // RFC 5321, 4.5.3.1.1.
    local.len() <= 64
        && local.split('.').all(is_atom)
        && domain.contains('.')
        && domain.split('.').all(is_label)
}

impl Email {
    /// Reads an address as a body would have it.
    pub fn of_text(text: &str) -> Result<Self, Vec<Fault>> {
        let mut faults = Vec::new();
        let read = Self::parse(&text.into(), &mut InputPlace::body(&mut faults));
        read.ok_or(faults)
    }

    /// Returns the key of the address, which is the same in upper and lower case.
    pub fn key(&self) -> String {
        self.to_ascii_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_can_be_sent_to_and_holds_no_header() {
        let is_one = |text: &str| Email::of_text(text).is_ok();
        let longest = format!("{}@{}.example", "a".repeat(64), "b.".repeat(89) + "com");
        let good = "ada@example.com Ada.L+desk@sub.example.co o'neil@xn--bcher-kva.example";
        for good in good.split(' ').chain([&*longest]) {
            assert!(is_one(good), "{good}");
        }
        let bad = "|ada|ada@localhost|@example.com|ada@|a..b@example.com|.a@example.com|\
                   ada@-example.com|ada lindqvist@example.com|Ada <ada@example.com>|\
                   ada@example.com\r\nBcc: eve@example.com|ada@example.com,eve@example.com|\
                   ädä@example.com";
        let local = "a".repeat(65);
        let domain = "b.".repeat(130);
        let long = [format!("{local}@example.com"), format!("a@{domain}com")];
        for bad in bad
            .split('|')
            .chain(long.iter().map(String::as_str))
        {
            assert!(!is_one(bad), "{bad}");
        }
    }

    #[test]
    fn a_domain_in_other_letters_is_kept_in_punycode() {
        let stored = |text: &str| {
            Email::of_text(text)
                .map(|email| email.to_string())
                .ok()
        };
        for (sent, kept) in [
            ("info@bücher.example", "info@xn--bcher-kva.example"),
            ("info@BÜCHER.example", "info@xn--bcher-kva.example"),
            ("info@xn--bcher-kva.example", "info@xn--bcher-kva.example"),
            ("info@例え.テスト", "info@xn--r8jz45g.xn--zckzah"),
            (" Me@X.example\n", "Me@X.example"),
        ] {
            assert_eq!(stored(sent).as_deref(), Some(kept), "{sent}");
        }
        let key = |text: &str| Email::of_text(text).unwrap().key();
        assert_eq!(
            key("Info@Bücher.Example"),
            key("info@xn--bcher-kva.example")
        );
        // No letters of a domain, a name that is too long, and a local part that no server need
        // take.
        let long = format!("info@{}.example", "ü".repeat(64));
        let bad = [
            "info@bü cher.example",
            "info@-bücher.example",
            "bücher@example.com",
            &long,
            " ",
        ];
        for bad in bad {
            assert_eq!(stored(bad), None, "{bad}");
        }
    }
}
