//! `GET /api/activities/{activityId}/comments`
//! `POST /api/activities/{activityId}/comments`
//! `PATCH /api/activities/{activityId}/comments/{commentId}`
//! `DELETE /api/activities/{activityId}/comments/{commentId}`

use shared::{
    comments::{CommentOn, CommentView},
    endpoint::*,
    model::base::ActivityId,
};

/// A comment on an activity.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActivityComment {
    activity_id: ActivityId,
    #[serde(flatten)]
    comment: CommentView,
}

versioned!(ActivityComment: comment);

impl CommentOn for ActivityComment {
    type Record = ActivityId;
    type Write = need::CommentActivity;
    type Refusals = ();

    const PATH: &'static str = "/api/activities/{activityId}/comments";

    fn new(activity_id: ActivityId, comment: CommentView) -> Self {
        Self {
            activity_id,
            comment,
        }
    }
}
