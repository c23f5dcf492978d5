//! Activities: events of a project or of the organization.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    base::{
        ActivityId, AnyOf, Content, JsonObject, JsonText, OrNone, OrOther, OrganizationId,
        ProjectId, Slug, TagId, Timestamp, UserId, Who,
        input::{Patch, PatchField},
    },
    input, names,
    work::task::belongs_somewhere,
};

/// An event that a user recorded.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    pub id: ActivityId,
    /// When it happened.
    pub timestamp: Timestamp,
    #[serde(rename = "type")]
    #[schema(value_type = ActivityType)]
    pub kind: OrOther<ActivityType>,
    /// A free name within the type.
    pub subtype: Option<Slug>,
    pub description: Content,
    /// The project; null for an activity of the whole organization.
    pub project_id: Option<ProjectId>,
    pub organization_id: OrganizationId,
    pub creator_id: UserId,
    /// Free-form, up to 16 KiB and five levels.
    #[schema(value_type = Option<JsonObject>)]
    pub metadata: Option<JsonText>,
    /// Free-form, up to 16 KiB and five levels.
    #[schema(value_type = Option<JsonObject>)]
    pub evidence: Option<JsonText>,
    /// The ids of its tags, some of which may have been deleted.
    #[serde(default)]
    pub tag_ids: BTreeSet<TagId>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

input! {
    /// An activity to record, with at least one of `projectId` and `organizationId`.
    pub struct ActivityCreate {
        /// When it happened; the current time when absent or null.
        timestamp: Option<Timestamp>,
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
    example {
        "type": "meeting", "subtype": "kick_off", "timestamp": "2026-01-14T09:30:00+01:00",
        "description": "Agreed on the order in which customers move.", "projectId": 1,
        "metadata": {"participants": 6},
    };

    /// A change of an activity: at least one field. An absent field is kept, null clears it.
    pub struct ActivityUpdate {
        /// When it happened.
        timestamp: PatchField<Timestamp>,
        r#type: PatchField<ActivityType>,
        /// A free name within the type.
        subtype: Patch<Slug>,
        description: PatchField<Content>,
        metadata: Patch<JsonObject>,
        evidence: Patch<JsonObject>,
    }
    needs any;
    example {"description": "Agreed on the order of the first ten customers.", "subtype": null};

    pub struct ActivityFilter {
        r#type: Option<AnyOf<ActivityType>>,
        creator_id: Option<AnyOf<Who>>,
        tag_id: Option<AnyOf<OrNone<TagId>>>,
        /// Happened at this instant or after it.
        from: Option<Timestamp>,
        /// Happened before this instant.
        to: Option<Timestamp>,
    }

    pub struct TagAttach {
        /// A tag of the caller's organization.
        tag_id: TagId,
    }
    example {"tagId": 2};
}

impl Activity {
    pub fn new(
        id: ActivityId,
        tenant: OrganizationId,
        creator: UserId,
        create: ActivityCreate,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            timestamp: create.timestamp.unwrap_or(now),
            kind: create.r#type.into(),
            subtype: create.subtype,
            description: create.description,
            project_id: create.project_id,
            organization_id: tenant,
            creator_id: creator,
            metadata: create.metadata.map(JsonText),
            evidence: create.evidence.map(JsonText),
            tag_ids: BTreeSet::new(),
            created_at: now,
            updated_at: now,
        }
    }

    pub fn change(&mut self, update: ActivityUpdate, now: Timestamp) {
        update
            .timestamp
            .apply(&mut self.timestamp);
        update.r#type.apply(&mut self.kind);
        update.subtype.apply(&mut self.subtype);
        update
            .description
            .apply(&mut self.description);
        update
            .metadata
            .map(JsonText)
            .apply(&mut self.metadata);
        update
            .evidence
            .map(JsonText)
            .apply(&mut self.evidence);
        self.updated_at = now;
    }
}

names! {
    /// The type of an event.
    pub enum ActivityType = "an activity type" {
        Meeting: "A meeting.",
        Note: "A note.",
        Call: "A telephone or video call.",
        Email: "An e-mail.",
        Document: "A document was written or handed over.",
        Decision: "A decision.",
        StatusChange: "A change of a status.",
        System: "An event that a system recorded.",
    }

    /// Orders of activities; ties are broken by id.
    #[derive(Default)]
    pub enum ActivitySort = "a sort order" {
        NewestFirst as "-timestamp" = default: "The last to happen first.",
        OldestFirst as "timestamp": "The first to happen first.",
    }
}
