//! Operations on single actions of a session: preview, settlement and handover.

pub mod hand_over;
pub(crate) mod observe;
pub mod preview;
pub mod settle;
mod view;

use shared::{
    agent::session::ProposedAction,
    http::{Path, PathId, PathName},
    model::AgentSessionId,
};

type OfSession = Path<(PathId<AgentSessionId>, PathName<ProposedAction>)>;
