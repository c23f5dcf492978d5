//! The result of a call, as derived from the target system's response.

use chrono::DateTime;
use model::base::{Timestamp, span};
use serde_json::{Value, json};

use crate::{
    action::StepStatus,
    connection::{AnswerCondition, ApiCall, Excerpt, values::plain},
};

/// The effect of a call, as far as its answer tells, or the lack of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Effect {
    /// Took place.
    Done,
    /// Had already taken place.
    DoneBefore,
    /// Did not take place and will not.
    Refused,
    /// Did not take place, but may later.
    NotNow,
    /// May have taken place.
    Unclear,
    /// May have taken place, and no repeat of the call will tell.
    Undecided,
    /// The system says that it is under way. A later read tells.
    UnderWay,
}

impl From<Effect> for StepStatus {
    fn from(effect: Effect) -> Self {
        match effect {
            Effect::Done => Self::Done,
            Effect::DoneBefore => Self::DoneBefore,
            Effect::Refused => Self::Refused,
            Effect::NotNow => Self::NotNow,
            Effect::Unclear | Effect::Undecided | Effect::UnderWay => Self::Unclear,
        }
    }
}

/// A response of a target system, without secrets.
#[derive(Clone, Debug, Default)]
pub struct Response {
    pub status: u16,
    pub code: Option<String>,
    /// The body: JSON, a text if it is not JSON, or null if it is empty or broke off.
    pub body: Value,
    pub form: BodyForm,
    /// The response is a replay of the one to an earlier call with the same key.
    pub is_replay: bool,
    /// The system refuses every repeat of an idempotency key.
    pub refuses_repeats: bool,
    pub retry_after: Option<String>,
    /// The part that may be stored.
    pub excerpt: Excerpt,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BodyForm {
    /// JSON or empty, as a JSON API responds.
    #[default]
    Json,
    /// Something else than JSON.
    Text,
    /// Over 1 MiB: not read to its end, and taken for JSON.
    TooLarge,
    Broken(String),
}

impl Response {
    const fn is_well_formed(&self) -> bool {
        matches!(self.form, BodyForm::Json | BodyForm::TooLarge)
    }
}

/// The result of one call, from the wire to the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct CallResult {
    /// The instant of the response, or of the failure.
    pub at: Timestamp,
    pub effect: Effect,
    /// The problem; empty if there is none.
    pub problem: String,
    pub response: Option<Excerpt>,
    /// The wait that the target system requests, in milliseconds.
    pub retry_after: Option<i64>,
    /// True if the system responded like a working system; none if no call reached it.
    pub is_clear: Option<bool>,
}

impl CallResult {
    /// Creates a result without a response. No call reached the system.
    pub fn unsent(effect: Effect, problem: impl Into<String>, at: Timestamp) -> Self {
        Self {
            at,
            effect,
            problem: problem.into(),
            response: None,
            retry_after: None,
            is_clear: None,
        }
    }

    /// Creates the result of a system that gave no response.
    pub fn unanswered(effect: Effect, problem: String, at: Timestamp) -> Self {
        Self {
            is_clear: Some(false),
            ..Self::unsent(effect, problem, at)
        }
    }

    /// Creates the result that a response gives. `repeated` is as in [`ApiCall::effect`].
    pub fn of(call: &ApiCall, response: Response, repeated: bool, at: Timestamp) -> Self {
        let effect = call.effect(&response, repeated);
        let header = response.retry_after.as_deref();
        let is_whole = !matches!(response.form, BodyForm::Broken(_));
        let problem = match effect {
            Effect::Done | Effect::DoneBefore => String::new(),
            _ => call.problem(&response),
        };
        Self {
            at,
            effect,
            retry_after: header.and_then(|header| retry_after(header, at)),
            is_clear: Some(is_whole && call.is_clear(&response)),
            problem,
            response: Some(response.excerpt),
        }
    }

    /// Returns the details of the journal entry about a step.
    pub(crate) fn detail(&self, step: i64) -> Value {
        let response = self.response.as_ref();
        let effect: &str = self.effect.into();
        json!({
            "step": step,
            "effect": effect,
            "problem": Some(&self.problem).filter(|problem| !problem.is_empty()),
            "response": response.map(|response| {
                json!({ "status": response.status, "excerpt": response.hash() })
            }),
        })
    }
}

impl ApiCall {
    /// Returns the effect of the call, as far as a response tells.
    ///
    /// `repeated` says that the call may have taken effect before. A refusal then concerns the
    /// repeat alone and says nothing about the first call, unless it is a replay of the first
    /// answer.
    ///
    /// - 429 proves that nothing was done.
    /// - 503 and 425 prove nothing: a proxy returns them when the system dies after its commit.
    /// - Conditions on the body decide success, where the call has them.
    /// - An expected status whose body denies success is a refusal: the system has handled the
    ///   call, and it failed.
    /// - An expected status whose body says so is under way: a later read tells.
    /// - An expected status whose body lacks the value is undecided: a repeat would get the same
    ///   answer.
    /// - 202 is unclear until its body tells of success: the system is still at work.
    /// - An effect that was already there is recognized by its status and code, unless the body
    ///   denies success.
    ///
    /// An unclear replay, or the refusal that every repeat gets, is undecided: another repeat
    /// cannot tell more.
    pub fn effect(&self, response: &Response, repeated: bool) -> Effect {
        let is_expected = self.expect.contains(&response.status) && response.is_well_formed();
        let is_at_work = response.status == 202;
        let was_done_before = self.was_done_before(response);
        // A repeat could not tell more than a later read.
        if is_expected && self.changes() && self.is_pending(&response.body) {
            return Effect::UnderWay;
        }
        match self.succeeds(&response.body) {
            Some(true) if is_expected => return Effect::Done,
            Some(false) if (is_expected && !is_at_work) || was_done_before => {
                return if response.is_replay || !repeated {
                    Effect::Refused
                } else {
                    self.unclear()
                };
            }
            _ if was_done_before => return Effect::DoneBefore,
            // A replay does not change, however often the call is sent.
            _ if is_expected && is_at_work && response.is_replay && self.changes() => {
                return Effect::Undecided;
            }
            // A whole answer would be the same after a repeat. A later read tells more.
            _ if is_expected && !is_at_work && self.changes() => return Effect::Undecided,
            _ if is_expected => return self.unclear(),
            _ => {}
        }
        let not_done = response.status == 429;
        let refused =
            (400..500).contains(&response.status) && !matches!(response.status, 408 | 425);
        // Every repeat of a key may get it. A missing authorization may be granted later, and the
        // call then tells more.
        let is_of_a_key = response.refuses_repeats && !matches!(response.status, 401 | 403 | 407);
        if not_done && !response.is_replay {
            Effect::NotNow
        } else if (refused || not_done) && (response.is_replay || !repeated) {
            Effect::Refused
        } else if self.changes() && (response.is_replay || (repeated && refused && is_of_a_key)) {
            Effect::Undecided
        } else {
            self.unclear()
        }
    }

    /// True if the system answered like a working system: the answer tells the call's result, good
    /// or bad. A replay counts, since the system works at this time.
    pub fn is_clear(&self, response: &Response) -> bool {
        let is_garbage = self.expect.contains(&response.status) && !response.is_well_formed();
        let is_trouble = response.status >= 500 || matches!(response.status, 408 | 425);
        response.is_replay || !(is_trouble || is_garbage)
    }

    /// True if a body says that the call is under way, and denies nothing.
    fn is_pending(&self, body: &Value) -> bool {
        let any = |is: fn(&AnswerCondition, &Value) -> bool| {
            self.success
                .iter()
                .any(|condition| is(condition, body))
        };
        any(AnswerCondition::is_pending) && !any(AnswerCondition::is_denied)
    }

    /// Returns whether a body means success. False if one condition is denied; none if a condition
    /// finds no value.
    fn succeeds(&self, body: &Value) -> Option<bool> {
        if self
            .success
            .iter()
            .any(|condition| condition.is_denied(body))
        {
            return Some(false);
        }
        let all_hold = self
            .success
            .iter()
            .all(|condition| condition.holds(body));
        all_hold.then_some(true)
    }

    /// Returns why a response is no success although its status or code would be one, with a stable
    /// name if its body says so. None if nothing is wrong.
    pub fn unsuccessful(&self, response: &Response) -> Option<String> {
        let Response { status, body, .. } = response;
        let is = |condition: &AnswerCondition| {
            condition
                .is
                .iter()
                .map(plain)
                .collect::<Vec<_>>()
                .join(" or ")
        };
        let value_at = |at: &str| {
            body.pointer(at)
                .map(plain)
                .unwrap_or_default()
        };
        if let Some(AnswerCondition { at, .. }) = self
            .success
            .iter()
            .find(|condition| condition.is_pending(body))
        {
            let value = value_at(at);
            return Some(format!(
                "The target system answered {status}, and the call is under way: {at} is {value}."
            ));
        }
        if let Some(condition) = self
            .success
            .iter()
            .find(|condition| condition.is_denied(body))
        {
            let at = &condition.at;
            let is = is(condition);
            let value: String = value_at(at).chars().take(100).collect();
            if *status == 202 {
                return Some(format!(
                    "The target system has taken the call and is at work on it (202): {at} is {value} so \
                     far, where {is} means success."
                ));
            }
            return Some(format!(
                "not_successful: the target system answered {status}, but {at} is {value}, not {is}."
            ));
        }
        let unread = self
            .success
            .iter()
            .find(|condition| !condition.holds(body))?;
        let at = &unread.at;
        let is = is(unread);
        Some(format!(
            "The target system answered {status}, and nothing at {at}, where {is} means success."
        ))
    }

    fn problem(&self, response: &Response) -> String {
        if let BodyForm::Broken(broken) = &response.form {
            return broken.clone();
        }
        let status = response.status;
        let is_expected = self.expect.contains(&status);
        if is_expected && !response.is_well_formed() {
            return format!("The target system answered {status} with something else than JSON.");
        }
        let unsuccessful = self.unsuccessful(response);
        let unsuccessful = unsuccessful.filter(|_| is_expected || self.was_done_before(response));
        unsuccessful.unwrap_or_else(|| format!("The target system answered {status}."))
    }

    /// Returns the effect of a call that was rejected before sending and will never be sent.
    pub const fn unsendable(repeated: bool) -> Effect {
        if repeated {
            Effect::Unclear
        } else {
            Effect::Refused
        }
    }

    /// Returns the effect without a telling answer. A call that changes nothing had none.
    pub fn unclear(&self) -> Effect {
        if self.changes() {
            Effect::Unclear
        } else {
            Effect::NotNow
        }
    }

    /// True if a response's status and code mean that it was already done.
    pub fn was_done_before(&self, response: &Response) -> bool {
        let before = |already_done: &crate::connection::AlreadyDone| {
            already_done.status == response.status
                && (already_done.code.is_none() || already_done.code == response.code)
        };
        self.already_done.iter().any(before)
    }
}

/// Returns the wait in milliseconds that a `Retry-After` header (RFC 9110) asks for, given in
/// seconds or as an instant. None for an invalid value or a past instant.
pub fn retry_after(header: &str, now: Timestamp) -> Option<i64> {
    let header = header.trim();
    let wait = if let Ok(seconds) = header.parse::<u32>() {
        i64::from(seconds) * span::SECOND
    } else {
        let at = DateTime::parse_from_rfc2822(header).ok()?;
        at.timestamp_millis() - now.millis()
    };
    (wait > 0).then_some(wait)
}
