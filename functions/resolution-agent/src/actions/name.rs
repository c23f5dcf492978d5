//! The id of a proposed action as a path has it.

use serde::Deserialize;
use shared::{
    Error,
    http::{PathParameters, operation::Description},
    input::Field,
    model::{ActionId, Code},
};

/// What a client calls an action that is not there.
const NOUN: &str = "action";

/// An id that a path has, which may be anything. The handler asks [`known`](Self::known) for it after
/// the body was read, since faults of the body come before a missing record.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "String")]
pub struct ActionName(Option<ActionId>);

impl From<String> for ActionName {
    fn from(text: String) -> Self {
        Self(ActionId::try_from(text).ok())
    }
}

impl ActionName {
    /// The id; 404 when no action can have it.
    pub fn known(self) -> Result<ActionId, Error> {
        self.0.ok_or(Error::NotFound(NOUN))
    }
}

impl PathParameters for ActionName {
    fn describe(description: &mut Description) {
        description.path_parameter(ActionId::field_schema());
        description.schemas(ActionId::field_schemas);
        description.problems(&[Code::NotFound]);
    }

    fn absent() -> Error {
        Error::NotFound(NOUN)
    }
}
