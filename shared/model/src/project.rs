//! Projects and their phases.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    AnyOf, Description, Order, OrganizationId, PhaseId, ProjectId, SearchText, Timestamp, Title,
    input::{Change, Defaulted, Patch},
};
use crate::input;

/// A project, which milestones, tasks and activities belong to.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// Unique id.
    pub id: ProjectId,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// What it is called.
    pub title: Title,
    /// More about it.
    pub description: Option<Description>,
    /// Where it stands; active ones count as active engagements.
    pub status: ProjectStatus,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

input! {
    /// Which projects to list.
    pub struct ProjectFilter {
        /// All but archived ones when it is not sent.
        status: Option<AnyOf<ProjectStatus>>,
        /// Each of its words must begin a word of the title, without regard to case.
        query: Option<SearchText>,
    }
}

/// Orders of projects; ties are broken by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ProjectSort {
    /// By title, without regard to case.
    #[default]
    #[serde(rename = "title")]
    Title,
}

input! {
    /// What a client sends to create a project.
    pub struct ProjectCreate {
        title: Title,
        description: Option<Description>,
        status: Defaulted<ProjectStatus>,
    }
}

input! {
    /// What a client sends to change a project, at least one field of it: an absent field is kept, a
    /// null one cleared.
    pub struct ProjectUpdate {
        title: Change<Title>,
        description: Patch<Description>,
        /// Any change is legal. An archived project takes no new work.
        status: Change<ProjectStatus>,
    }
    changes Project;
    needs any;
}

impl Project {
    /// A project of that tenant, as it was asked for.
    #[must_use]
    pub fn new(
        id: ProjectId,
        tenant: OrganizationId,
        create: ProjectCreate,
        now: Timestamp,
    ) -> Self {
        let ProjectCreate {
            title,
            description,
            status: Defaulted(status),
        } = create;
        Self {
            id,
            organization_id: tenant,
            title,
            description,
            status,
            created_at: now,
            updated_at: now,
        }
    }
}

/// Where a project stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectStatus {
    /// Being worked on: an active engagement.
    #[default]
    Active,
    /// Paused.
    OnHold,
    /// Done.
    Completed,
    /// Put away: it takes no new work.
    Archived,
}

/// A project as other records show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProjectRef {
    /// Unique id.
    pub id: ProjectId,
    /// Title.
    pub title: Title,
}

impl From<&Project> for ProjectRef {
    fn from(project: &Project) -> Self {
        Self {
            id: project.id,
            title: project.title.clone(),
        }
    }
}

/// A phase of a project.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Phase {
    /// Unique id.
    pub id: PhaseId,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// The project it is a phase of.
    pub project_id: ProjectId,
    /// What it is called.
    pub title: Title,
    /// Place among the project's phases, ascending.
    pub order: Order,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Orders of a project's phases; ties are broken by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum PhaseSort {
    /// By `order`.
    #[default]
    #[serde(rename = "order")]
    Order,
}

input! {
    /// What a client sends to create a phase.
    pub struct PhaseCreate {
        title: Title,
        /// At the end when absent or null.
        order: Option<Order>,
    }
}

input! {
    /// What a client sends to change a phase, at least one field of it.
    pub struct PhaseUpdate {
        title: Change<Title>,
        order: Change<Order>,
    }
    changes Phase;
    needs any;
}
