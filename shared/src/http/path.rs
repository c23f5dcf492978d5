use ::http::request::Parts;
use agent::{connection::Connection, session::ProposedAction};
use axum::extract::FromRequestParts;
use model::{
    base::{
        ActionId, Code, DeliveryId, Error, Id, SessionName, Slug,
        input::{Field, InputPlace},
    },
    people::Session,
    updates::WebhookDelivery,
};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};

use crate::{
    Problem,
    http::operation::{Argument, Description},
};

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
            // Such as `%FF`, which is not UTF-8.
            .map_err(|_| T::absent().into())
    }
}

impl<T: PathParameters> Argument for Path<T> {
    fn describe(description: &mut Description) {
        T::describe(description);
    }
}

pub trait PathParameters {
    fn describe(description: &mut Description);

    /// The error of a path that does not decode and so names no record.
    fn absent() -> Error;
}

/// A name other than a record's.
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

fn describe<N: Field>(description: &mut Description, about: &str, absent: Code) {
    description.path_parameter(N::field_schema(), about);
    N::field_schemas(&mut description.schemas);
    description.problems(&[absent]);
}

/// An id as the path has it, valid or not. The handler calls [`known`](Self::known) after it read
/// the body, since faults of the body come before a missing record.
#[derive(Clone, Copy, Debug)]
pub struct PathId<I>(Option<I>);

impl<I: Id> PathId<I> {
    /// Returns the id. 404 unless it is a positive integer up to 2^53-1.
    pub fn known(self) -> Result<I, Error> {
        self.0.ok_or(Error::NotFound(I::NOUN))
    }
}

impl<I: Id + Field> PathParameters for PathId<I> {
    fn describe(description: &mut Description) {
        let about = format!("Id of the {}.", I::NOUN);
        describe::<I>(description, &about, Code::NotFound);
    }

    fn absent() -> Error {
        Error::NotFound(I::NOUN)
    }
}

/// A record that a path names by something other than a number.
pub trait Named {
    type Name: Field;
    const NOUN: &'static str;
}

macro_rules! named {
    ($($record:ty: $name:ty = $noun:expr;)+) => {$(
        impl Named for $record {
            type Name = $name;
            const NOUN: &'static str = $noun;
        }
    )+};
}

named! {
    Connection: Slug = Self::NOUN;
    ProposedAction: ActionId = "action";
    WebhookDelivery: DeliveryId = Self::NOUN;
    Session: SessionName = "session";
}

/// A name as the path has it, valid or not, like [`PathId`].
#[derive(Clone, Debug)]
pub struct PathName<R: Named>(Option<R::Name>);

impl<R: Named> PathName<R> {
    /// Returns the name. 404 if no record can have it.
    pub fn known(self) -> Result<R::Name, Error> {
        self.0.ok_or(Error::NotFound(R::NOUN))
    }
}

impl<R: Named> PathParameters for PathName<R> {
    fn describe(description: &mut Description) {
        let about = format!("Names the {}.", R::NOUN);
        describe::<R::Name>(description, &about, Code::NotFound);
    }

    fn absent() -> Error {
        Error::NotFound(R::NOUN)
    }
}

impl<'de, R: Named> Deserialize<'de> for PathName<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?.into();
        let mut faults = Vec::new();
        Ok(Self(R::Name::read(
            &text,
            &mut InputPlace::body(&mut faults),
        )))
    }
}

/// The id of a record whose existence stays secret: 403 in place of 404.
#[derive(Clone, Copy, Debug)]
pub struct AccessTo<I>(pub PathId<I>);

impl<I: Id> AccessTo<I> {
    /// Returns the id. 403 if no record can have it.
    pub fn known(self) -> Result<I, Error> {
        self.0.known().map_err(denied)
    }
}

impl<I: Id + Field> PathParameters for AccessTo<I> {
    fn describe(description: &mut Description) {
        let about = format!("Id of the {}.", I::NOUN);
        describe::<I>(description, &about, Code::AccessDenied);
    }

    fn absent() -> Error {
        denied(PathId::<I>::absent())
    }
}

/// Turns 404 into 403, so that a record of another organization looks like a missing one.
pub fn denied(error: Error) -> Error {
    match error {
        Error::NotFound(noun) => {
            let detail = format!("You have no access to this {noun}.");
            Error::forbidden(Code::AccessDenied, detail)
        }
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
        // Digits only: `+1` and `01` are not canonical.
        let canonical = text
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            && !text.starts_with('0');
        let number = canonical
            .then(|| text.parse().ok())
            .flatten();
        Ok(Self(number.and_then(I::new)))
    }
}
