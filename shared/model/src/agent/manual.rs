//! Manual actions: what people say that became of them.
//!
//! ```text
//!             done
//!     ┌───────────────────────────────────────────▶ done
//!     │                                             ▲  │
//!     │                 request resolved or closed  │  │  request opened again
//!     │                                             │  ▼
//! untouched ──────────── hand over ──────────────▶ handed_over
//!     │  ▲                                          │
//!     │  └────────────── request deleted ───────────┘
//!     │       waive
//!     └───────────────────────────────────────────▶ waived
//! ```
//!
//! The first word of a person counts. What was handed over is its service request's to settle, for as
//! long as there is that request.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AgentSession, AgentSessionStatus, ProposedAction, Risk, proposal::ACTION};
use crate::{
    AgentSessionId, Category, Code, Description, Error, JournalEvent, Priority, Reason,
    ServiceRequestCreate, ServiceRequestId, Timestamp, Title, UserId, input, input::Defaulted,
};

input! {
    /// What a client sends of a manual action that somebody has done.
    pub struct ActionDone {
        /// What was done.
        note: Reason,
    }
}

input! {
    /// What a client sends to have a manual action left undone.
    pub struct ActionWaive {
        /// Why nobody has to do it.
        reason: Reason,
    }
}

input! {
    /// What a client sends to have somebody do a manual action.
    pub struct ActionHandOver {
        /// Who is to do it: a user of the organization.
        assignee_id: UserId,
        /// What else they have to know.
        note: Option<Reason>,
    }
}

/// What became of a manual action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Handling {
    /// Where it stands.
    pub status: HandlingStatus,
    /// Who said so last; null where the service itself did.
    pub by: Option<UserId>,
    /// When that was.
    pub at: Timestamp,
    /// What they had to say.
    pub note: Option<String>,
    /// The service request that it was handed over with.
    pub service_request_id: Option<ServiceRequestId>,
    /// Who was asked then; whose it is now, the service request says.
    pub assignee_id: Option<UserId>,
}

/// Where a manual action stands of which somebody took care.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum HandlingStatus {
    /// Somebody did it.
    Done,
    /// Nobody has to do it.
    Waived,
    /// Somebody was asked to do it, by a service request that is not resolved.
    HandedOver,
}

/// The manual action that a service request was raised for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActionRef {
    /// Its session.
    pub session_id: AgentSessionId,
    /// The action.
    pub action_id: String,
}

/// What became of the service request that a manual action was handed over with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestTurn {
    /// It was resolved or closed.
    Over,
    /// It was opened again.
    Reopened,
    /// It was deleted.
    Deleted,
}

impl Handling {
    /// What somebody says of an action now.
    #[must_use]
    pub fn new(status: HandlingStatus, by: UserId, note: Option<String>, at: Timestamp) -> Self {
        Self {
            status,
            by: Some(by),
            at,
            note,
            service_request_id: None,
            assignee_id: None,
        }
    }

    const fn is_open(&self) -> bool {
        matches!(self.status, HandlingStatus::HandedOver)
    }
}

impl HandlingStatus {
    /// What the journal calls it.
    #[must_use]
    pub const fn event(self) -> JournalEvent {
        match self {
            Self::Done => JournalEvent::DoneByHand,
            Self::Waived => JournalEvent::Waived,
            Self::HandedOver => JournalEvent::HandedOver,
        }
    }
}

impl RequestTurn {
    /// What the journal calls it.
    #[must_use]
    pub const fn event(self) -> JournalEvent {
        match self {
            Self::Over => JournalEvent::DoneByHand,
            Self::Reopened => JournalEvent::HandOverReopened,
            Self::Deleted => JournalEvent::HandOverWithdrawn,
        }
    }
}

impl AgentSession {
    /// Notes what somebody says of a manual action. Answers whether it is news: the same person's same
    /// word again changes nothing. A session whose actions are all manual completes when each is done
    /// or waived; what is handed over keeps the proposal from expiring.
    ///
    /// 404 for an id that is none of its actions', 409 for one of an earlier proposal, for an action
    /// that the agent executes, for one of which somebody took care before, and in a session that was
    /// cancelled, expired, or is being analysed.
    pub fn handle(
        &mut self,
        action_id: &str,
        handling: Handling,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let status = self.status_at(now);
        let action = self.known_action(action_id)?;
        if action.is_automated {
            return Err(Error::conflict(
                Code::ActionAutomated,
                "The agent executes this action; only manual ones are done, waived or handed over.",
            ));
        }
        if let Some(stands) = &action.handling {
            let is_the_same = stands.by == handling.by
                && stands.status == handling.status
                && stands.assignee_id == handling.assignee_id;
            return if is_the_same {
                Ok(false)
            } else {
                Err(taken_care_of(stands))
            };
        }
        match status {
            AgentSessionStatus::AwaitingConfirmation
            | AgentSessionStatus::Executing
            | AgentSessionStatus::Completed
            | AgentSessionStatus::Failed => {}
            AgentSessionStatus::Expired => return Err(Self::expired("open another session")),
            _ => return Err(status.forbids("A manual action cannot be settled")),
        }
        self.takes(action_id, Some(handling), now);
        Ok(true)
    }

    /// Notes what became of the service request that one of its actions was handed over with. Answers
    /// how the action was handled from then on, or until then; none where that is no news: a request
    /// whose action was proposed anew is none of its business any more. Wherever the session stands, it
    /// is so; only a status that waits for it changes.
    pub fn request_turned(
        &mut self,
        action_id: &str,
        request: ServiceRequestId,
        turn: RequestTurn,
        by: Option<UserId>,
        now: Timestamp,
    ) -> Option<Handling> {
        let mut actions = self.proposed_actions.iter();
        let action = actions.find(|action| action.id == action_id);
        let handling = action.and_then(|action| action.handling.clone());
        let handling = handling.filter(|one| one.service_request_id == Some(request))?;
        let turned = |status| {
            Some(Handling {
                status,
                by,
                at: now,
                ..handling.clone()
            })
        };
        let next = match (turn, handling.status) {
            (RequestTurn::Over, HandlingStatus::HandedOver) => turned(HandlingStatus::Done),
            (RequestTurn::Reopened, HandlingStatus::Done) => turned(HandlingStatus::HandedOver),
            (RequestTurn::Deleted, HandlingStatus::HandedOver) => None,
            _ => return None,
        };
        self.takes(action_id, next.clone(), now);
        next.or(Some(handling))
    }

    /// Until when its automated actions can be approved: no longer than the day that a proposal has,
    /// however long a manual one keeps the session. None while it does not await confirmation.
    #[must_use]
    pub fn approvable_until(&self, now: Timestamp) -> Option<Timestamp> {
        let awaits = self.status_at(now) == AgentSessionStatus::AwaitingConfirmation;
        let until = self.approvable_until.or(self.due_at);
        until.filter(|until| awaits && now < *until)
    }

    /// A proposed action. 404 for an id that never was one's, 409 for one of an earlier proposal.
    pub(super) fn known_action(&self, action_id: &str) -> Result<&ProposedAction, Error> {
        match self.proposed(action_id) {
            Some(action) => Ok(action),
            None if self.is_void(action_id) => Err(Self::superseded()),
            None => Err(Error::NotFound(ACTION)),
        }
    }

    /// Keeps what became of an action, and what follows for the session.
    fn takes(&mut self, action_id: &str, handling: Option<Handling>, now: Timestamp) {
        let status = self.status_at(now);
        let mut actions = self.proposed_actions.iter_mut();
        if let Some(action) = actions.find(|action| action.id == action_id) {
            action.handling = handling;
        }
        self.updated_at = now;
        if status != AgentSessionStatus::AwaitingConfirmation {
            return;
        }
        let mut actions = self.proposed_actions.iter();
        let is_over = |action: &ProposedAction| {
            let handling = action.handling.as_ref();
            !action.is_automated && handling.is_some_and(|handling| !handling.is_open())
        };
        if actions.all(is_over) {
            self.turn(AgentSessionStatus::Completed, None, now);
            return;
        }
        let handlings = self.proposed_actions.iter();
        let mut handlings = handlings.filter_map(|action| action.handling.as_ref());
        self.due_at = if handlings.any(Handling::is_open) {
            None
        } else {
            // It waited for somebody until now.
            Some(self.due_at.unwrap_or(now.plus(Self::CONFIRMATION)))
        };
    }
}

impl ProposedAction {
    /// The service request that asks somebody to do it.
    pub fn as_request(
        &self,
        session: &AgentSession,
        note: Option<&str>,
    ) -> Result<ServiceRequestCreate, Error> {
        let text = |error| Error::internal("writing a service request for an action", error);
        let title = cut(
            &format!("Alert {}: {}", session.alert_id, self.description),
            Title::MOST,
        );
        let description = cut(&self.in_words(session, note), Description::MOST);
        let category = cut(&self.target_system, Category::MOST);
        Ok(ServiceRequestCreate {
            title: Title::try_from(title).map_err(text)?,
            description: Some(Description::try_from(description).map_err(text)?),
            priority: Defaulted(match self.risk {
                Risk::Critical => Priority::Urgent,
                Risk::High => Priority::High,
                Risk::Low | Risk::Medium => Priority::Medium,
            }),
            category: Some(Category::try_from(category).map_err(text)?),
            reference_type: None,
            reference_id: None,
        })
    }

    fn in_words(&self, session: &AgentSession, note: Option<&str>) -> String {
        let mut lines = vec![self.description.clone()];
        lines.extend(note.map(|note| format!("\n{note}")));
        if let Some(analysis) = &session.analysis {
            lines.push(format!("\nCause: {}", analysis.root_cause));
            lines.push(format!("Impact: {}", analysis.impact));
        }
        lines.push(format!("\nSystem: {}", self.target_system));
        if !self.target_entities.is_empty() {
            lines.push(format!("Records: {}", self.target_entities.join(", ")));
        }
        lines.push(format!("Afterwards: {}", self.expected_outcome));
        lines.push("\nSteps:".to_owned());
        for step in &self.steps {
            let call = step.call.as_ref().map(super::ApiCall::summary);
            let call = call.map(|call| format!(" ({call})")).unwrap_or_default();
            lines.push(format!("{}. {}{call}", step.order, step.description));
        }
        lines.push(format!(
            "\nAction {} of agent session {} on alert {}. When this request is resolved or closed, the \
             action counts as done.",
            self.id, session.id, session.alert_id
        ));
        lines.join("\n")
    }
}

/// The first characters of a text that may be too long.
fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

fn taken_care_of(stands: &Handling) -> Error {
    let how = match stands.status {
        HandlingStatus::Done => "done".to_owned(),
        HandlingStatus::Waived => "waived".to_owned(),
        HandlingStatus::HandedOver => match stands.service_request_id {
            Some(id) => {
                format!("handed over with service request {id}, and done when that is resolved")
            }
            None => "handed over".to_owned(),
        },
    };
    Error::conflict(Code::AlreadyHandled, format!("The action is {how}."))
}
