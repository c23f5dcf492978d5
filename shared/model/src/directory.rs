//! Organizations, and the tags that they have.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};
use utoipa::ToSchema;

use super::{OrganizationId, OrganizationName, TagId, TagName, Timestamp, input::Change};
use crate::input;

/// A tenant.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    /// Unique id.
    pub id: OrganizationId,
    /// Display name, 1 to 255 characters.
    pub name: String,
    /// What the plan includes.
    pub plan_features: Vec<PlanFeature>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

input! {
    /// What a client sends to change an organization.
    pub struct OrganizationUpdate {
        name: Change<OrganizationName>,
    }
    needs any;
}

impl OrganizationUpdate {
    /// Applies the changes to a record.
    pub fn apply(self, organization: &mut Organization) {
        if let Change::Set(name) = self.name {
            organization.name = name.into();
        }
    }
}

/// A feature that a plan may include, which the operator decides on.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    ToSchema,
    IntoStaticStr,
    EnumString,
    VariantArray,
)]
pub enum PlanFeature {
    /// The resolution agent.
    #[serde(rename = "agentAI")]
    #[strum(serialize = "agentAI")]
    AgentAi,
}

impl PlanFeature {
    /// The name as the API writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A tag of the organization, which tasks and activities carry.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tag {
    /// Unique id.
    pub id: TagId,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// Unique in the organization without regard to case.
    pub name: TagName,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Orders of tags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum TagSort {
    /// By name, without regard to case.
    #[default]
    #[serde(rename = "name")]
    Name,
}

input! {
    /// What a client sends to create a tag.
    pub struct TagCreate {
        name: TagName,
    }
}

input! {
    /// What a client sends to change a tag.
    pub struct TagUpdate {
        name: Change<TagName>,
    }
    changes Tag;
    needs any;
}

/// A tag as other records show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TagRef {
    /// Unique id.
    pub id: TagId,
    /// What it is called.
    pub name: TagName,
}

impl From<&Tag> for TagRef {
    fn from(tag: &Tag) -> Self {
        Self {
            id: tag.id,
            name: tag.name.clone(),
        }
    }
}
