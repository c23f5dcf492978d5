//! `GET /api/service-requests/{serviceRequestId}/comments`
//! `POST /api/service-requests/{serviceRequestId}/comments`
//! `PATCH /api/service-requests/{serviceRequestId}/comments/{commentId}`
//! `DELETE /api/service-requests/{serviceRequestId}/comments/{commentId}`

use shared::{
    comments::{CommentOn, CommentView},
    endpoint::*,
    model::base::ServiceRequestId,
};

/// A comment on a service request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceRequestComment {
    service_request_id: ServiceRequestId,
    #[serde(flatten)]
    comment: CommentView,
}

versioned!(ServiceRequestComment: comment);

impl CommentOn for ServiceRequestComment {
    type Record = ServiceRequestId;
    type Write = need::CommentServiceRequest;
    type Refusals = ConcurrentChange;

    const PATH: &'static str = "/api/service-requests/{serviceRequestId}/comments";
    const EFFECT: &'static str = " A comment by the creator of a `pending` or `resolved` service request \
                                  sets its status to `open`.";

    fn new(service_request_id: ServiceRequestId, comment: CommentView) -> Self {
        Self {
            service_request_id,
            comment,
        }
    }
}
