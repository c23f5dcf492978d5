//! The declaration of views, and service requests as answers of several functions.

use model::{
    base::JsonObject,
    work::{ActionRef, ServiceRequest},
};
use serde::Serialize;
use store::{
    base::Shown,
    work::{CarriedTag, TaggedRequest},
};
use utoipa::ToSchema;

use crate::versioned;

/// Declares a view: the struct of an answer, and `of`, which makes it of these parameters. A field
/// without `=` is the field of that name of `$record`.
#[macro_export]
macro_rules! view {
    (
        $(#[$about:meta])*
        pub struct $view:ident of $record:ident($($parameters:tt)*) {
            $($(#[$field_about:meta])* $field:ident: $type:ty $(= $value:expr)?,)*
        }
    ) => {
        #[derive(Debug, Serialize, ToSchema)]
        #[serde(rename_all = "camelCase")]
        $(#[$about])*
        pub struct $view {
            $($(#[$field_about])* $field: $type,)*
        }

        impl $view {
            pub fn of($($parameters)*) -> Self {
                Self { $($field: $crate::view!(@ $record.$field $(, $value)?),)* }
            }
        }
    };
    (@ $record:ident.$field:ident) => { $record.$field };
    (@ $record:ident.$field:ident, $value:expr) => { $value };
}

/// The fields of the record. `ToSchema` takes no type arguments here.
type Fields = Shown<ServiceRequest>;

/// A service request.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ServiceRequest)]
#[serde(rename_all = "camelCase")]
pub struct ServiceRequestView {
    #[serde(flatten)]
    #[schema(inline)]
    request: Fields,
    metadata: Option<JsonObject>,
    /// The manual action of an agent session that was handed over with it.
    agent_action: Option<ActionRef>,
    /// The tags of the service request, by id.
    tags: Vec<CarriedTag>,
}

versioned!(ServiceRequestView: request);

impl From<TaggedRequest> for ServiceRequestView {
    fn from(TaggedRequest { mut request, tags }: TaggedRequest) -> Self {
        Self {
            metadata: request
                .record
                .metadata
                .take()
                .map(|metadata| metadata.0),
            agent_action: request.record.agent_action.take(),
            tags,
            request: request.into(),
        }
    }
}
