//! Activities as the API answers them.

use serde::Serialize;
use shared::{
    model::{
        Activity, ActivityId, ActivityType, Content, JsonObject, OrganizationId, ProjectId,
        ProjectRef, Slug, TagRef, Timestamp, UserId, UserRef,
    },
    store::{ActivityWithRefs, Stored, TaggedActivity},
    versioned,
};
use utoipa::ToSchema;

/// An activity.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Activity)]
#[serde(rename_all = "camelCase")]
pub struct ActivityView {
    id: ActivityId,
    timestamp: Timestamp,
    #[serde(rename = "type")]
    kind: ActivityType,
    subtype: Option<Slug>,
    description: Content,
    project_id: Option<ProjectId>,
    organization_id: OrganizationId,
    creator_id: UserId,
    metadata: Option<JsonObject>,
    evidence: Option<JsonObject>,
    /// The tags that it carries, by id.
    tags: Vec<TagRef>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Raised by every write.
    version: i64,
}

versioned!(ActivityView, ActivityWithRefsView: activity);

/// An activity as it is read: with what it refers to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActivityWithRefs)]
pub struct ActivityWithRefsView {
    #[serde(flatten)]
    activity: ActivityView,
    /// Who recorded it; null when the account is gone.
    creator: Option<UserRef>,
    /// Its project; null for an activity of the organization at large.
    project: Option<ProjectRef>,
}

impl ActivityView {
    fn new(stored: Stored<Activity>, tags: Vec<TagRef>) -> Self {
        let Stored {
            record: activity,
            version,
        } = stored;
        Self {
            version,
            id: activity.id,
            timestamp: activity.timestamp,
            kind: activity.kind,
            subtype: activity.subtype,
            description: activity.description,
            project_id: activity.project_id,
            organization_id: activity.organization_id,
            creator_id: activity.creator_id,
            metadata: activity.metadata.map(|metadata| metadata.0),
            evidence: activity.evidence.map(|evidence| evidence.0),
            tags,
            created_at: activity.created_at,
            updated_at: activity.updated_at,
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
