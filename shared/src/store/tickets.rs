//! Support tickets and their messages.

use super::{key, key::Key, table::Record};
use crate::model::{Ticket, TicketMessage};

impl Record for Ticket {
    const KIND: &'static str = "ticket";

    fn key(&self) -> Key {
        key::ticket(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key> {
        Some(Key::new(
            key::tickets(self.organization_id),
            key::instant_then_id(self.created_at, self.id),
        ))
    }
}

impl Record for TicketMessage {
    const KIND: &'static str = "ticket_message";

    fn key(&self) -> Key {
        Key::new(
            key::ticket_messages(self.organization_id, self.ticket_id),
            key::instant_then_id(self.created_at, self.id),
        )
    }
}
