use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    base::{
        AnyOf, CustomerId, Description, Ids, OrNone, OrOther, Order, OrganizationId, PhaseId,
        ProjectId, SearchText, Timestamp, Title, UserId,
        input::{Defaulted, Patch, PatchField},
        sort::sort,
    },
    input, names, short_form,
};

/// A project with milestones, phases, tasks and activities.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    pub id: ProjectId,
    pub organization_id: OrganizationId,
    pub title: Title,
    pub description: Option<Description>,
    /// The status; active projects count as active engagements.
    #[schema(value_type = ProjectStatus)]
    pub status: OrOther<ProjectStatus>,
    /// The customer for whom it is done.
    #[serde(default)]
    pub customer_id: Option<CustomerId>,
    /// The users who see it. A change holds everywhere within five seconds.
    #[serde(default)]
    #[schema(value_type = ProjectVisibility, required = true)]
    pub visibility: OrOther<ProjectVisibility>,
    /// Its members. They stay when all may see it.
    #[serde(default)]
    #[schema(ignore)]
    pub members: BTreeSet<UserId>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

input! {
    pub struct ProjectFilter {
        /// Without it, all projects but the archived ones.
        status: Option<AnyOf<ProjectStatus>>,
        /// One of these, or `none`.
        customer_id: Option<AnyOf<OrNone<CustomerId>>>,
        /// Words, each of which must begin a word of the title, without regard to case.
        query: Option<SearchText>,
    }

    pub struct ProjectCreate {
        title: Title,
        description: Option<Description>,
        status: Defaulted<ProjectStatus>,
        /// A customer of the organization that is not archived.
        customer_id: Option<CustomerId>,
        /// With `members`, the creator becomes a member.
        visibility: Defaulted<ProjectVisibility>,
    }
    example {
        "title": "Billing migration",
        "description": "Move all customers to usage-based billing before the end of the year.",
    };

    /// A change of a project: at least one field. An absent field is kept, null clears it.
    pub struct ProjectUpdate {
        title: PatchField<Title>,
        description: Patch<Description>,
        /// Any change is allowed. An archived project takes no new work.
        status: PatchField<ProjectStatus>,
        /// A customer of the organization that is not archived.
        customer_id: Patch<CustomerId>,
        /// With `members`, who sets it becomes a member.
        visibility: PatchField<ProjectVisibility>,
    }
    changes Project;
    needs any;
    example {"title": "Billing migration 2026", "status": "on_hold"};

    pub struct PhaseCreate {
        title: Title,
        /// The position; behind all other phases when absent or null.
        order: Option<Order>,
    }
    example {"title": "Move", "order": 2048};

    pub struct PhaseFilter {
        /// Phases with these ids. They are read by id, so none lags behind a write.
        id: Option<Ids<PhaseId>>,
    }

    /// A change of a phase: at least one field.
    pub struct PhaseUpdate {
        title: PatchField<Title>,
        order: PatchField<Order>,
    }
    changes Phase;
    needs any;
    example {"title": "Move the rest", "order": 3072};
}

impl Project {
    /// The most members of a project.
    pub const MOST_MEMBERS: usize = 200;

    /// Returns true if only its members see it, also for a visibility of a later version.
    pub fn is_restricted(&self) -> bool {
        self.visibility != ProjectVisibility::Organization
    }

    pub fn new(id: ProjectId, tenant: OrganizationId, sent: ProjectCreate, now: Timestamp) -> Self {
        Self {
            id,
            organization_id: tenant,
            title: sent.title,
            description: sent.description,
            status: sent.status.0.into(),
            customer_id: sent.customer_id,
            visibility: sent.visibility.0.into(),
            members: BTreeSet::new(),
            created_at: now,
            updated_at: now,
        }
    }
}

names! {
    /// The status of a project.
    #[derive(Default)]
    pub enum ProjectStatus = "a status" {
        Active = default: "In progress: an active engagement.",
        OnHold: "Paused.",
        Completed: "Done.",
        Archived: "Over: the project takes no new work.",
    }
}

names! {
    /// The users who see a project with its records, beside those who manage the organization.
    #[derive(Default)]
    pub enum ProjectVisibility = "a visibility" {
        Organization = default: "All users of the organization.",
        Members: "Its members alone.",
    }
}

short_form! {
    /// A project as part of other records.
    ProjectRef of Project { id: ProjectId, title: Title }
}

/// A phase of a project.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Phase {
    pub id: PhaseId,
    pub organization_id: OrganizationId,
    pub project_id: ProjectId,
    pub title: Title,
    /// Position among the project's phases, ascending.
    pub order: Order,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

sort! {
    PhaseSort = "order": "Phases: by `order`; ties are broken by id.";
    MemberSort = "username": "Members: by username, without regard to case.";
    ProjectSort = "title": "Projects: by title, without regard to case; ties are broken by id.";
}
