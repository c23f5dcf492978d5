//! `GET /api/managed-services/ticket/{ticketId}/history`

use shared::endpoint::*;
use shared::model::{HistoryOf, HistorySort, TicketId};
use shared::store::EntryWithActor;

/// Lists the changes of a ticket, newest first.
#[utoipa::path(get, path = "/api/managed-services/ticket/{ticketId}/history")]
pub async fn list_ticket_history(
    State(app): State<App>,
    caller: Caller<need::ViewManagedServices, Listing<(), HistorySort>>,
    Path(id): Path<PathId<TicketId>>,
) -> Result<List<EntryWithActor>, Problem> {
    caller.history(&app, HistoryOf::from(id.known()?)).await
}
