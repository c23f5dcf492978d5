//! URLs of other systems, as organizations give them.

/// Splits a URL into its origin and what follows: a path, a query, or nothing.
pub fn split(url: &str) -> Option<(&str, &str)> {
    let authority = url.find("://")? + "://".len();
    let rest = &url[authority..];
    let end = rest
        .find(['/', '?', '#'])
        .unwrap_or(rest.len());
    Some(url.split_at(authority + end))
}

/// Returns true for an origin of http or https: a host in lower case, perhaps a port, and no user.
pub fn is_origin(origin: &str) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else {
        return false;
    };
    let split = authority.split_once(':');
    let (host, port) = split.map_or((authority, None), |(host, port)| (host, Some(port)));
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(plain)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let is_port = |port: &str| {
        let digits = port
            .bytes()
            .all(|byte| byte.is_ascii_digit());
        digits
            && port.len() <= 5
            && port
                .parse::<u16>()
                .is_ok_and(|port| port > 0)
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

/// Returns true for a URL of https whose host may be a name in the public DNS. IP addresses in any
/// notation end in a label that begins with a digit, as no such name does.
pub fn is_public(url: &str) -> bool {
    let authority = split(url).and_then(|(origin, _)| origin.strip_prefix("https://"));
    let host = authority.and_then(|authority| authority.split(':').next());
    let last = host.and_then(|host| host.rsplit_once('.'));
    last.is_some_and(|(_, last)| {
        // Top-level names that are not in the public DNS.
        let inner = "localhost local localdomain internal intranet arpa";
        let is_inner = inner
            .split(' ')
            .any(|name| name == last);
        last.starts_with(|first: char| first.is_ascii_alphabetic()) && !is_inner
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_an_origin_and_a_path_of_plain_segments() {
        for good in [
            "https://x.example",
            "http://x.example:9000/v1",
            "https://a.b-c.io:8443/v1/",
        ] {
            assert!(is_base(good), "{good}");
        }
        let bad = "|x.example|ftp://x.example|https://|https://user@x.example|\
                   https://user:word@x.example|https://x.example?y|https://x.example/#y|\
                   https://X.example|https://x..example|https://x.example:0|https://x.example:99999|\
                   https://x.example/../y|https://x.example//y|https://[::1]|\
                   https://x.example\\@y.example|https://x.example:443:443";
        for bad in bad.split('|') {
            assert!(!is_base(bad), "{bad}");
        }
    }

    #[test]
    fn what_is_public_is_https_and_a_name_of_the_public_dns() {
        for url in [
            "https://api.example.com/in?x=1",
            "https://a.b-c.io:8443/v1/",
        ] {
            assert!(is_public(url), "{url}");
        }
        let urls = "http://api.example.com https://127.0.0.1 https://169.254.169.254 \
                    https://10.0.0.1:443 https://2130706433 https://0x7f.0.0.1 https://127.1 \
                    https://0177.0.0.0x1 https://localhost https://api.localhost https://billing \
                    https://hooks.internal https://printer.local https://1.0.0.127.in-addr.arpa";
        for url in urls.split(' ') {
            assert!(!is_public(url), "{url}");
        }
    }
}
