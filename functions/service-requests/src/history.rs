//! `GET /api/service-requests/{id}/history`

use shared::endpoint::*;
use shared::model::{HistoryOf, HistorySort, ServiceRequestId};
use shared::store::EntryWithActor;

/// Lists the changes of a service request, newest first.
///
/// The history is kept when the service request is deleted.
#[utoipa::path(get, path = "/api/service-requests/{id}/history")]
pub async fn list_service_request_history(
    State(app): State<App>,
    caller: Caller<need::ViewWork, Listing<(), HistorySort>>,
    Path(id): Path<PathId<ServiceRequestId>>,
) -> Result<List<EntryWithActor>, Problem> {
    caller.history(&app, HistoryOf::from(id.known()?)).await
}
