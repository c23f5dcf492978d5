//! `POST /api/managed-services/tickets`

use shared::{
    endpoint::*, http::refusal::CustomerArchived, model::work::TicketCreate,
    store::work::TaggedTicket,
};

/// Creates a ticket with the status `open`.
///
/// Its description becomes the first message, sent by the caller. 400 if the assignee is not a user
/// of the organization. 409 `customer_archived` if its customer is archived.
#[utoipa::path(post, path = "/api/managed-services/tickets")]
pub async fn create_ticket(
    caller: Caller<need::CreateServiceRequest>,
    Body(new): Body<TicketCreate>,
) -> Result<Single<TaggedTicket>, Problem<CustomerArchived>> {
    let tickets = caller.app.store.tickets();
    let ticket = tickets.raise(caller.write(), caller.user_id(), new);
    Ok(Single(ticket.await?))
}
