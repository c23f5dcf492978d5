//! `Authorization: Bearer …` (RFC 6750).

use ::http::{HeaderMap, header};
use model::{base::Cell, people::TokenSecret};

/// Returns `true` for a request with a bearer token, of whatever form. Its cookie is ignored. It
/// does not come from a foreign page: a browser lets such a page send the header only after a
/// preflight.
pub fn is_shown(headers: &HeaderMap) -> bool {
    shown(headers).next().is_some()
}

/// The bearer token of a request that has exactly one, in the form of this cell's tokens.
pub fn read(headers: &HeaderMap, cell: &Cell) -> Option<TokenSecret> {
    let mut shown = shown(headers);
    let (token, None) = (shown.next()?, shown.next()) else {
        return None;
    };
    TokenSecret::parse(token, cell)
}

/// The text behind each scheme `Bearer`, in whatever case.
fn shown(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers
        .get_all(header::AUTHORIZATION)
        .iter();
    values.filter_map(|value| {
        // A value that is no text counts as a bearer token, and is refused as a malformed one.
        let value = value
            .to_str()
            .unwrap_or("bearer")
            .trim();
        let (scheme, token) = value
            .split_once(' ')
            .unwrap_or((value, ""));
        let is_bearer = scheme.eq_ignore_ascii_case("bearer");
        is_bearer.then(|| token.trim_start())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        let values = values
            .iter()
            .map(|value| value.parse().unwrap());
        values
            .map(|value| (header::AUTHORIZATION, value))
            .collect()
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
