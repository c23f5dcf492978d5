//! Activities: what happened on a project or for the organization.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ActivityId, JsonText, OrganizationId, ProjectId, Timestamp, UserId};

/// Something that happened, as somebody recorded it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// Unique id.
    pub id: ActivityId,
    /// When it happened.
    pub timestamp: Timestamp,
    /// What kind of thing happened.
    #[serde(rename = "type")]
    pub kind: ActivityType,
    /// A free name within the type, `^[a-z0-9_]{1,64}$`.
    pub subtype: Option<String>,
    /// Up to 50,000 characters.
    pub description: String,
    /// The project; null for an activity of the organization at large.
    pub project_id: Option<ProjectId>,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// Who recorded it.
    pub creator_id: UserId,
    /// Free-form, up to 16 KiB and five levels.
    pub metadata: Option<JsonText>,
    /// Free-form, up to 16 KiB and five levels.
    pub evidence: Option<JsonText>,
    /// When it was recorded.
    pub created_at: Timestamp,
    /// When the record last changed.
    pub updated_at: Timestamp,
}

/// What kind of thing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActivityType {
    /// People met.
    Meeting,
    /// Somebody noted something.
    Note,
    /// A telephone or video call.
    Call,
    /// An e-mail.
    Email,
    /// A document was written or handed over.
    Document,
    /// Something was decided.
    Decision,
    /// A status changed.
    StatusChange,
    /// Recorded by a system.
    System,
}
