//! `POST /api/activities/{activityId}/tags`
//! `DELETE /api/activities/{activityId}/tags/{tagId}`

use shared::{App, http::Endpoint, model::base::ActivityId, tags};

pub fn endpoints() -> [Endpoint<App>; 2] {
    tags::endpoints::<ActivityId>("Activity", "/api/activities/{activityId}/tags")
}
