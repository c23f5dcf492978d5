//! `GET /api/managed-services/ticket/{ticketId}`

use shared::{
    endpoint::*,
    model::base::{ThreadSort, TicketId},
    store::work::{JoinedTicket, MessageFrom, TicketWithMessages},
};

/// A ticket and its messages.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TicketWithMessages)]
pub struct TicketWithMessagesView {
    ticket: JoinedTicket,
    /// Messages by creation time, with internal notes for those who see them. The `Link` header
    /// leads to further ones.
    messages: Vec<MessageFrom>,
}

versioned!(TicketWithMessagesView: ticket);

/// Returns a ticket with its messages.
///
/// The oldest message comes first unless `sort` says otherwise. `limit` and `cursor` page through
/// the messages; the `Link` header leads to the next page. Internal notes are only shown to users
/// with `manage_tickets` or `reply_ticket`.
#[utoipa::path(get, path = "/api/managed-services/ticket/{ticketId}")]
pub async fn get_ticket(
    caller: Caller<need::ViewManagedServices, Listing<(), ThreadSort>>,
    Path(id): Path<PathId<TicketId>>,
) -> Result<Linked<TicketWithMessagesView>, Problem> {
    let (id, pages) = (id.known()?, caller.pages()?);
    let tickets = caller.app.store.tickets();
    let reader = caller.reader();
    let sort = caller.query.sort;
    let with_notes = async { Ok(caller.identity().await?.sees_notes()) };
    let ticket_and_messages = tickets.get(&reader, id, sort, &pages.wanted, with_notes);
    let TicketWithMessages { ticket, messages } = ticket_and_messages.await?;
    let whole = |messages| TicketWithMessagesView { ticket, messages };
    Ok(pages.answer_within(messages, |message| message, whole)?)
}
