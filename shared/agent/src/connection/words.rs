//! String types of a connection, each with its own format.

use model::{
    base::{FaultCode, address, input::InputPlace, is_header_text, span},
    plain_text,
};

plain_text! {
    /// The URL to which the paths of calls are appended: scheme, host, and a path without a query.
    BaseUrl, "^https?://[a-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/?$", 200,
    "https://api.example.com/v1", address::is_base,
    "an http or https URL with a host in lower case, and neither user, query nor fragment";

    /// The name of an HTTP header.
    HeaderName, "^[A-Za-z0-9][A-Za-z0-9_-]*$", 64, "Stripe-Version", is_header_name,
    "letters, digits, hyphens and underscores, the first of them a letter or a digit";

    /// The value of an HTTP header.
    HeaderText, "^[!-~]([ -~]*[!-~])?$", 256, "2025-09-30", is_header_text,
    "printable ASCII, with no space at either end";

    /// The name of a body member, a header or a query parameter.
    KeyName, "^[A-Za-z0-9_-][A-Za-z0-9._-]*$", 64, "Idempotency-Key", is_key,
    "letters, digits, hyphens, underscores and dots, and not begin with a dot";

    /// A period: a number of minutes, hours or days.
    Period, "^[1-9][0-9]{0,3}[mhd]$", 5, "24h", is_period,
    "a number from 1 to 9999 and m, h or d";

    /// A period of at most seven days.
    SettlesWithin, "^[1-9][0-9]{0,3}[mhd]$", 5, "15m", is_settling_time,
    "a number and m, h or d, and at most 7d";

    /// A user name of basic authentication.
    BasicUser, "^[!-9;-~]+$", 128, "billing-bot", is_user,
    "printable ASCII without spaces and colons";
}

impl BaseUrl {
    /// True if it uses https and its host may be a name in the public DNS.
    pub fn is_public(&self) -> bool {
        address::is_public(self)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-".contains(&byte)
}

fn is_header_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphanumeric()) && text.bytes().all(is_word)
}

fn is_period(text: &str) -> bool {
    let number = text
        .strip_suffix(['m', 'h', 'd'])
        .unwrap_or_default();
    let is_number = number
        .bytes()
        .all(|byte| byte.is_ascii_digit());
    is_number && (1..=4).contains(&number.len()) && !number.starts_with('0')
}

fn is_settling_time(text: &str) -> bool {
    is_period(text) && millis(text) <= 7 * span::DAY
}

fn millis(period: &str) -> i64 {
    let unit = match period.as_bytes().last() {
        Some(b'm') => span::MINUTE,
        Some(b'h') => span::HOUR,
        _ => span::DAY,
    };
    let number = period.trim_end_matches(['m', 'h', 'd']);
    number
        .parse::<i64>()
        .unwrap_or_default()
        * unit
}

impl Period {
    pub fn millis(&self) -> i64 {
        millis(self)
    }
}

impl SettlesWithin {
    pub fn millis(&self) -> i64 {
        millis(self)
    }
}

impl Default for SettlesWithin {
    fn default() -> Self {
        Self("15m".to_owned())
    }
}

fn is_key(text: &str) -> bool {
    !text.starts_with('.')
        && text
            .bytes()
            .all(|byte| is_word(byte) || byte == b'.')
}

fn is_user(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b':')
}

/// Reports that members do not go together.
pub(super) fn not_so(mut place: InputPlace<'_>, detail: &str) {
    place.report(FaultCode::Combination, detail);
}

/// Header names that only the service sets.
const OWN_HEADERS: &str = "accept accept-encoding authorization connection content-encoding content-length \
    content-type cookie expect host keep-alive proxy-authorization te trailer transfer-encoding upgrade user-agent";

/// True for the name of a header that only the service sets.
pub(super) fn is_own(name: &str) -> bool {
    let mut own = OWN_HEADERS.split(' ');
    own.any(|own| own.eq_ignore_ascii_case(name))
}
