//! The names of this crate's files: those of all endpoints, and its own.

pub(crate) use shared::endpoint::*;

pub(crate) use crate::{
    ResolutionAgent,
    actions::{OfSession, observe::Observations, view::AgentActionsPreviewed},
    connections::view::{BreakerView, ConnectionView, WithBreaker},
    journal::view::JournalEntryView,
    pause::view::PauseView,
    sessions::{
        action::Shown,
        row::AgentSessionRow,
        view::{
            AgentSessionOpened, AgentSessionProposed, AgentSessionSummary, AgentSessionView,
            ProposedSession,
        },
    },
};
