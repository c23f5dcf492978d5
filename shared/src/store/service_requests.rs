//! Service requests.

use super::{key, key::Key, table::Record};
use crate::model::ServiceRequest;

impl Record for ServiceRequest {
    const KIND: &'static str = "service_request";

    fn key(&self) -> Key {
        key::service_request(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key> {
        Some(Key::new(
            key::service_requests(self.organization_id),
            key::instant_then_id(self.created_at, self.id),
        ))
    }
}
