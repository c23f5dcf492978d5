//! Handling of manual actions by people.
//!
//! ```text
//!             settle as done
//!     ┌───────────────────────────────────────────▶ done
//!     │                                             ▲  │
//!     │                 request resolved or closed  │  │  request opened again
//!     │                                             │  ▼
//! untouched ──────────── hand over ──────────────▶ handed_over
//!     │  ▲                                          │
//!     │  └────────────── request deleted ───────────┘
//!     │       settle as waived
//!     └───────────────────────────────────────────▶ waived
//! ```
//!
//! The first handling counts. A handed-over action follows its service request for as long as that
//! exists.

use model::{
    base::{
        Category, Description, Error, Reason, Title, UserId, characters::on_one_line,
        input::Defaulted,
    },
    input,
    work::{Priority, ServiceRequestCreate},
};

use crate::{
    action::Risk,
    connection::{ApiCall, quoted},
    journal::JournalEvent,
    session::{AgentSession, HandlingStatus, ProposedAction, superseded},
};

input! {
    pub struct ActionHandOver {
        /// The assignee: a user of the organization.
        assignee_id: UserId,
        /// Additional information for the assignee.
        note: Option<Reason>,
    }
    example {"assigneeId": 1, "note": "Please call before Monday."};
}

/// A change of the service request of a handed-over action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestChange {
    /// Resolved or closed.
    Over,
    Reopened,
    Deleted,
}

impl HandlingStatus {
    pub const fn event(self) -> JournalEvent {
        match self {
            Self::Done => JournalEvent::DoneByHand,
            Self::Waived => JournalEvent::Waived,
            Self::HandedOver => JournalEvent::HandedOver,
        }
    }
}

impl RequestChange {
    pub const fn event(self) -> JournalEvent {
        match self {
            Self::Over => JournalEvent::DoneByHand,
            Self::Reopened => JournalEvent::HandOverReopened,
            Self::Deleted => JournalEvent::HandOverWithdrawn,
        }
    }
}

impl AgentSession {
    /// Returns a proposed action. 404 for an id that was never assigned, 409 for one of an earlier
    /// proposal.
    pub fn known_action(&self, action_id: &str) -> Result<&ProposedAction, Error> {
        match self.plan.proposed(action_id) {
            Some(action) => Ok(action),
            None if self.is_void(action_id) => Err(superseded()),
            None => Err(Error::NotFound("action")),
        }
    }
}

impl ProposedAction {
    /// Creates the service request that asks a user to do it.
    pub fn as_request(
        &self,
        session: &AgentSession,
        note: Option<&str>,
    ) -> Result<ServiceRequestCreate, Error> {
        let text =
            |error| Error::internal("creating the service request of a manual action", error);
        let content = &self.content;
        let title = format!("Alert {}: {}", session.alert.alert_id, content.description);
        let title = on_one_line(&cut(&title, Title::MOST));
        let description = cut(&self.in_words(session, note), Description::MOST);
        let category = on_one_line(&cut(&content.target_system, Category::MOST));
        Ok(ServiceRequestCreate {
            title: title.try_into().map_err(text)?,
            description: Some(description.try_into().map_err(text)?),
            priority: Defaulted(match content.risk {
                Risk::Critical => Priority::Urgent,
                Risk::High => Priority::High,
                Risk::Low | Risk::Medium => Priority::Medium,
            }),
            category: Some(category.try_into().map_err(text)?),
            reference_type: None,
            reference_id: None,
            customer_id: None,
        })
    }

    fn in_words(&self, session: &AgentSession, note: Option<&str>) -> String {
        let mut lines = vec![self.content.description.clone()];
        lines.extend(note.map(|note| format!("\n{note}")));
        if let Some(analysis) = &session.analysis.newest {
            lines.push(format!("\nCause: {}", analysis.root_cause));
            lines.push(format!("Impact: {}", analysis.impact));
        }
        lines.push(format!("\nSystem: {}", self.content.target_system));
        if !self.content.records.is_empty() {
            let records: Vec<String> = self
                .content
                .records
                .iter()
                .map(|record| quoted(record))
                .collect();
            lines.push(format!("Records: {}", records.join(", ")));
        }
        lines.push(format!("Afterwards: {}", self.content.expected_outcome));
        lines.push("\nSteps:".to_owned());
        for step in &self.content.steps {
            let call = step.call.as_ref().map(ApiCall::summary);
            let call = call
                .map(|call| format!(" ({call})"))
                .unwrap_or_default();
            lines.push(format!("{}. {}{call}", step.order, step.description));
        }
        lines.push(format!(
            "\nAction {} of agent session {} on alert {}. When this request is resolved or closed, the \
             action counts as done.",
            self.id, session.id, session.alert.alert_id
        ));
        lines.join("\n")
    }
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
