//! `GET /api/service-requests/{id}/history`

use shared::{
    endpoint::*,
    model::base::{HistoryOf, HistorySort, ServiceRequestId},
    store::base::EntryWithActor,
};

/// Lists the changes of a service request, newest first.
///
/// The history is kept when the service request is deleted.
#[utoipa::path(get, path = "/api/service-requests/{id}/history")]
pub async fn list_service_request_history(
    caller: Caller<need::ViewWork, Listing<(), HistorySort>>,
    Path(id): Path<PathId<ServiceRequestId>>,
) -> Result<List<EntryWithActor>, Problem> {
    caller
        .history(HistoryOf::from(id.known()?))
        .await
}
