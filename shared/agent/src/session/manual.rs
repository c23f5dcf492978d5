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
        Category, Code, Description, Error, Reason, ServiceRequestId, Timestamp, Title, UserId,
        characters::on_one_line, input::Defaulted,
    },
    input,
    work::{Priority, ServiceRequestCreate},
};

use crate::{
    action::{ApiCall, Risk},
    check::quoted,
    journal::JournalEvent,
    session::{AgentSession, AgentSessionStatus, Handling, HandlingStatus, ProposedAction},
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
    /// Stores a user's handling of a manual action. Returns false for a repeat by the same user,
    /// which changes nothing. A session whose actions are all manual completes when each is done or
    /// waived. A handed-over action keeps the proposal from expiring.
    ///
    /// 404 for an id that is not one of its actions. 409 for an id of an earlier proposal, for an
    /// automated action, and for one that was handled before. 409 also in a session that is
    /// cancelled, expired or in analysis.
    pub fn handle(
        &mut self,
        action_id: &str,
        handling: Handling,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let status = self.status_at(now);
        let action = self.known_action(action_id)?;
        if action.is_automated {
            let detail = "The agent executes this action. Only manual actions are handed over.";
            return Err(Error::conflict(Code::ActionAutomated, detail));
        }
        if let Some(stands) = &action.handling {
            let of = |handling: &Handling| (handling.by, handling.status, handling.assignee_id);
            let is_repeat = of(stands) == of(&handling);
            return is_repeat
                .then_some(false)
                .ok_or_else(|| handled(stands));
        }
        match status {
            status if status.keeps_handlings() => {}
            AgentSessionStatus::Expired => return Err(Self::expired("Open another session")),
            _ => return Err(status.forbids("A manual action cannot be settled")),
        }
        self.takes(action_id, Some(handling), now);
        Ok(true)
    }

    /// Applies a change of the service request of a handed-over action. Returns the new handling,
    /// or the former one if it ends. None if nothing changes, for example after a new proposal. The
    /// handling changes in every session status. The session's status changes only while it waits
    /// for the action.
    pub fn request_changed(
        &mut self,
        action_id: &str,
        request: ServiceRequestId,
        change: RequestChange,
        by: Option<UserId>,
        now: Timestamp,
    ) -> Option<Handling> {
        let handling = self
            .proposed(action_id)?
            .handling
            .clone();
        let handling = handling.filter(|handling| handling.service_request_id == Some(request))?;
        let status = match (change, handling.status) {
            (RequestChange::Over, HandlingStatus::HandedOver) => Some(HandlingStatus::Done),
            (RequestChange::Reopened, HandlingStatus::Done) => Some(HandlingStatus::HandedOver),
            (RequestChange::Deleted, HandlingStatus::HandedOver) => None,
            _ => return None,
        };
        let next = status.map(|status| Handling {
            status,
            by,
            at: now,
            ..handling.clone()
        });
        self.takes(action_id, next.clone(), now);
        next.or(Some(handling))
    }

    /// Returns a proposed action. 404 for an id that was never assigned, 409 for one of an earlier
    /// proposal.
    pub fn known_action(&self, action_id: &str) -> Result<&ProposedAction, Error> {
        match self.proposed(action_id) {
            Some(action) => Ok(action),
            None if self.is_void(action_id) => Err(Self::superseded()),
            None => Err(Error::NotFound("action")),
        }
    }

    /// Stores the handling of an action and updates the session.
    fn takes(&mut self, action_id: &str, handling: Option<Handling>, now: Timestamp) {
        let status = self.status_at(now);
        if let Some(action) = self.proposed_mut(action_id) {
            action.handling = handling;
        }
        self.times.updated_at = now;
        if status != AgentSessionStatus::AwaitingConfirmation {
            self.recheck_alert(now);
            return;
        }
        let actions = &self.plan.proposed_actions;
        let is_open = |action: &ProposedAction| {
            action
                .handling
                .as_ref()
                .is_some_and(Handling::is_open)
        };
        let is_over = |action: &ProposedAction| {
            !action.is_automated && action.handling.is_some() && !is_open(action)
        };
        if actions.iter().all(is_over) {
            self.end(AgentSessionStatus::Completed, now);
            self.recheck_alert(now);
            return;
        }
        // Until this change, the session may have waited for a handed-over action.
        let due = self
            .times
            .due_at
            .unwrap_or(now.plus(Self::CONFIRMATION));
        self.times.due_at = (!actions.iter().any(is_open)).then_some(due);
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

fn handled(stands: &Handling) -> Error {
    let how = match stands.status {
        HandlingStatus::Done => "done".to_owned(),
        HandlingStatus::Waived => "waived".to_owned(),
        HandlingStatus::HandedOver => stands.service_request_id.map_or_else(
            || "handed over".to_owned(),
            |id| format!("handed over with service request {id}; it is done when that is resolved"),
        ),
    };
    let detail = format!("The action is already {how}.");
    Error::conflict(Code::AlreadyHandled, detail)
}
