//! `GET /api/managed-services/search-references`

use axum::{Json, extract::State};
use serde::Serialize;
use serde_json::Value;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::query::{Parameters, QueryInput},
    input::{Wrong, one_of},
    model::ReferenceType,
    store::{FoundReference, ReferenceSearch},
};
use utoipa::{IntoParams, ToSchema};

/// What a client asks for.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SearchReferences {
    /// Each of its words must begin a word of the title, without regard to case. Up to 255
    /// characters; without it, the 20 most recent are listed.
    #[param(max_length = 255)]
    query: Option<String>,
    /// Only records of this type.
    #[param(rename = "type", inline)]
    refers_to: Option<ReferenceType>,
}

impl QueryInput for SearchReferences {
    const NAMES: &'static [&'static str] = &["query", "type"];

    fn read(parameters: &mut Parameters) -> Option<Self> {
        let query = parameters.get("query").map(str::to_owned);
        if query
            .as_ref()
            .is_some_and(|text| text.chars().count() > 255)
        {
            parameters.fault("query", "length", "Expected at most 255 characters.");
        }
        let refers_to = parameters
            .get("type")
            .map(|name| one_of(&Value::from(name)))
            .transpose()
            .unwrap_or_else(|Wrong(code, detail)| {
                parameters.fault("type", code, detail);
                None
            });
        Some(Self { query, refers_to })
    }
}

/// A record that a service request may refer to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReferenceItem)]
pub struct ReferenceItemView {
    id: i64,
    #[serde(rename = "type")]
    refers_to: ReferenceType,
    /// A project's title or an organization's name.
    title: String,
    /// A project's description.
    description: Option<String>,
}

impl From<FoundReference> for ReferenceItemView {
    fn from(found: FoundReference) -> Self {
        Self {
            id: found.id,
            refers_to: found.refers_to,
            title: found.title,
            description: found.description,
        }
    }
}

/// Searches what a service request may refer to, newest first, at most 50.
#[utoipa::path(
    get, path = "/api/managed-services/search-references", operation_id = "searchReferences", tag = "managed-services",
    params(SearchReferences),
    responses((status = 200, description = "What matches", body = [ReferenceItemView]))
)]
pub async fn search_references(
    State(app): State<App>,
    caller: Caller<need::ViewManagedServices, SearchReferences>,
) -> Result<Json<Vec<ReferenceItemView>>, Problem> {
    let tenant = caller.tenant();
    let search = ReferenceSearch {
        text: caller.query.query.unwrap_or_default(),
        refers_to: caller.query.refers_to,
    };
    let found = app.store.references().search(tenant, &search).await?;
    Ok(Json(found.into_iter().map(Into::into).collect()))
}
