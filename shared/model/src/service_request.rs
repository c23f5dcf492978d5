//! Service requests, and what tasks and tickets share with them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    ActionRef, AnyOf, Category, Description, Error, FaultCode, JsonText, OrNone, OrganizationId,
    ReferenceId, Resolution, ServiceRequestId, ServiceStatus, Timestamp, Title, UserId, Who,
    input::{Change, Defaulted, Patch, Place, Reading},
};
use crate::input;

/// Something that a user asks the organization's services for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceRequest {
    /// Unique id.
    pub id: ServiceRequestId,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// What is asked for.
    pub title: Title,
    /// More about it.
    pub description: Option<Description>,
    /// Where it stands.
    pub status: ServiceStatus,
    /// How pressing it is.
    pub priority: Priority,
    /// A name of the organization's own.
    pub category: Option<Category>,
    /// Who raised it.
    pub creator_id: UserId,
    /// Who works on it.
    pub assignee_id: Option<UserId>,
    /// What kind of record it is about; comes together with `reference_id`.
    pub reference_type: Option<ReferenceType>,
    /// The record it is about.
    pub reference_id: Option<ReferenceId>,
    /// Free-form.
    pub metadata: Option<JsonText>,
    /// The manual action of an agent session that was handed over with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_action: Option<ActionRef>,
    /// When it was last resolved; null while it is not resolved or closed.
    pub resolved_at: Option<Timestamp>,
    /// When it was raised.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

input! {
    /// What a client sends to raise a service request.
    pub struct ServiceRequestCreate {
        title: Title,
        description: Option<Description>,
        priority: Defaulted<Priority>,
        category: Option<Category>,
        /// Comes together with `referenceId`.
        reference_type: Option<ReferenceType>,
        /// A project of the caller's organization, or the organization itself.
        reference_id: Option<ReferenceId>,
    }
    check(reference_type, reference_id) come_together;
    schema all_or_none_given(reference_type, reference_id);
}

input! {
    /// What a client sends to change a service request, at least one field of it: an absent field
    /// is kept, a null one cleared.
    pub struct ServiceRequestUpdate {
        title: Change<Title>,
        description: Patch<Description>,
        priority: Change<Priority>,
        category: Patch<Category>,
        /// A user of the organization.
        assignee_id: Patch<UserId>,
        /// `open`, `in_progress` and `pending` interchange; each may become `resolved` or `closed`,
        /// and `resolved` may become `open` or `closed`. What is closed stays closed.
        status: Change<ServiceStatus>,
    }
    needs any;
}

input! {
    /// Which service requests to list.
    pub struct ServiceRequestFilter {
        status: Option<AnyOf<ServiceStatus>>,
        priority: Option<AnyOf<Priority>>,
        /// One with a comma in it cannot be asked for.
        category: Option<AnyOf<OrNone<Category>>>,
        assignee_id: Option<AnyOf<OrNone<Who>>>,
        creator_id: Option<AnyOf<Who>>,
        /// Changed at this instant or after it.
        updated_since: Option<Timestamp>,
    }
}

fn come_together(
    kind: Reading<&Option<ReferenceType>>,
    id: Reading<&Option<ReferenceId>>,
    body: &mut Place<'_>,
) {
    let (has_kind, has_id) = (!matches!(kind, Some(None)), !matches!(id, Some(None)));
    let mut lacks = |other: &str, one: &str| {
        let detail = format!("Send `{other}` with `{one}`.");
        body.at(other).report(FaultCode::Required, detail);
    };
    if has_kind && !has_id {
        lacks("referenceId", "referenceType");
    } else if has_id && !has_kind {
        lacks("referenceType", "referenceId");
    }
}

impl ServiceRequest {
    /// A service request that somebody raises, which is open.
    #[must_use]
    pub fn new(
        id: ServiceRequestId,
        tenant: OrganizationId,
        creator: UserId,
        create: ServiceRequestCreate,
        now: Timestamp,
    ) -> Self {
        let ServiceRequestCreate {
            title,
            description,
            priority: Defaulted(priority),
            category,
            reference_type,
            reference_id,
        } = create;
        Self {
            id,
            organization_id: tenant,
            title,
            description,
            status: ServiceStatus::Open,
            priority,
            category,
            creator_id: creator,
            assignee_id: None,
            reference_type,
            reference_id,
            metadata: None,
            agent_action: None,
            resolved_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Changes it, and answers what becomes of its resolution. 409 when its status may not become
    /// the one that is asked for.
    pub fn change(
        &mut self,
        update: ServiceRequestUpdate,
        now: Timestamp,
    ) -> Result<Option<Resolution>, Error> {
        let ServiceRequestUpdate {
            title,
            description,
            priority,
            category,
            assignee_id,
            status,
        } = update;
        let resolution = match status {
            Change::Keep => None,
            Change::Set(next) => self.turn(next, now)?,
        };
        title.apply(&mut self.title);
        description.apply(&mut self.description);
        priority.apply(&mut self.priority);
        category.apply(&mut self.category);
        assignee_id.apply(&mut self.assignee_id);
        self.updated_at = now;
        Ok(resolution)
    }

    /// Whether a comment of that user opens it again.
    #[must_use]
    pub fn reopens_on_comment_of(&self, user: UserId) -> bool {
        self.creator_id == user && self.status.reopens_on_answer()
    }

    /// Opens it again, and answers what becomes of its resolution. 409 when it is closed.
    pub fn reopen(&mut self, now: Timestamp) -> Result<Option<Resolution>, Error> {
        self.updated_at = now;
        self.turn(ServiceStatus::Open, now)
    }

    fn turn(&mut self, next: ServiceStatus, now: Timestamp) -> Result<Option<Resolution>, Error> {
        self.status.turn(next, &mut self.resolved_at, now)
    }
}

/// How pressing a task, service request or ticket is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Can wait.
    Low,
    /// The usual.
    #[default]
    Medium,
    /// Soon.
    High,
    /// Now.
    Urgent,
}

/// What a service request may refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceType {
    /// A project of the organization.
    Project,
    /// The organization itself.
    Organization,
}
