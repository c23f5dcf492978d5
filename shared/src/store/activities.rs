//! Activities.

use super::{key, key::Key, table::Record};
use crate::model::Activity;

impl Record for Activity {
    const KIND: &'static str = "activity";

    fn key(&self) -> Key {
        key::activity(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key> {
        Some(Key::new(
            key::activities(self.organization_id),
            key::instant_then_id(self.timestamp, self.id),
        ))
    }

    fn gsi2(&self) -> Option<Key> {
        Some(Key::new(
            key::activities_of_project(self.organization_id, self.project_id?),
            key::instant_then_id(self.timestamp, self.id),
        ))
    }
}
