use shared::endpoint::*;
use shared::model::Milestone;
use shared::store::{LinkedTask, MilestoneWithTasks};

// By this name, the schema's derive takes it as a type of its own.
type ShownMilestone = Shown<Milestone>;

versioned!(MilestoneWithTasksView: milestone);

/// A milestone with its tasks.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MilestoneWithTasks)]
#[serde(rename_all = "camelCase")]
pub struct MilestoneWithTasksView {
    #[serde(flatten)]
    milestone: ShownMilestone,
    /// The first 200 tasks of the milestone, by id.
    tasks: Vec<LinkedTask>,
    /// The URL of the other tasks; null if there are no more.
    tasks_next: Option<String>,
}

impl MilestoneWithTasksView {
    /// Returns the view; `links` makes the URL of further tasks.
    pub fn new(MilestoneWithTasks { milestone, tasks }: MilestoneWithTasks, links: &Links) -> Self {
        let of_milestone = format!("milestoneId={}", milestone.id);
        let next = |place| links.url("/api/tasks", &of_milestone, place);
        Self {
            tasks_next: tasks.end.as_ref().map(next),
            tasks: tasks.rows.into_iter().map(|row| row.record).collect(),
            milestone: milestone.into(),
        }
    }
}
