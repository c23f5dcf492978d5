//! The name of a connection as a path has it.

use serde::Deserialize;
use shared::{
    Error,
    http::{PathParameters, operation::Description},
    input::Field,
    model::{Code, Connection, Slug},
};

/// A name that a path has, which may be anything. The handler asks [`known`](Self::known) for it after
/// the body was read, since faults of the body come before a missing record.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "String")]
pub struct ConnectionName(Option<Slug>);

impl From<String> for ConnectionName {
    fn from(text: String) -> Self {
        Self(Slug::new(&text))
    }
}

impl ConnectionName {
    /// The name; 404 when no connection can have it.
    pub fn known(self) -> Result<Slug, Error> {
        self.0.ok_or(Error::NotFound(Connection::NOUN))
    }
}

impl PathParameters for ConnectionName {
    fn describe(description: &mut Description) {
        description.path_parameter(Slug::field_schema());
        description.schemas(Slug::field_schemas);
        description.problems(&[Code::NotFound]);
    }

    fn absent() -> Error {
        Error::NotFound(Connection::NOUN)
    }
}
