//! `PATCH /api/phases/{id}`

use shared::{
    endpoint::*,
    model::{
        base::PhaseId,
        work::{Phase, PhaseUpdate},
    },
};

/// Updates a phase.
#[utoipa::path(patch, path = "/api/phases/{id}")]
pub async fn update_phase(
    caller: Caller<need::ManageDirectory>,
    Path(id): Path<PathId<PhaseId>>,
    Body(update): Body<PhaseUpdate>,
) -> Result<Single<Shown<Phase>>, Problem<ConcurrentChange>> {
    let directory = caller.app.store.directory();
    let phase = directory.update_phase(caller.write(), id.known()?, update);
    Ok(Single(phase.await?.into()))
}
