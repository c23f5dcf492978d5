//! `GET /api/milestones/{id}`

use shared::{
    endpoint::*,
    http::PageLinks,
    model::{base::MilestoneId, work::Milestone},
    store::work::{LinkedTask, MilestoneWithTasks},
};

/// Returns a milestone with its first 200 tasks.
#[utoipa::path(get, path = "/api/milestones/{id}")]
pub async fn get_milestone(
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<MilestoneId>>,
) -> Result<Single<MilestoneWithTasksView>, Problem> {
    let milestones = caller.app.store.milestones();
    let milestone = milestones
        .get(&caller.reader(), id.known()?)
        .await?;
    let links = caller.links();
    Ok(Single(MilestoneWithTasksView::new(milestone, &links)))
}

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
    pub fn new(
        MilestoneWithTasks { milestone, tasks }: MilestoneWithTasks,
        links: &PageLinks,
    ) -> Self {
        let of_milestone = format!("milestoneId={}", milestone.id);
        let next = |place| links.url("/api/tasks", &of_milestone, place);
        Self {
            tasks_next: tasks.end.as_ref().map(next),
            tasks: tasks
                .rows
                .into_iter()
                .map(|row| row.record)
                .collect(),
            milestone: milestone.into(),
        }
    }
}
