//! `PATCH /api/activities/{id}`

use shared::{
    endpoint::*,
    model::{base::ActivityId, work::ActivityUpdate},
    store::work::TaggedActivity,
};

/// Updates an activity.
///
/// A new `timestamp` moves it in the lists. Users may update the activities that they recorded;
/// other users need the permission `manage_milestones`.
#[utoipa::path(patch, path = "/api/activities/{id}")]
pub async fn update_activity(
    caller: Caller<need::OwnOr<need::ManageMilestones>>,
    Path(id): Path<PathId<ActivityId>>,
    Body(update): Body<ActivityUpdate>,
) -> Result<Single<TaggedActivity>, Problem<ConcurrentChange>> {
    let activities = caller.app.store.activities();
    let may = async |creator| caller.created_or_may(creator).await;
    let activity = activities.update(caller.write(), id.known()?, update, may);
    Ok(Single(activity.await?))
}
