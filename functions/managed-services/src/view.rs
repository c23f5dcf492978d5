//! View of tickets.

use shared::{model::Ticket, view::Shown};

/// A support ticket.
pub type TicketView = Shown<Ticket>;
