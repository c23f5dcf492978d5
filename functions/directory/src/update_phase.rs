//! `PATCH /api/phases/{id}`

use shared::endpoint::*;
use shared::model::{Phase, PhaseId, PhaseUpdate};

/// Updates a phase.
#[utoipa::path(patch, path = "/api/phases/{id}")]
pub async fn update_phase(
    State(app): State<App>,
    caller: Caller<need::ManageDirectory>,
    Path(id): Path<PathId<PhaseId>>,
    Body(update): Body<PhaseUpdate>,
) -> Result<Single<Shown<Phase>>, Problem<ConcurrentChange>> {
    let directory = app.store.directory();
    let phase = directory.update_phase(caller.pending_write(), id.known()?, update);
    Ok(Single(phase.await?.into()))
}
