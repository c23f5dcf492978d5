//! `POST /api/tasks/{taskId}/tags`
//! `DELETE /api/tasks/{taskId}/tags/{tagId}`

use shared::{App, http::Endpoint, model::base::TaskId, tags};

pub fn endpoints() -> [Endpoint<App>; 2] {
    tags::endpoints::<TaskId>("Task", "/api/tasks/{taskId}/tags")
}
