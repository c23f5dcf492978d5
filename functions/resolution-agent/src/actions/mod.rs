//! Operations on single actions of a session: preview, settlement and handover.

pub mod hand_over;
pub(crate) mod observe;
pub mod preview;
pub mod settle;
pub mod view;

use shared::{agent::session::ProposedAction, endpoint::*, model::base::AgentSessionId};

pub type OfSession = Path<(PathId<AgentSessionId>, PathName<ProposedAction>)>;
