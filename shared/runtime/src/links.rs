//! Links in mails: their tokens, and the signatures of links without a token.

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use model::{base::random, people::digest, updates::MailedLink};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

use crate::config::SigningSecrets;

/// Makes the tokens of links, and signs links. Cheap to clone.
#[derive(Clone, Debug)]
pub struct LinkSigner(Arc<SigningSecrets>);

impl LinkSigner {
    pub fn new(secrets: SigningSecrets) -> Self {
        Self(Arc::new(secrets))
    }

    /// Makes a link. The record of the link keeps the hash of its token, and the letter the seed.
    pub fn issue(&self) -> MailedLink {
        let seed = random::token();
        let hash = digest(&token(&self.0.first, &seed));
        MailedLink { seed, hash }
    }

    /// Returns the token of a link. `None` if its secret is no longer one of the deployment's.
    pub fn token(&self, link: &MailedLink) -> Option<String> {
        let mut tokens = self
            .0
            .all()
            .map(|secret| token(secret, &link.seed));
        tokens.find(|token| digest(token) == link.hash)
    }

    /// Returns a text with its signature, for a link that needs no record.
    pub fn signed(&self, text: &str) -> String {
        let signature = signature(&self.0.first, text)
            .finalize()
            .into_bytes();
        format!("{text}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
    }

    /// Returns the text of a signed one. `None` unless one of the secrets signed it.
    pub fn verified<'a>(&self, signed: &'a str) -> Option<&'a str> {
        let (text, sent) = signed.rsplit_once('.')?;
        let sent = BASE64_URL_SAFE_NO_PAD
            .decode(sent)
            .ok()?;
        let mut secrets = self.0.all();
        // `verify_slice` compares in constant time.
        let is_ours = secrets.any(|secret| {
            signature(secret, text)
                .verify_slice(&sent)
                .is_ok()
        });
        is_ours.then_some(text)
    }
}

fn token(secret: &SecretString, seed: &str) -> String {
    let token = mac(secret, &format!("workdesk token {seed}"));
    BASE64_URL_SAFE_NO_PAD.encode(token.finalize().into_bytes())
}

fn signature(secret: &SecretString, text: &str) -> Hmac<Sha256> {
    mac(secret, &format!("workdesk link {text}"))
}

/// The HMAC-SHA256 of a text.
pub fn mac(secret: &SecretString, text: &str) -> Hmac<Sha256> {
    keyed(secret.expose_secret().as_bytes(), text)
}

/// Compares a secret with what was sent, in constant time.
pub fn is_same(secret: &SecretString, sent: &[u8]) -> bool {
    const TEXT: &str = "comparison";
    let expected = mac(secret, TEXT)
        .finalize()
        .into_bytes();
    keyed(sent, TEXT)
        .verify_slice(&expected)
        .is_ok()
}

/// The HMAC-SHA256 of a text, with a key of any length.
pub fn hmac(key: &[u8], text: &str) -> [u8; 32] {
    keyed(key, text)
        .finalize()
        .into_bytes()
        .into()
}

fn keyed(key: &[u8], text: &str) -> Hmac<Sha256> {
    #[expect(clippy::expect_used, reason = "RFC 2104: a key may have any length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(text.as_bytes());
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(secrets: &[&str]) -> LinkSigner {
        LinkSigner::new(SigningSecrets::new(secrets.iter().map(ToString::to_string)).unwrap())
    }

    #[test]
    fn a_token_follows_from_the_seed_and_a_secret() {
        let link = links(&["old"]).issue();
        let token = links(&["new", "old"])
            .token(&link)
            .unwrap();
        assert_eq!((digest(&token), token.len()), (link.hash.clone(), 43));
        assert_eq!(links(&["new"]).token(&link), None);
        assert_ne!(links(&["old"]).issue(), link);
    }

    #[test]
    fn every_secret_verifies_and_the_first_signs() {
        let signed = links(&["old"]).signed("a.b");
        assert_eq!(links(&["new", "old"]).verified(&signed), Some("a.b"));
        assert_eq!(links(&["new"]).verified(&signed), None);
        for other in [
            signed.replace('a', "c"),
            signed.replace("b.", "b.x"),
            "a".to_owned(),
        ] {
            assert_eq!(links(&["old"]).verified(&other), None, "{other}");
        }
    }
}
