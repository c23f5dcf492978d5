//! Cursors: places in lists that clients hold and nobody can make up. Each is signed together with
//! the organization and the list that it is of.

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use hmac::Mac;
use model::OrganizationId;
use runtime::config::SigningSecrets;
use store::Place;

use super::cookie::mac;

/// How much of a signature a cursor carries: 128 bits, which nobody guesses.
const SIGNATURE: usize = 16;

/// Signs and verifies cursors.
#[derive(Clone, Debug)]
pub struct Cursors(Arc<SigningSecrets>);

impl Cursors {
    /// With these secrets.
    #[must_use]
    pub fn new(secrets: SigningSecrets) -> Self {
        Self(Arc::new(secrets))
    }

    /// A place in a list of an organization, as a client holds it.
    #[must_use]
    pub fn seal(&self, tenant: OrganizationId, list: &str, place: &Place) -> String {
        let place = place.to_text(tenant);
        let signed = mac(&self.0.first, &signed(tenant, list, &place));
        let mut bytes = signed.finalize().into_bytes()[..SIGNATURE].to_vec();
        bytes.extend_from_slice(place.as_bytes());
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The place of a cursor, if it is one of this list of this organization.
    #[must_use]
    pub fn open(&self, tenant: OrganizationId, list: &str, cursor: &str) -> Option<Place> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (signature, place) = bytes.split_at_checked(SIGNATURE)?;
        let place = std::str::from_utf8(place).ok()?;
        let text = signed(tenant, list, place);
        let mut secrets = self.0.all();
        secrets
            // It takes the same time wherever the two differ.
            .any(|secret| mac(secret, &text).verify_truncated_left(signature).is_ok())
            .then(|| Place::from_text(tenant, place))
            .flatten()
    }
}

/// What is signed: no id of a session begins so.
fn signed(tenant: OrganizationId, list: &str, place: &str) -> String {
    format!("cursor\n{tenant}\n{list}\n{place}")
}

#[cfg(test)]
mod tests {
    use model::Id;

    use super::*;

    fn cursors(secrets: &[&str]) -> Cursors {
        let secrets = secrets.iter().map(ToString::to_string);
        Cursors::new(SigningSecrets::new(secrets).unwrap())
    }

    fn tenant(id: i64) -> OrganizationId {
        OrganizationId::new(id).unwrap()
    }

    #[test]
    fn a_cursor_opens_only_where_it_was_made() {
        let place = Place::from_text(tenant(1), "0012\nTASK\n0007#0012").unwrap();
        let ours = cursors(&["a secret"]);
        let cursor = ours.seal(tenant(1), "/api/tasks", &place);
        assert_eq!(ours.open(tenant(1), "/api/tasks", &cursor), Some(place));
        assert_eq!(ours.open(tenant(2), "/api/tasks", &cursor), None);
        assert_eq!(ours.open(tenant(1), "/api/users", &cursor), None);
        let others = cursors(&["another"]);
        assert_eq!(others.open(tenant(1), "/api/tasks", &cursor), None);
        let rotated = cursors(&["another", "a secret"]);
        assert!(rotated.open(tenant(1), "/api/tasks", &cursor).is_some());
    }

    #[test]
    fn what_was_tampered_with_is_no_cursor() {
        let place = Place::from_text(tenant(1), "0012\nTASK").unwrap();
        let ours = cursors(&["a secret"]);
        let cursor = ours.seal(tenant(1), "", &place);
        let other = if cursor.ends_with('A') { "B" } else { "A" };
        let changed = format!("{}{other}", &cursor[..cursor.len() - 1]);
        for cursor in [
            "",
            "x",
            "AAAA",
            "%",
            &cursor[2..],
            &changed,
            &(cursor.clone() + "AA"),
        ] {
            assert_eq!(ours.open(tenant(1), "", cursor), None, "{cursor}");
        }
    }
}
