//! `GET /api/managed-services/ticket/{ticketId}/history`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{List, Path, PathId},
    model::{HistoryOf, HistorySort, Listing, TicketId},
    view::HistoryEntryView,
};

/// Lists the changes of a ticket, newest first.
#[utoipa::path(
    get,
    path = "/api/managed-services/ticket/{ticketId}/history",
    operation_id = "listTicketHistory"
)]
pub async fn history_of_ticket(
    State(app): State<App>,
    caller: Caller<need::ViewManagedServices, Listing<(), HistorySort>>,
    Path(id): Path<PathId<TicketId>>,
) -> Result<List<HistoryEntryView>, Problem> {
    let (of, pages) = (HistoryOf::Ticket(id.known()?), caller.pages(&app)?);
    let page = app
        .store
        .history(caller.tenant(), of, &pages.wanted)
        .await?;
    Ok(pages.answer(page, HistoryEntryView::from)?)
}
