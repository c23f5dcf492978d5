//! Members that an answer has on demand.

use model::base::input::Schema;
use serde::Serialize;
use utoipa::{PartialSchema, ToSchema, openapi};

use crate::openapi::ON_DEMAND;

/// Members that an answer has with `detail=full` alone. A record flattens them.
#[derive(Clone, Debug, Serialize)]
pub struct Detail<T>(Option<T>);

impl<T> Detail<T> {
    /// Creates the members, if the answer is a full one.
    pub fn of(is_full: bool, members: impl FnOnce() -> T) -> Self {
        Self(is_full.then(members))
    }
}

impl<T: PartialSchema> PartialSchema for Detail<T> {
    fn schema() -> Schema {
        let mut schema = T::schema();
        if let openapi::RefOr::T(openapi::Schema::Object(object)) = &mut schema {
            let more = object
                .extensions
                .get_or_insert_default();
            more.insert(ON_DEMAND.to_owned(), true.into());
        }
        schema
    }
}

impl<T: ToSchema> ToSchema for Detail<T> {
    fn name() -> std::borrow::Cow<'static, str> {
        T::name()
    }

    fn schemas(schemas: &mut Vec<(String, Schema)>) {
        T::schemas(schemas);
    }
}
