//! What an answer of a target system tells of the call's effect.

use chrono::DateTime;

use serde_json::Value;

use super::{AnswerCondition, ApiCall, Effect, facts::plain};
use crate::{JsonText, Timestamp, span};

/// An answer of a target system, as far as it tells.
#[derive(Clone, Copy, Debug)]
pub struct Reply<'a> {
    /// The status.
    pub status: u16,
    /// The body's `code`.
    pub code: Option<&'a str>,
    /// The body; null where there is none.
    pub body: &'a Value,
    /// The body is what a JSON API answers: JSON or nothing.
    pub is_well_formed: bool,
    /// It is the answer to an earlier call with the same key, given again.
    pub is_replay: bool,
    /// The system refuses a call whose key was used before.
    pub refuses_repeats: bool,
}

impl Reply<'_> {
    /// Whether a refusal is what every call gets whose key was used before. Who is not let in may be
    /// later, and then learns more.
    const fn is_of_a_key(&self) -> bool {
        self.refuses_repeats && !matches!(self.status, 401 | 403 | 407)
    }
}

impl ApiCall {
    /// Whether it may change something.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.method != "GET"
    }

    /// What an answer tells. `repeated` says that the call may have taken effect before: then a
    /// refusal concerns the repeat alone, and says nothing of the first call, unless it is that
    /// call's answer.
    ///
    /// 429 says that nothing was done, and of other statuses those that the playbook declares so.
    /// 503 and 425 do not: a proxy gives them when the system dies after its commit.
    ///
    /// Success is what the body says, where the call asks for that. An expected answer whose body says
    /// otherwise is a refusal: the system has dealt with the call, and it did not come to what it was to.
    /// One whose body says nothing there leaves it open, and so does 202 until its body tells of success: the
    /// system is at work on the call. What was done before is taken by its code,
    /// unless its body says otherwise too.
    ///
    /// What tells nothing and is the first call's own answer, or the refusal that each repeat gets, will
    /// tell nothing however often the call is sent.
    #[must_use]
    pub fn effect(&self, reply: Reply<'_>, repeated: bool) -> Effect {
        let is_expected = self.expect.contains(&reply.status) && reply.is_well_formed;
        let is_at_work = reply.status == 202;
        let was_done_before = self.was_done_before(reply);
        match self.succeeds(reply.body) {
            Some(true) if is_expected => return Effect::Done,
            Some(false) if (is_expected && !is_at_work) || was_done_before => {
                return if reply.is_replay || !repeated {
                    Effect::Refused
                } else {
                    self.unclear()
                };
            }
            _ if was_done_before => return Effect::DoneBefore,
            // Given again it is what it was, however often.
            _ if is_expected && is_at_work && reply.is_replay && self.changes() => {
                return Effect::Undecided;
            }
            _ if is_expected => return self.unclear(),
            _ => {}
        }
        let not_done = reply.status == 429 || self.not_done.contains(&reply.status);
        let refused = (400..500).contains(&reply.status) && !matches!(reply.status, 408 | 425);
        if not_done && !reply.is_replay {
            Effect::NotNow
        } else if (refused || not_done) && (reply.is_replay || !repeated) {
            Effect::Refused
        } else if self.changes()
            && (reply.is_replay || (repeated && refused && reply.is_of_a_key()))
        {
            Effect::Undecided
        } else {
            self.unclear()
        }
    }

    /// Whether a system answered as one does that works: it told what became of the call, whatever
    /// that was. An answer that is given again is one of a system that works now.
    #[must_use]
    pub fn is_clear(&self, reply: Reply<'_>) -> bool {
        let is_garbage = self.expect.contains(&reply.status) && !reply.is_well_formed;
        let is_trouble = reply.status >= 500 || matches!(reply.status, 408 | 425);
        reply.is_replay || !(is_trouble || is_garbage)
    }

    /// Whether a body says that the call succeeded: that it did not where one condition says so, and
    /// nothing where one finds nothing.
    fn succeeds(&self, body: &Value) -> Option<bool> {
        if self.success.iter().any(|one| one.is_denied(body)) {
            return Some(false);
        }
        let all = self.success.iter().all(|one| one.holds(body));
        all.then_some(true)
    }

    /// What is wrong with an answer that is no success although its status or code would be one: a stable
    /// name where its body says so. `shown` is as much of the body as may be seen. None when nothing is.
    #[must_use]
    pub fn unsuccessful(&self, reply: Reply<'_>, shown: &Value) -> Option<String> {
        let Reply { status, body, .. } = reply;
        let is = |one: &AnswerCondition| one.is.iter().map(plain).collect::<Vec<_>>().join(" or ");
        let denied = self.success.iter().find(|one| one.is_denied(body));
        if let Some(one) = denied {
            let found = shown.pointer(&one.at).map(plain);
            let found = found.map_or("something else".to_owned(), |found| {
                found.chars().take(100).collect()
            });
            let (at, is) = (&one.at, is(one));
            if status == 202 {
                return Some(format!(
                    "The target system has taken the call and is at work on it (202): {at} is {found} so \
                     far, where {is} means success."
                ));
            }
            return Some(format!(
                "not_successful: the target system answered {status}, but {at} is {found}, not {is}."
            ));
        }
        let silent = self.success.iter().find(|one| !one.holds(body))?;
        let (at, is) = (&silent.at, is(silent));
        Some(format!(
            "The target system answered {status}, and nothing at {at}, where {is} means success."
        ))
    }

    /// What is known of a call that the worker itself did not send, and never will.
    #[must_use]
    pub const fn unsendable(repeated: bool) -> Effect {
        if repeated {
            Effect::Unclear
        } else {
            Effect::Refused
        }
    }

    /// What is known when no answer tells: where nothing can have changed, that nothing did.
    #[must_use]
    pub fn unclear(&self) -> Effect {
        if self.changes() {
            Effect::Unclear
        } else {
            Effect::NotNow
        }
    }

    /// Whether an answer's status and code say that it was done before.
    #[must_use]
    pub fn was_done_before(&self, reply: Reply<'_>) -> bool {
        let before = |known: &super::AlreadyDone| {
            known.status == reply.status
                && (known.code.is_none() || known.code.as_deref() == reply.code)
        };
        self.already_done.iter().any(before)
    }
}

/// How long a target system asks to wait, in milliseconds: the `Retry-After` header (RFC 9110),
/// which has seconds or an instant. None for what does not read or is over.
#[must_use]
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

/// An answer of a target system as results keep it.
#[must_use]
pub fn answer(status: u16, body: serde_json::Value) -> JsonText {
    let members = [
        ("status".to_owned(), status.into()),
        ("body".to_owned(), body),
    ];
    JsonText(members.into_iter().collect())
}
