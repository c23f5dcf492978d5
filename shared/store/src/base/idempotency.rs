//! Idempotency keys: a repeated request returns the first one's result.
//!
//! The transaction that does the work of a request also stores its key. So the same request finds
//! the key however the first answer got lost. Nothing is stored before: a request that died leaves
//! its key free.

use std::sync::{Arc, atomic::AtomicBool};

use model::base::{Error, Id, span};

use crate::{
    Result,
    base::{record::record, records::Attempted},
    key,
};

/// Time for which a key is stored, in milliseconds.
pub(crate) const KEPT: i64 = 24 * span::HOUR;

#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    /// 1 to 255 characters of printable ASCII, chosen by the client. Each user has their own keys.
    pub key: String,
    /// Signatures of path and body, one with each signing secret, the newest first. The table does
    /// not store the body itself, which may hold a password.
    pub fingerprints: Arc<[String]>,
    /// Set when the request turns out to be a replay.
    pub replayed: Arc<AtomicBool>,
}

/// Outcome of a write that is done at most once per idempotency key.
#[derive(Debug)]
pub(crate) enum Created<T> {
    /// This request did it.
    New(T),
    /// An earlier request did it, and made the record of this id, if it made one.
    Replayed(Option<i64>),
}

record! {
    attempted: Attempted = "attempted",
    key: key::attempted(attempted.organization_id, attempted.user_id, &attempted.idempotency_key),
    expires_at: Some(attempted.at.plus(KEPT).epoch_seconds() + 1),
}

impl<T> Created<T> {
    pub(crate) fn map<U>(self, map: impl FnOnce(T) -> U) -> Created<U> {
        match self {
            Self::New(value) => Created::New(map(value)),
            Self::Replayed(made) => Created::Replayed(made),
        }
    }

    /// The value. A replay loads it by the id of the earlier request's record.
    pub(crate) async fn or_load(
        self,
        load: impl AsyncFnOnce(Option<i64>) -> Result<T>,
    ) -> Result<T> {
        match self {
            Self::New(value) => Ok(value),
            Self::Replayed(made) => load(made).await,
        }
    }

    /// The value of an operation that takes no idempotency key.
    pub(crate) fn not_replayed(self) -> Result<T> {
        match self {
            Self::New(value) => Ok(value),
            Self::Replayed(_) => Err(Error::internal(
                "writing a record",
                "an operation without an idempotency key was replayed",
            )),
        }
    }
}

pub(crate) fn id_of<I: Id>(made: Option<i64>) -> Result<I> {
    let id = made.and_then(I::new);
    id.ok_or_else(|| Error::internal("replaying a request", "it made no record with an id"))
}
