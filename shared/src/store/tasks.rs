//! Tasks.

use super::{key, key::Key, table::Record};
use crate::model::Task;

impl Record for Task {
    const KIND: &'static str = "task";

    fn key(&self) -> Key {
        key::task(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key> {
        let project = self.project_id?;
        Some(Key::new(
            key::tasks_of_project(self.organization_id, project),
            key::task_order(self.order, self.id),
        ))
    }

    fn gsi2(&self) -> Option<Key> {
        let milestone = self.milestone_id?;
        let Key { sk, .. } = self.key();
        Some(Key::new(
            key::tasks_of_milestone(self.organization_id, milestone),
            sk,
        ))
    }
}
