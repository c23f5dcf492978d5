//! One call of a target system, and what its answer means.

use std::{error::Error as _, time::Duration};

use model::{
    ApiCall, Connection, Effect, JsonText, Reply, Timestamp, answer, retry_after, without,
};
use reqwest::{Response, header::RETRY_AFTER};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use targets::{NoAnswer, Targets};

/// The most bytes of an answer that are read.
const MOST_READ: usize = 64 * 1024;

/// The most bytes of an answer that are kept with the result.
const MOST_KEPT: usize = 4 * 1024;

/// What came of a call.
#[derive(Debug)]
pub(crate) struct Answer {
    /// What is known of its effect.
    pub(crate) effect: Effect,
    /// What the target system answered, as results keep it.
    pub(crate) response: Option<JsonText>,
    /// What was wrong, for a person; empty where nothing was.
    pub(crate) problem: String,
    /// How long the target system asks to wait, in milliseconds.
    pub(crate) retry_after: Option<i64>,
}

/// What a call is sent with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sending<'a> {
    /// Its idempotency key.
    pub(crate) key: &'a str,
    /// How long it may take, its answer included.
    pub(crate) timeout: Duration,
    /// It may have been sent before with the same key.
    pub(crate) is_repeated: bool,
    /// The time by which an answer's instants are read.
    pub(crate) now: Timestamp,
}

impl Answer {
    fn new(effect: Effect, response: Option<JsonText>, problem: impl Into<String>) -> Self {
        Self {
            effect,
            response,
            problem: problem.into(),
            retry_after: None,
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
        Ok(answered) => {
            let secret = answered.secret.as_ref();
            read(connection, call, answered.response, secret, sending).await
        }
        Err(NoAnswer::Unsendable(problem)) => {
            let unsendable = ApiCall::unsendable(sending.is_repeated);
            Answer::new(unsendable, None, problem)
        }
        Err(NoAnswer::NotSent(problem)) => Answer::new(Effect::NotNow, None, problem),
        Err(NoAnswer::BrokenOff(error)) => Answer::new(call.unclear(), None, broken_off(&error)),
    }
}

async fn read(
    connection: &Connection,
    call: &ApiCall,
    response: Response,
    secret: Option<&SecretString>,
    sending: Sending<'_>,
) -> Answer {
    let status = response.status().as_u16();
    let header = |name: &str| response.headers().get(name)?.to_str().ok();
    let replayed = connection.replayed_header().and_then(header);
    let is_replay = connection.is_replay(status, replayed);
    let wait = header(RETRY_AFTER.as_str());
    let retry_after = wait.and_then(|wait| retry_after(wait, sending.now));
    let (value, is_well_formed, broken) = match body(response).await {
        Ok((value, is_well_formed)) => (value, is_well_formed, None),
        Err(error) => (Value::Null, false, Some(broken_off(&error))),
    };
    let code = connection.error_code.of(&value);
    let reply = Reply {
        status,
        code: code.as_deref(),
        is_well_formed,
        is_replay,
    };
    let effect = call.effect(reply, sending.is_repeated);
    let problem = match broken {
        _ if matches!(effect, Effect::Done | Effect::DoneBefore) => String::new(),
        Some(broken) => broken,
        None if call.expect.contains(&status) => {
            format!("The target system answered {status} with something else than JSON.")
        }
        None => format!("The target system answered {status}."),
    };
    let secret = secret.map(ExposeSecret::expose_secret);
    let kept = answer(status, kept(without(value, &connection.private, secret)));
    Answer {
        retry_after,
        ..Answer::new(effect, Some(kept), problem)
    }
}

/// The body as JSON or text, and whether it is what a JSON API may answer: JSON or nothing. What
/// goes on after 64 KiB is left unread, and taken for good.
async fn body(mut response: Response) -> Result<(Value, bool), reqwest::Error> {
    let mut bytes = Vec::new();
    let mut whole = true;
    while let Some(chunk) = response.chunk().await? {
        let room = MOST_READ - bytes.len();
        bytes.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if chunk.len() > room {
            whole = false;
            break;
        }
    }
    if bytes.is_empty() {
        return Ok((Value::Null, true));
    }
    Ok(match serde_json::from_slice(&bytes) {
        Ok(value) => (value, true),
        Err(_) => (
            Value::String(String::from_utf8_lossy(&bytes).into_owned()),
            !whole,
        ),
    })
}

/// As much of a body as the result keeps: all of it up to 4 KiB, then the beginning of its text.
fn kept(value: Value) -> Value {
    let mut text = match &value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if text.len() <= MOST_KEPT {
        return value;
    }
    let end = (0..=MOST_KEPT)
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(0);
    text.truncate(end);
    Value::String(text)
}

/// What is said of a call that ended without an answer. The error's own text holds the URL.
fn broken_off(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "The target system did not answer in time.".to_owned();
    }
    let cause = error.source().map(ToString::to_string).unwrap_or_default();
    format!("The connection broke before the answer was complete: {cause}.")
}
