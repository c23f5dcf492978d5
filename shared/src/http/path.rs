//! Ids in paths.

use axum::extract::FromRequestParts;
use http::request::Parts;
use model::{ActionId, Code, Connection, Error, Id, ProposedAction, Slug, input::Field};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};

use super::operation::{Argument, Description};
use crate::Problem;

/// The parameters of the path.
#[derive(Debug)]
pub struct Path<T>(pub T);

impl<S, T> FromRequestParts<S> for Path<T>
where
    S: Send + Sync,
    T: PathParameters + DeserializeOwned + Send,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        axum::extract::Path::from_request_parts(parts, state)
            .await
            .map(|parameters| Self(parameters.0))
            // Such as `%FF`, which is no text.
            .map_err(|_| T::absent().into())
    }
}

impl<T: PathParameters> Argument for Path<T> {
    fn describe(description: &mut Description) {
        T::describe(description);
    }
}

/// The parameters of a path, in the order in which they stand there.
pub trait PathParameters {
    /// Describes them.
    fn describe(description: &mut Description);

    /// The answer to what does not even decode, and so names no record.
    #[must_use]
    fn absent() -> Error;
}

/// A name that is not of a record.
impl PathParameters for String {
    fn describe(_: &mut Description) {}

    fn absent() -> Error {
        Error::NotFound("path")
    }
}

impl<A: PathParameters, B: PathParameters> PathParameters for (A, B) {
    fn describe(description: &mut Description) {
        A::describe(description);
        B::describe(description);
    }

    fn absent() -> Error {
        A::absent()
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

impl<I: Id + Field> PathParameters for PathId<I> {
    fn describe(description: &mut Description) {
        description.path_parameter(I::field_schema());
        description.schemas(I::field_schemas);
        description.problems(&[Code::NotFound]);
    }

    fn absent() -> Error {
        Error::NotFound(I::NOUN)
    }
}

/// A record that a path names by something else than a number.
pub trait Named {
    /// What names it.
    type Name: Field;
    /// What a client calls it.
    const NOUN: &'static str;

    /// The name, if a record can have it.
    fn name(text: String) -> Option<Self::Name>;
}

impl Named for Connection {
    type Name = Slug;
    const NOUN: &'static str = Self::NOUN;

    fn name(text: String) -> Option<Slug> {
        Slug::new(&text)
    }
}

impl Named for ProposedAction {
    type Name = ActionId;
    const NOUN: &'static str = "action";

    fn name(text: String) -> Option<ActionId> {
        ActionId::try_from(text).ok()
    }
}

/// A name as a path has it, which may be anything, as with [`PathId`].
#[derive(Clone, Debug)]
pub struct PathName<R: Named>(Option<R::Name>);

impl<R: Named> PathName<R> {
    /// The name; 404 when no such record can have it.
    pub fn known(self) -> Result<R::Name, Error> {
        self.0.ok_or(Error::NotFound(R::NOUN))
    }
}

impl<R: Named> PathParameters for PathName<R> {
    fn describe(description: &mut Description) {
        description.path_parameter(R::Name::field_schema());
        description.schemas(R::Name::field_schemas);
        description.problems(&[Code::NotFound]);
    }

    fn absent() -> Error {
        Error::NotFound(R::NOUN)
    }
}

impl<'de, R: Named> Deserialize<'de> for PathName<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(R::name(text)))
    }
}

/// The id of a record to which the caller has access or not, where nobody is told whether it
/// exists: 403 in place of 404.
#[derive(Clone, Copy, Debug)]
pub struct AccessTo<I>(PathId<I>);

impl<I: Id> AccessTo<I> {
    /// The id; 403 when no such record can exist.
    pub fn known(self) -> Result<I, Error> {
        self.0.known().map_err(denied)
    }
}

impl<I: Id + Field> PathParameters for AccessTo<I> {
    fn describe(description: &mut Description) {
        description.path_parameter(I::field_schema());
        description.schemas(I::field_schemas);
        description.problems(&[Code::AccessDenied]);
    }

    fn absent() -> Error {
        denied(PathId::<I>::absent())
    }
}

/// 403 in place of 404: a record of another organization answers as one that does not exist.
#[must_use]
pub fn denied(error: Error) -> Error {
    match error {
        Error::NotFound(noun) => Error::forbidden(
            Code::AccessDenied,
            format!("You have no access to this {noun}."),
        ),
        other => other,
    }
}

impl<'de, I: Id> Deserialize<'de> for AccessTo<I> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        PathId::deserialize(deserializer).map(Self)
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
