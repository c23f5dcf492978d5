//! The one place where the local stack draws random bytes.

use std::fmt::Write;

/// `N` random bytes.
///
/// # Panics
///
/// If the system has no randomness to give.
fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    #[expect(
        clippy::expect_used,
        clippy::disallowed_methods,
        reason = "this is the one place that asks for it, and without it no secret is safe"
    )]
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    bytes
}

/// 256 random bits in hexadecimal.
pub(crate) fn secret() -> String {
    hex(&bytes::<32>())
}

/// A random UUID, version 4.
pub(crate) fn uuid() -> String {
    let mut raw = bytes::<16>();
    raw[6] = (raw[6] & 0x0f) | 0x40;
    raw[8] = (raw[8] & 0x3f) | 0x80;
    let text = hex(&raw);
    format!(
        "{}-{}-{}-{}-{}",
        &text[..8],
        &text[8..12],
        &text[12..16],
        &text[16..20],
        &text[20..]
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
