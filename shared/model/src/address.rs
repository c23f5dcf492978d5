//! URLs of other systems, as organizations give them.

/// Top-level names that are not in the public DNS.
const INNER: [&str; 6] = [
    "localhost",
    "local",
    "localdomain",
    "internal",
    "intranet",
    "arpa",
];

/// Splits a URL into its origin and what follows: a path, a query, or nothing.
pub fn split(url: &str) -> Option<(&str, &str)> {
    let authority = url.find("://")? + "://".len();
    let rest = &url[authority..];
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    Some(url.split_at(authority + end))
}

/// Returns true for an origin of http or https: a host in lower case, perhaps a port, and no user.
pub fn is_origin(origin: &str) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else {
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
    ["http", "https"].contains(&scheme) && host.split('.').all(is_label) && port.is_none_or(is_port)
}

/// Returns true for an origin with a path of plain segments, to which other paths can be appended.
pub fn is_base(url: &str) -> bool {
    let Some((origin, path)) = split(url) else {
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
    is_origin(origin) && is_path && path.split('/').skip(1).all(is_segment)
}

/// Returns true for a URL of https whose host may be a name in the public DNS. IP addresses in any notation
/// end in a label that begins with a digit, as no such name does.
pub fn is_public(url: &str) -> bool {
    let Some((origin, _)) = split(url) else {
        return false;
    };
    let Some(authority) = origin.strip_prefix("https://") else {
        return false;
    };
    let host = authority.split(':').next().unwrap_or_default();
    let Some((_, last)) = host.rsplit_once('.') else {
        return false;
    };
    last.starts_with(|first: char| first.is_ascii_alphabetic()) && !INNER.contains(&last)
}
