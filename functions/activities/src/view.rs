//! Views of activities.

use serde::Serialize;
use shared::{
    model::{Activity, JsonObject, ProjectRef, TagRef, UserRef},
    store::{ActivityWithRefs, Stored, TaggedActivity},
    versioned,
    view::Shown,
};
use utoipa::ToSchema;

/// The fields of the record. `ToSchema` takes no type arguments here.
type Fields = Shown<Activity>;

/// An activity.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Activity, examples(json!({
    "id": 5,
    "timestamp": "2026-01-14T08:30:00.000Z",
    "type": "meeting",
    "subtype": "kick_off",
    "description": "Agreed on the order in which customers move.",
    "projectId": 1,
    "organizationId": 1,
    "creatorId": 1,
    "metadata": {"participants": 6},
    "evidence": null,
    "tags": [],
    "createdAt": "2026-01-14T09:05:00.000Z",
    "updatedAt": "2026-01-14T09:05:00.000Z",
    "version": 1
})))]
pub struct ActivityView {
    #[serde(flatten)]
    #[schema(inline)]
    activity: Fields,
    metadata: Option<JsonObject>,
    evidence: Option<JsonObject>,
    /// The tags of the activity, by id.
    tags: Vec<TagRef>,
}

/// An activity with the records that it names.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActivityWithRefs)]
pub struct ActivityWithRefsView {
    #[serde(flatten)]
    activity: ActivityView,
    /// The user of `creatorId`; null if the account is gone.
    creator: Option<UserRef>,
    /// The project of `projectId`; null for an activity of the organization at large.
    project: Option<ProjectRef>,
}

versioned!(ActivityView: activity, ActivityWithRefsView: activity);

impl ActivityView {
    fn new(mut stored: Stored<Activity>, tags: Vec<TagRef>) -> Self {
        Self {
            metadata: stored.record.metadata.take().map(|metadata| metadata.0),
            evidence: stored.record.evidence.take().map(|evidence| evidence.0),
            activity: stored.into(),
            tags,
        }
    }
}

impl From<TaggedActivity> for ActivityView {
    fn from(TaggedActivity { activity, tags }: TaggedActivity) -> Self {
        Self::new(activity, tags)
    }
}

impl From<ActivityWithRefs> for ActivityWithRefsView {
    fn from(read: ActivityWithRefs) -> Self {
        Self {
            activity: ActivityView::new(read.activity, read.tags),
            creator: read.creator,
            project: read.project,
        }
    }
}
