//! Operations on single actions of a session: preview, verdict, and manual outcomes.

pub mod done;
pub mod hand_over;
mod look;
pub mod preview;
pub mod verdict;
mod view;
pub mod waive;

use shared::{
    agent::ProposedAction,
    http::{
        Path, PathId, PathName,
        refusal::{
            ActionAutomated, AlreadyHandled, ConcurrentChange, InvalidTransition,
            ProposalSuperseded, SessionExpired,
        },
    },
    model::AgentSessionId,
};

/// The path of an action of a session.
type OfSession = Path<(PathId<AgentSessionId>, PathName<ProposedAction>)>;

/// Refusals of a manual action's outcome.
type NotHandled = (
    ActionAutomated,
    AlreadyHandled,
    ProposalSuperseded,
    SessionExpired,
    InvalidTransition,
    ConcurrentChange,
);
