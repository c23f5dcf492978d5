use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    base::{
        AnyOf, Description, Error, Fault, FaultCode, MilestoneId, OrOther, OrganizationId,
        ProjectId, Timestamp, Title,
        input::{Defaulted, InputPlace, Patch, PatchField, Reading},
        sort::sort,
    },
    input, names, short_form,
};

/// A milestone of a project.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Milestone {
    pub id: MilestoneId,
    pub organization_id: OrganizationId,
    /// The project, which never changes.
    pub project_id: ProjectId,
    pub title: Title,
    pub description: Option<Description>,
    /// Not after `due_date`.
    pub start_date: Option<Timestamp>,
    /// Not before `start_date`.
    pub due_date: Option<Timestamp>,
    #[schema(value_type = MilestoneStatus)]
    pub status: OrOther<MilestoneStatus>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

input! {
    pub struct MilestoneFilter { status: Option<AnyOf<MilestoneStatus>> }

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
    example {
        "title": "First customers moved",
        "description": "Ten customers are billed by the new system alone.", "projectId": 1,
        "startDate": "2026-11-02T08:00:00Z", "dueDate": "2026-11-30T16:00:00Z",
    };

    /// A change of a milestone. An absent field is kept, null clears it.
    pub struct MilestoneUpdate {
        title: PatchField<Title>,
        description: Patch<Description>,
        /// Not after `dueDate`.
        start_date: Patch<Timestamp>,
        /// Not before `startDate`.
        due_date: Patch<Timestamp>,
        /// Any change is allowed.
        status: PatchField<MilestoneStatus>,
    }
    changes Milestone;
    check(start_date, due_date) stays_before_it_is_due;
    example {"status": "in_progress", "dueDate": "2026-12-15T16:00:00Z"};
}

const WRONG_ORDER: &str = "`startDate` must not be after `dueDate`.";

fn begins_before_it_is_due(
    start: Reading<&Option<Timestamp>>,
    due: Reading<&Option<Timestamp>>,
    body: &mut InputPlace<'_>,
) {
    if let (Some(Some(start)), Some(Some(due))) = (start, due)
        && start > due
    {
        body.at("startDate")
            .report(FaultCode::Order, WRONG_ORDER);
    }
}

fn stays_before_it_is_due(
    start: Reading<&Patch<Timestamp>>,
    due: Reading<&Patch<Timestamp>>,
    body: &mut InputPlace<'_>,
) {
    let new = |sent: Reading<&Patch<Timestamp>>| sent.map(|patch| patch.value().copied());
    begins_before_it_is_due(new(start).as_ref(), new(due).as_ref(), body);
}

impl Milestone {
    pub fn new(
        id: MilestoneId,
        tenant: OrganizationId,
        create: MilestoneCreate,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            organization_id: tenant,
            project_id: create.project_id,
            title: create.title,
            description: create.description,
            start_date: create.start_date,
            due_date: create.due_date,
            status: create.status.0.into(),
            created_at: now,
            updated_at: now,
        }
    }

    /// Changes the milestone. 400 if its start would be after its due date.
    pub fn change(&mut self, update: MilestoneUpdate) -> Result<(), Error> {
        let moved = if update.due_date.is_sent() {
            "dueDate"
        } else {
            "startDate"
        };
        update.apply(self);
        if self
            .due_date
            .is_some_and(|due| self.start_date > Some(due))
        {
            let fault = Fault::at(moved, FaultCode::Order, WRONG_ORDER);
            return Err(Error::invalid(fault));
        }
        Ok(())
    }
}

names! {
    /// The status of a milestone; any change is allowed.
    #[derive(Default)]
    pub enum MilestoneStatus = "a status" {
        Pending = default: "Not started.",
        InProgress: "In progress.",
        OnHold: "Paused.",
        Completed: "Reached.",
        Cancelled: "Abandoned.",
    }
}

short_form! {
    /// A milestone as part of a task.
    MilestoneRef of Milestone { id: MilestoneId, title: Title }
}

sort! {
    MilestoneSort = "dueDate": "Milestones: the most urgent first, those without a due date last; ties are broken by id.";
}
