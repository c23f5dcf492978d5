//! One call of a target system, and what its answer means.

use std::{error::Error as _, time::Duration};

use model::{ApiCall, Effect, Error, JsonText, Reply, Timestamp, answer, retry_after};
use reqwest::{Method, Response, Url, header::RETRY_AFTER, redirect, retry};
use runtime::target_systems::TargetSystem;
use secrecy::ExposeSecret;
use serde_json::Value;

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

/// A client that does nothing on its own: it follows no redirect, repeats no request, and opens
/// a connection for each call, since one that the target system closed while the function slept
/// would leave it open whether a call went out.
pub(crate) fn client() -> Result<reqwest::Client, Error> {
    reqwest::Client::builder()
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .no_proxy()
        .pool_max_idle_per_host(0)
        .connect_timeout(Duration::from_secs(3))
        .user_agent("workdesk-action-worker")
        .build()
        .map_err(|error| Error::internal("building the HTTP client", error))
}

/// Sends a call.
pub(crate) async fn send(
    client: &reqwest::Client,
    system: &TargetSystem,
    call: &ApiCall,
    sending: Sending<'_>,
) -> Answer {
    let unsendable = ApiCall::unsendable(sending.is_repeated);
    let Some((method, url)) = target(system, call) else {
        let call = call.summary();
        let problem = format!("{call} is not a call that the configuration allows.");
        return Answer::new(unsendable, None, problem);
    };
    let mut request = client.request(method, url).timeout(sending.timeout);
    if let Some(secret) = &system.secret {
        request = request.bearer_auth(secret.expose_secret());
    }
    if let Some(header) = &system.idempotency_header {
        request = request.header(header, sending.key);
    }
    if let Some(body) = &call.body {
        request = request.json(&body.0);
    }
    match request.send().await {
        Ok(response) => read(system, call, response, sending).await,
        Err(error) if error.is_builder() => {
            Answer::new(unsendable, None, "The request could not be built.")
        }
        Err(error) if error.is_connect() => {
            let problem = "The target system cannot be reached; nothing was sent.";
            Answer::new(Effect::NotNow, None, problem)
        }
        Err(error) => Answer::new(call.unclear(), None, broken_off(&error)),
    }
}

/// Where a call goes, if it is allowed and stays below the base URL.
fn target(system: &TargetSystem, call: &ApiCall) -> Option<(Method, Url)> {
    if !system.allows(&call.method, &call.path) {
        return None;
    }
    let method = Method::from_bytes(call.method.as_bytes()).ok()?;
    let base = Url::parse(&system.base_url).ok()?;
    let below = base.path().trim_end_matches('/').to_owned() + &call.path;
    let mut url = base.clone();
    url.set_path(&below);
    (url.path() == below && url.origin() == base.origin()).then_some((method, url))
}

async fn read(
    system: &TargetSystem,
    call: &ApiCall,
    response: Response,
    sending: Sending<'_>,
) -> Answer {
    let status = response.status().as_u16();
    let is_replay = system.is_replay(response.headers());
    let wait = response.headers().get(RETRY_AFTER);
    let wait = wait.and_then(|wait| wait.to_str().ok());
    let retry_after = wait.and_then(|wait| retry_after(wait, sending.now));
    let (value, is_well_formed, broken) = match body(response).await {
        Ok((value, is_well_formed)) => (value, is_well_formed, None),
        Err(error) => (Value::Null, false, Some(broken_off(&error))),
    };
    let reply = Reply {
        status,
        code: value.get("code").and_then(Value::as_str),
        is_well_formed,
        is_replay,
    };
    let effect = call.effect(reply, sending.is_repeated);
    let problem = match broken {
        _ if effect == Effect::Done => String::new(),
        Some(broken) => broken,
        None if call.expect.contains(&status) => {
            format!("The target system answered {status} with something else than JSON.")
        }
        None => format!("The target system answered {status}."),
    };
    let kept = answer(status, kept(value));
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
