//! `GET /api/service-requests/{id}/history`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{List, Path, PathId},
    model::{HistoryOf, HistorySort, Listing, ServiceRequestId},
    view::HistoryEntryView,
};

/// Lists the changes of a service request, newest first.
///
/// The history is kept when the service request is deleted.
#[utoipa::path(
    get,
    path = "/api/service-requests/{id}/history",
    operation_id = "listServiceRequestHistory"
)]
pub async fn history(
    State(app): State<App>,
    caller: Caller<need::ViewWork, Listing<(), HistorySort>>,
    Path(id): Path<PathId<ServiceRequestId>>,
) -> Result<List<HistoryEntryView>, Problem> {
    let (of, pages) = (HistoryOf::ServiceRequest(id.known()?), caller.pages(&app)?);
    let page = app
        .store
        .history(caller.tenant(), of, &pages.wanted)
        .await?;
    Ok(pages.answer(page, HistoryEntryView::from)?)
}
