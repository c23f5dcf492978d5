//! `PUT /api/service-requests/{id}/tags/{tagId}`
//! `DELETE /api/service-requests/{id}/tags/{tagId}`

use shared::{App, http::Endpoint, model::base::ServiceRequestId, tags};

pub fn endpoints() -> [Endpoint<App>; 2] {
    tags::endpoints_of_paths::<ServiceRequestId>(
        "ServiceRequest",
        "/api/service-requests/{id}/tags",
    )
}
