//! Views of tickets.

use serde::Serialize;
use shared::{
    model::{Ticket, UserRef},
    store::JoinedTicket,
    versioned,
    view::Shown,
};
use utoipa::ToSchema;

/// A support ticket.
pub type TicketView = Shown<Ticket>;

/// A support ticket with the user who raised it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = JoinedTicket)]
pub struct JoinedTicketView {
    #[serde(flatten)]
    ticket: TicketView,
    /// User with the id `creatorId`.
    creator: Option<UserRef>,
}

versioned!(JoinedTicketView: ticket);

impl From<JoinedTicket> for JoinedTicketView {
    fn from(JoinedTicket { ticket, creator }: JoinedTicket) -> Self {
        Self {
            ticket: ticket.into(),
            creator,
        }
    }
}
