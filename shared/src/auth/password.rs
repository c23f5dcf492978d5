//! Passwords: argon2id with 19 MiB, two passes and one lane, OWASP's recommendation.

use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher, PasswordVerifier, phc},
};
use model::{
    base::{Error, Source, random, unique_name::composed},
    people::{NewPassword, Organization, PasswordHash},
};
use secrecy::{ExposeSecret, SecretString};

/// A hash that fits no password. Verifying against it takes as long as against a real one.
const NOBODYS: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5LW5vYm9keS0tLQ$NQdWSGFj1rBnTVuTwu9RKdsDE5KoVbZdB5Q9kkn+4Qw";

/// Returns a hash that fits no password.
pub fn unusable() -> PasswordHash {
    NOBODYS.into()
}

fn argon2() -> Result<Argon2<'static>, Error> {
    let params = Params::new(19 * 1024, 2, 1, None).map_err(failed)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn failed(error: impl Into<Source>) -> Error {
    Error::internal("hashing a password", error)
}

/// Hashes a new password of a user. 400 at the field for a common one.
pub async fn hash_new(
    new: NewPassword,
    field: &str,
    username: &str,
    organization: &Organization,
) -> Result<PasswordHash, Error> {
    let fits = new.for_user(username, &organization.name);
    hash(fits.map_err(|common| Error::invalid(common.at(field)))?).await
}

/// Hashes a password in PHC form, with a fresh salt. Takes tens of milliseconds, off the async
/// threads.
pub async fn hash(password: SecretString) -> Result<PasswordHash, Error> {
    blocking(move || {
        let hash: phc::PasswordHash = argon2()?
            .hash_password_with_salt(password.expose_secret().as_bytes(), &random::bytes::<16>())
            .map_err(failed)?;
        Ok(hash.to_string().into())
    })
    .await
}

/// Returns `true` when the password fits the hash, in the form NFC or as sent: passwords of before
/// were hashed as sent. Without a hash, as for an unknown user, returns `false` after the same
/// time.
pub async fn verify(password: SecretString, hash: Option<PasswordHash>) -> Result<bool, Error> {
    blocking(move || {
        let is_known = hash.is_some();
        let text = hash
            .as_ref()
            .map_or(NOBODYS, PasswordHash::expose);
        let hash = phc::PasswordHash::new(text)
            .map_err(|error| Error::internal("reading a password hash", error))?;
        let sent = password.expose_secret();
        let composed = SecretString::from(composed(sent));
        let argon2 = argon2()?;
        let fits = |text: &str| {
            argon2
                .verify_password(text.as_bytes(), &hash)
                .is_ok()
        };
        let composed = composed.expose_secret();
        Ok((fits(composed) || (composed != sent && fits(sent))) && is_known)
    })
    .await
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(failed)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_fits_its_own_hash_and_no_other() {
        let hash = hash("correct horse".into())
            .await
            .unwrap();
        let text = hash.expose();
        let form = "$argon2id$v=19$m=19456,t=2,p=1$";
        assert!(text.starts_with(form), "{text}");
        for (sent, hash, fits) in [
            ("correct horse", Some(hash.clone()), true),
            ("wrong horse", Some(hash.clone()), false),
            ("correct horse", None, false),
        ] {
            assert_eq!(verify(sent.into(), hash).await.unwrap(), fits, "{sent}");
        }
    }

    #[tokio::test]
    async fn a_password_fits_composed_and_as_it_was_hashed() {
        let composed = "cr\u{E8}me";
        let decomposed = "cre\u{300}me";
        for (hashed, fits) in [(composed, [true, true]), (decomposed, [false, true])] {
            let hash = hash(hashed.into()).await.unwrap();
            for (sent, fits) in [composed, decomposed]
                .into_iter()
                .zip(fits)
            {
                let is_it = verify(sent.into(), Some(hash.clone()))
                    .await
                    .unwrap();
                assert_eq!(is_it, fits, "{hashed:?} {sent:?}");
            }
        }
    }
}
