//! Ids in paths.

use axum::extract::{FromRequestParts, Path as AxumPath};
use http::request::Parts;
use model::{Error, Id};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};

use crate::Problem;

/// The parameters of the path.
#[derive(Debug)]
pub struct Path<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        AxumPath::from_request_parts(parts, state)
            .await
            .map(|AxumPath(parameters)| Self(parameters))
            // What does not even decode names no record.
            .map_err(|_| Error::NotFound("record").into())
    }
}

/// An id as a path has it, which may be anything. The handler asks [`known`](Self::known) for it
/// after the body was read, since faults of the body come before a missing record.
#[derive(Clone, Copy, Debug)]
pub struct PathId<I>(Option<I>);

impl<I: Id> PathId<I> {
    /// The id; 404 when it is not a positive integer up to 2^53-1, as no such record can exist.
    pub fn known(self) -> Result<I, Error> {
        self.0.ok_or(Error::NotFound(I::NOUN))
    }
}

impl<'de, I: Id> Deserialize<'de> for PathId<I> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        // Only digits: `+1` and `01` are no canonical names of a record.
        let canonical = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
        Ok(Self(
            canonical
                .then(|| text.parse().ok())
                .flatten()
                .and_then(I::new),
        ))
    }
}
