//! `GET /api/managed-services/search-references`

use axum::extract::State;
use serde::Serialize;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::List,
    model::{Description, Listing, ReferenceId, ReferenceSearch, ReferenceSort, ReferenceType},
    store::FoundReference,
};
use utoipa::ToSchema;

/// A record that a service request may refer to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(examples(json!({
    "id": 1,
    "type": "project",
    "title": "Billing migration",
    "description": "Move all customers to usage-based billing before the end of the year."
})))]
pub struct ReferenceItem {
    id: ReferenceId,
    #[serde(rename = "type")]
    refers_to: ReferenceType,
    /// A project's title or an organization's name.
    title: String,
    /// A project's description.
    description: Option<Description>,
}

impl From<FoundReference> for ReferenceItem {
    fn from(found: FoundReference) -> Self {
        Self {
            id: found.id,
            refers_to: found.refers_to,
            title: found.title,
            description: found.description,
        }
    }
}

/// Searches the records that a service request may refer to.
///
/// The newest come first. A page has at most 50 of them, and 20 if neither `query` nor `limit` is
/// sent.
#[utoipa::path(
    get,
    path = "/api/managed-services/search-references",
    operation_id = "searchReferences"
)]
pub async fn search_references(
    State(app): State<App>,
    caller: Caller<need::ViewManagedServices, Listing<ReferenceSearch, ReferenceSort>>,
) -> Result<List<ReferenceItem>, Problem> {
    let pages = caller.pages(&app)?;
    let (tenant, search) = (caller.tenant(), &caller.query.filter);
    let references = app.store.references();
    let found = references.search(tenant, search, &pages.wanted).await?;
    Ok(pages.answer(found, ReferenceItem::from)?)
}
