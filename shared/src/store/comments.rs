//! Comments on service requests and activities.

use super::{key, key::Key, table::Record};
use crate::model::Comment;

impl Record for Comment {
    const KIND: &'static str = "comment";

    fn key(&self) -> Key {
        key::comment(self.organization_id, self.thread, self.id)
    }

    fn gsi1(&self) -> Option<Key> {
        Some(Key::new(
            key::comments(self.organization_id, self.thread),
            key::instant_then_id(self.created_at, self.id),
        ))
    }
}
