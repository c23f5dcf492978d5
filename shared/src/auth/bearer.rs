//! `Authorization: Bearer …` (RFC 6750).

use http::{HeaderMap, header};
use model::{Cell, TokenSecret};

/// Returns `true` for a request with a bearer token, of whatever form. Its cookie is ignored. It does
/// not come from a foreign page: a browser lets such a page send the header only after a preflight.
pub fn is_shown(headers: &HeaderMap) -> bool {
    shown(headers).next().is_some()
}

/// The bearer token of a request that has exactly one, in the form of this cell's tokens.
pub fn read(headers: &HeaderMap, cell: &Cell) -> Option<TokenSecret> {
    let mut shown = shown(headers);
    let token = shown.next()?;
    let is_only = shown.next().is_none();
    is_only.then(|| TokenSecret::parse(token, cell))?
}

/// The text behind each scheme `Bearer`, in whatever case.
fn shown(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let all = headers.get_all(header::AUTHORIZATION).iter();
    // A value that is no text counts as a bearer token, and is refused as a malformed one.
    all.map(|value| value.to_str().unwrap_or("bearer"))
        .filter_map(|value| {
            let (scheme, token) = value.trim().split_once(' ').unwrap_or((value.trim(), ""));
            let bearer = scheme.eq_ignore_ascii_case("bearer");
            bearer.then(|| token.trim_start())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn a_token_is_read_whatever_the_case_of_its_scheme() {
        let cell = Cell::default();
        let token = TokenSecret::generate(&cell);
        for scheme in ["Bearer", "bearer", "BEARER", "Bearer "] {
            let sent = headers(&[&format!("{scheme} {}", token.expose())]);
            assert!(is_shown(&sent));
            assert_eq!(read(&sent, &cell), Some(token.clone()), "{scheme}");
        }
    }

    #[test]
    fn a_malformed_token_is_shown_but_not_read() {
        let cell = Cell::default();
        let token = format!("Bearer {}", TokenSecret::generate(&cell).expose());
        for sent in [
            headers(&["Bearer"]),
            headers(&["Bearer wd_short"]),
            headers(&[&token, &token]),
            headers(&[&format!("{token}, {token}")]),
        ] {
            assert!(is_shown(&sent), "{sent:?}");
            assert_eq!(read(&sent, &cell), None, "{sent:?}");
        }
    }

    #[test]
    fn other_schemes_show_none() {
        assert!(!is_shown(&headers(&[])));
        assert!(!is_shown(&headers(&["Basic YWRhOndvcmtkZXNr"])));
        assert!(!is_shown(&headers(&["wd_AAAA"])));
    }
}
