//! Base URLs of connections.

use super::words::plain_text;

plain_text! {
    /// The URL to which the paths of calls are appended: scheme, host, and a path without a query.
    BaseUrl, "^https?://[a-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/?$", 200,
    "https://api.example.com/v1", is_base_url,
    "an http or https URL with a host in lower case, and neither user, query nor fragment";
}

/// Top-level names that are not in the public DNS.
const INNER: [&str; 6] = [
    "localhost",
    "local",
    "localdomain",
    "internal",
    "intranet",
    "arpa",
];

fn split(url: &str) -> Option<(&str, &str, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    Some((scheme, authority, path))
}

fn is_base_url(url: &str) -> bool {
    let Some((scheme, authority, path)) = split(url) else {
        return false;
    };
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(plain)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let is_port = |port: &str| {
        let digits = port.bytes().all(|byte| byte.is_ascii_digit());
        digits && port.len() <= 5 && port.parse::<u16>().is_ok_and(|port| port > 0)
    };
    let in_path = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let is_segment = |segment: &str| {
        !segment.is_empty()
            && segment.bytes().all(in_path)
            && !segment.bytes().all(|byte| byte == b'.')
    };
    let path = path.strip_suffix('/').unwrap_or(path);
    let mut segments = path.split('/').skip(1);
    ["http", "https"].contains(&scheme)
        && host.split('.').all(is_label)
        && port.is_none_or(is_port)
        && segments.all(is_segment)
}

impl BaseUrl {
    /// True if it uses https and its host may be a name in the public DNS. IP addresses in any
    /// notation end in a label that begins with a digit, as no such name does.
    #[must_use]
    pub fn is_public(&self) -> bool {
        let Some(("https", authority, _)) = split(self) else {
            return false;
        };
        let host = authority.split(':').next().unwrap_or_default();
        let Some((_, last)) = host.rsplit_once('.') else {
            return false;
        };
        last.starts_with(|first: char| first.is_ascii_alphabetic()) && !INNER.contains(&last)
    }
}
