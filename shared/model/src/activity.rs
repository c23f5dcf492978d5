//! Activities: what happened on a project or for the organization.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    ActivityId, AnyOf, Content, JsonObject, JsonText, OrNone, OrganizationId, ProjectId, Slug,
    TagId, Timestamp, UserId, Who,
    input::{Change, Patch},
    task::belongs_somewhere,
};
use crate::input;

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
    /// A free name within the type.
    pub subtype: Option<Slug>,
    /// What happened.
    pub description: Content,
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
    /// The tags that it carries, deleted ones among them for a while.
    #[serde(default)]
    pub tag_ids: BTreeSet<TagId>,
    /// When it was recorded.
    pub created_at: Timestamp,
    /// When the record last changed.
    pub updated_at: Timestamp,
}

input! {
    /// What a client sends to record an activity: at least one of `projectId` and `organizationId`.
    pub struct ActivityCreate {
        /// When it happened; now when absent or null.
        timestamp: Option<Timestamp>,
        /// What kind of thing happened.
        r#type: ActivityType,
        /// A free name within the type.
        subtype: Option<Slug>,
        description: Content,
        /// A project of the caller's organization.
        project_id: Option<ProjectId>,
        /// The caller's organization.
        organization_id: Option<OrganizationId>,
        metadata: Option<JsonObject>,
        evidence: Option<JsonObject>,
    }
    check(project_id, organization_id) belongs_somewhere;
    schema any_given(project_id, organization_id);
}

input! {
    /// What a client sends to change an activity, at least one field of it: an absent field is
    /// kept, a null one cleared.
    pub struct ActivityUpdate {
        /// When it happened.
        timestamp: Change<Timestamp>,
        /// What kind of thing happened.
        r#type: Change<ActivityType>,
        /// A free name within the type.
        subtype: Patch<Slug>,
        description: Change<Content>,
        metadata: Patch<JsonObject>,
        evidence: Patch<JsonObject>,
    }
    needs any;
}

input! {
    /// Which activities to list.
    pub struct ActivityFilter {
        r#type: Option<AnyOf<ActivityType>>,
        creator_id: Option<AnyOf<Who>>,
        tag_id: Option<AnyOf<OrNone<TagId>>>,
        /// Happened at this instant or after it.
        from: Option<Timestamp>,
        /// Happened before this instant.
        to: Option<Timestamp>,
    }
}

input! {
    /// What a client sends to attach a tag.
    pub struct TagAttach {
        /// A tag of the caller's organization.
        tag_id: TagId,
    }
}

impl Activity {
    /// An activity of that tenant, as somebody records it.
    #[must_use]
    pub fn new(
        id: ActivityId,
        tenant: OrganizationId,
        creator: UserId,
        create: ActivityCreate,
        now: Timestamp,
    ) -> Self {
        let ActivityCreate {
            timestamp,
            r#type: kind,
            subtype,
            description,
            project_id,
            organization_id: _,
            metadata,
            evidence,
        } = create;
        Self {
            id,
            timestamp: timestamp.unwrap_or(now),
            kind,
            subtype,
            description,
            project_id,
            organization_id: tenant,
            creator_id: creator,
            metadata: metadata.map(JsonText),
            evidence: evidence.map(JsonText),
            tag_ids: BTreeSet::new(),
            created_at: now,
            updated_at: now,
        }
    }

    /// Changes it.
    pub fn change(&mut self, update: ActivityUpdate, now: Timestamp) {
        let ActivityUpdate {
            timestamp,
            r#type: kind,
            subtype,
            description,
            metadata,
            evidence,
        } = update;
        timestamp.apply(&mut self.timestamp);
        kind.apply(&mut self.kind);
        subtype.apply(&mut self.subtype);
        description.apply(&mut self.description);
        metadata.map(JsonText).apply(&mut self.metadata);
        evidence.map(JsonText).apply(&mut self.evidence);
        self.updated_at = now;
    }
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
