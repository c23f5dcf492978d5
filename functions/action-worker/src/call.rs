//! One call of a target system, and the meaning of its answer.

use std::time::Duration;

use agent::{ApiCall, Connection, Effect, Excerpt, Replays, Reply, retry_after};
use model::Timestamp;
use reqwest::header::RETRY_AFTER;
use serde_json::Value;
use targets::{Answered, NoAnswer, Targets};

/// The result of a call.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The known effect.
    pub(crate) effect: Effect,
    /// The target system's answer.
    pub(crate) response: Option<Excerpt>,
    /// The problem in words; empty if there is none.
    pub(crate) problem: String,
    /// The wait that the target system asks for, in milliseconds.
    pub(crate) retry_after: Option<i64>,
    /// True if the system answered like a working system; none if no call reached it.
    pub(crate) is_clear: Option<bool>,
}

/// Parameters of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sending<'a> {
    /// Its idempotency key.
    pub(crate) key: &'a str,
    /// The timeout, including the answer.
    pub(crate) timeout: Duration,
    /// True if it may have been sent before with this key.
    pub(crate) is_repeated: bool,
    /// The current time, for instants in the answer.
    pub(crate) now: Timestamp,
}

impl Answer {
    fn new(effect: Effect, response: Option<Excerpt>, problem: impl Into<String>) -> Self {
        Self {
            effect,
            response,
            problem: problem.into(),
            retry_after: None,
            is_clear: None,
        }
    }

    /// Creates the result of a system that gave no answer.
    fn none(effect: Effect, why: &NoAnswer) -> Self {
        Self {
            is_clear: Some(false),
            ..Self::new(effect, None, why.problem())
        }
    }
}

/// Sends a call.
pub(crate) async fn send(
    targets: &Targets,
    connection: &Connection,
    call: &ApiCall,
    sending: Sending<'_>,
) -> Answer {
    let with = targets::Sending {
        key: Some(sending.key),
        timeout: sending.timeout,
    };
    match targets.send(connection, call, with).await {
        Ok(answered) => read(connection, call, answered, sending).await,
        Err(NoAnswer::Unsendable(problem)) => {
            let unsendable = ApiCall::unsendable(sending.is_repeated);
            Answer::new(unsendable, None, problem)
        }
        Err(NoAnswer::NotSent(problem)) => Answer::new(Effect::NotNow, None, problem),
        Err(nobody @ NoAnswer::Unreachable) => Answer::none(Effect::NotNow, &nobody),
        Err(broken @ NoAnswer::BrokenOff(_)) => Answer::none(call.unclear(), &broken),
    }
}

async fn read(
    connection: &Connection,
    call: &ApiCall,
    answered: Answered,
    sending: Sending<'_>,
) -> Answer {
    let response = &answered.response;
    let status = response.status().as_u16();
    let header = |name: &str| response.headers().get(name)?.to_str().ok();
    let replayed = connection.replayed_header().and_then(header);
    let is_replay = connection.is_replay(replayed);
    let wait = header(RETRY_AFTER.as_str());
    let retry_after = wait.and_then(|wait| retry_after(wait, sending.now));
    let told = answered.told().await;
    let body = told.as_ref().ok().map(|told| &told.body);
    let body = body.cloned().unwrap_or_default();
    let code = connection.error_code.of(&body);
    let reply = Reply {
        status,
        code: code.as_deref(),
        body: &body,
        is_well_formed: told.as_ref().is_ok_and(|told| told.is_well_formed),
        is_replay,
        refuses_repeats: connection.replays() == Some(Replays::None),
    };
    let effect = call.effect(reply, sending.is_repeated);
    let is_clear = told.is_ok() && call.is_clear(reply);
    let broken = told.as_ref().err().map(NoAnswer::problem);
    let kept = match told {
        Ok(told) => told.excerpt(connection),
        Err(_) => Excerpt {
            status,
            body: Value::Null,
        },
    };
    let problem = match broken {
        _ if matches!(effect, Effect::Done | Effect::DoneBefore) => String::new(),
        Some(broken) => broken,
        None => problem(call, reply),
    };
    Answer {
        retry_after,
        is_clear: Some(is_clear),
        ..Answer::new(effect, Some(kept), problem)
    }
}

/// Returns the problem of a complete answer.
fn problem(call: &ApiCall, reply: Reply<'_>) -> String {
    let status = reply.status;
    let is_expected = call.expect.contains(&status);
    if is_expected && !reply.is_well_formed {
        return format!("The target system answered {status} with something else than JSON.");
    }
    let unsuccessful = call.unsuccessful(reply);
    let unsuccessful = unsuccessful.filter(|_| is_expected || call.was_done_before(reply));
    unsuccessful.unwrap_or_else(|| format!("The target system answered {status}."))
}
