//! The only source of randomness: the operating system's, which is fit for secrets.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};

/// `N` random bytes.
///
/// # Panics
///
/// If the operating system has no randomness: no secret would be safe.
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    #[expect(
        clippy::expect_used,
        clippy::disallowed_methods,
        reason = "this is the one place that asks for it, and without it no secret is safe"
    )]
    getrandom::fill(&mut bytes).expect("the operating system's random source answers");
    bytes
}

/// A token of 24 URL-safe characters that carries 144 random bits.
pub fn token() -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes::<18>())
}

/// A number from 0 up to, but not including, `bound`; 0 when the bound is 0. Spreads retries, and
/// is not for secrets: the remainder favours small numbers a little.
pub fn below(bound: u64) -> u64 {
    u64::from_le_bytes(bytes()) % bound.max(1)
}
