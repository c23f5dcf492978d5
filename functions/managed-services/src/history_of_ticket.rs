//! `GET /api/managed-services/ticket/{ticketId}/history`

use shared::{
    endpoint::*,
    model::base::{HistoryOf, HistorySort, TicketId},
    store::base::EntryWithActor,
};

/// Lists the changes of a ticket, newest first.
#[utoipa::path(get, path = "/api/managed-services/ticket/{ticketId}/history")]
pub async fn list_ticket_history(
    caller: Caller<need::ViewManagedServices, Listing<(), HistorySort>>,
    Path(id): Path<PathId<TicketId>>,
) -> Result<List<EntryWithActor>, Problem> {
    caller
        .history(HistoryOf::from(id.known()?))
        .await
}
