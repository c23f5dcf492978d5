//! Milestones of a project.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    AnyOf, Description, Error, Fault, FaultCode, MilestoneId, OrganizationId, ProjectId, Timestamp,
    Title,
    input::{Change, Defaulted, Patch, Place, Reading},
};
use crate::input;

/// A milestone of a project.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Milestone {
    /// Unique id.
    pub id: MilestoneId,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// The project it belongs to; it never moves.
    pub project_id: ProjectId,
    /// What is to be reached.
    pub title: Title,
    /// More about it.
    pub description: Option<Description>,
    /// Not after `due_date`.
    pub start_date: Option<Timestamp>,
    /// Not before `start_date`.
    pub due_date: Option<Timestamp>,
    /// Where it stands.
    pub status: MilestoneStatus,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

input! {
    /// Which milestones to list.
    pub struct MilestoneFilter {
        status: Option<AnyOf<MilestoneStatus>>,
    }
}

/// Orders of milestones; ties are broken by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum MilestoneSort {
    /// The most urgent first, those without a due date last.
    #[default]
    #[serde(rename = "dueDate")]
    DueDate,
}

input! {
    /// What a client sends to create a milestone.
    pub struct MilestoneCreate {
        title: Title,
        description: Option<Description>,
        /// A project of the caller's organization.
        project_id: ProjectId,
        /// Not after `dueDate`.
        start_date: Option<Timestamp>,
        /// Not before `startDate`.
        due_date: Option<Timestamp>,
        status: Defaulted<MilestoneStatus>,
    }
    check(start_date, due_date) begins_before_it_is_due;
}

input! {
    /// What a client sends to change a milestone: an absent field is kept, a null one cleared.
    pub struct MilestoneUpdate {
        title: Change<Title>,
        description: Patch<Description>,
        /// Not after `dueDate`.
        start_date: Patch<Timestamp>,
        /// Not before `startDate`.
        due_date: Patch<Timestamp>,
        /// Any change is legal.
        status: Change<MilestoneStatus>,
    }
    changes Milestone;
    check(start_date, due_date) stays_before_it_is_due;
}

const WRONG_ORDER: &str = "The start must not be after the due date.";

fn begins_before_it_is_due(
    start: Reading<&Option<Timestamp>>,
    due: Reading<&Option<Timestamp>>,
    body: &mut Place<'_>,
) {
    if let (Some(Some(start)), Some(Some(due))) = (start, due)
        && start > due
    {
        body.at("startDate").report(FaultCode::Order, WRONG_ORDER);
    }
}

fn stays_before_it_is_due(
    start: Reading<&Patch<Timestamp>>,
    due: Reading<&Patch<Timestamp>>,
    body: &mut Place<'_>,
) {
    let new = |sent: Reading<&Patch<Timestamp>>| sent.map(|patch| patch.value().copied());
    begins_before_it_is_due(new(start).as_ref(), new(due).as_ref(), body);
}

impl Milestone {
    /// A milestone of that tenant, as it was asked for.
    #[must_use]
    pub fn new(
        id: MilestoneId,
        tenant: OrganizationId,
        create: MilestoneCreate,
        now: Timestamp,
    ) -> Self {
        let MilestoneCreate {
            title,
            description,
            project_id,
            start_date,
            due_date,
            status: Defaulted(status),
        } = create;
        Self {
            id,
            organization_id: tenant,
            project_id,
            title,
            description,
            start_date,
            due_date,
            status,
            created_at: now,
            updated_at: now,
        }
    }

    /// Changes it. 400 when it would then begin after it is due.
    pub fn change(&mut self, update: MilestoneUpdate) -> Result<(), Error> {
        let moved = if update.due_date.is_sent() {
            "dueDate"
        } else {
            "startDate"
        };
        update.apply(self);
        if self.dates_are_in_order() {
            Ok(())
        } else {
            Err(Error::invalid(Fault::at(
                moved,
                FaultCode::Order,
                WRONG_ORDER,
            )))
        }
    }

    /// Whether the start is not after the due date; a missing one never is.
    #[must_use]
    pub fn dates_are_in_order(&self) -> bool {
        match (self.start_date, self.due_date) {
            (Some(start), Some(due)) => start <= due,
            _ => true,
        }
    }
}

/// Where a milestone stands; any change is legal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MilestoneStatus {
    /// Not begun.
    #[default]
    Pending,
    /// Being worked on.
    InProgress,
    /// Paused.
    OnHold,
    /// Reached.
    Completed,
    /// Given up.
    Cancelled,
}

/// A milestone as tasks show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct MilestoneRef {
    /// Unique id.
    pub id: MilestoneId,
    /// Title.
    pub title: Title,
}

impl From<&Milestone> for MilestoneRef {
    fn from(milestone: &Milestone) -> Self {
        Self {
            id: milestone.id,
            title: milestone.title.clone(),
        }
    }
}
