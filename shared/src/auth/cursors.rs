//! Cursors: encrypted and signed places in lists. The signature covers the organization and the
//! list, so that a client can neither forge a cursor nor use it for another list. A place may name
//! a record that the client may not see, so no client can read it.
//!
//! The signature is the synthetic initialization vector of the encryption (RFC 5297): HMAC-SHA256
//! with it as input makes the key stream. One place of one list has one cursor.

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use hmac::Mac;
use model::base::OrganizationId;
use runtime::{config::SigningSecrets, links::mac};
use secrecy::SecretString;
use store::{ListPosition, key::tenant_prefix};

/// Bytes of the signature in a cursor: 128 bits, which cannot be guessed.
const SIGNATURE: usize = 16;

#[derive(Clone, Debug)]
pub struct Cursors(Arc<SigningSecrets>);

impl Cursors {
    /// Signs with the first of these secrets, and verifies with all.
    pub fn new(secrets: SigningSecrets) -> Self {
        Self(Arc::new(secrets))
    }

    pub fn seal(&self, tenant: OrganizationId, list: &str, place: &ListPosition) -> String {
        let place = place.to_text(&tenant_prefix(tenant));
        let secret = &self.0.first;
        let signed = mac(secret, &signed(tenant, list, &place));
        let mut bytes = signed.finalize().into_bytes()[..SIGNATURE].to_vec();
        let hidden = masked(secret, &bytes, place.as_bytes());
        bytes.extend_from_slice(&hidden);
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The place of a cursor; `None` unless it was sealed for this list of this organization.
    pub fn open(&self, tenant: OrganizationId, list: &str, cursor: &str) -> Option<ListPosition> {
        let bytes = BASE64_URL_SAFE_NO_PAD
            .decode(cursor)
            .ok()?;
        let (signature, place) = bytes.split_at_checked(SIGNATURE)?;
        let place = self.0.all().find_map(|secret| {
            let place = String::from_utf8(masked(secret, signature, place)).ok()?;
            let signed = mac(secret, &signed(tenant, list, &place));
            // Compares in constant time.
            signed
                .verify_truncated_left(signature)
                .ok()?;
            Some(place)
        })?;
        ListPosition::from_text(&tenant_prefix(tenant), &place)
    }
}

/// Encrypts a place, or decrypts it.
fn masked(secret: &SecretString, signature: &[u8], place: &[u8]) -> Vec<u8> {
    let signature = BASE64_URL_SAFE_NO_PAD.encode(signature);
    let blocks = (0_u32..).flat_map(|block| {
        let stream = mac(secret, &format!("cursor stream\n{signature}\n{block}"));
        stream.finalize().into_bytes()
    });
    let masked = place.iter().zip(blocks);
    masked
        .map(|(byte, mask)| byte ^ mask)
        .collect()
}

/// The signed text. No session id begins with `cursor`, so that neither signature fits the other.
fn signed(tenant: OrganizationId, list: &str, place: &str) -> String {
    format!("cursor\n{tenant}\n{list}\n{place}")
}

#[cfg(test)]
mod tests {
    use model::base::Id;

    use super::*;

    fn cursors(secrets: &[&str]) -> Cursors {
        let secrets = secrets.iter().map(ToString::to_string);
        Cursors::new(SigningSecrets::new(secrets).unwrap())
    }

    fn tenant(id: i64) -> OrganizationId {
        OrganizationId::new(id).unwrap()
    }

    #[test]
    fn a_cursor_opens_only_for_its_own_list() {
        let place =
            ListPosition::from_text(&tenant_prefix(tenant(1)), "0012\nTASK\n0007#0012").unwrap();
        let ours = cursors(&["a secret"]);
        let cursor = ours.seal(tenant(1), "/api/tasks", &place);
        let others = cursors(&["another"]);
        let rotated = cursors(&["another", "a secret"]);
        for (cursors, id, list, opened) in [
            (&ours, 1, "/api/tasks", Some(&place)),
            (&ours, 2, "/api/tasks", None),
            (&ours, 1, "/api/users", None),
            (&others, 1, "/api/tasks", None),
            (&rotated, 1, "/api/tasks", Some(&place)),
        ] {
            assert_eq!(
                cursors
                    .open(tenant(id), list, &cursor)
                    .as_ref(),
                opened,
                "{id} {list}"
            );
        }
    }

    #[test]
    fn a_cursor_shows_nothing_of_its_place() {
        let long = "0012\nTASK\n".to_owned() + &"ticket_message#0000000000000017".repeat(9);
        let place = ListPosition::from_text(&tenant_prefix(tenant(1)), &long).unwrap();
        let ours = cursors(&["a secret"]);
        let cursor = ours.seal(tenant(1), "/api/search", &place);
        let bytes = BASE64_URL_SAFE_NO_PAD
            .decode(&cursor)
            .unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for piece in ["ticket", "message", "00000", "TASK"] {
            assert!(!text.contains(piece), "{text}");
        }
        assert_eq!(cursor, ours.seal(tenant(1), "/api/search", &place));
        assert_eq!(ours.open(tenant(1), "/api/search", &cursor), Some(place));
    }

    #[test]
    fn a_forged_cursor_does_not_open() {
        let place = ListPosition::from_text(&tenant_prefix(tenant(1)), "0012\nTASK").unwrap();
        let ours = cursors(&["a secret"]);
        let cursor = ours.seal(tenant(1), "", &place);
        let other = if cursor.ends_with('A') { "B" } else { "A" };
        let changed = format!("{}{other}", &cursor[..cursor.len() - 1]);
        let longer = cursor.clone() + "AA";
        for cursor in ["", "x", "AAAA", "%", &cursor[2..], &changed, &longer] {
            assert_eq!(ours.open(tenant(1), "", cursor), None, "{cursor}");
        }
    }
}
