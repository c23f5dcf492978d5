//! A client as the README tells clients to be: it sends again what was answered 429 or 503, or not
//! at all, with the same key.

use std::{sync::Arc, time::Duration};

use reqwest::{Method, header};
use serde_json::Value;

use crate::{
    fates::Fates,
    kind::Kind,
    ledger::{Gone, Ledger, Made},
};

/// The most sends of a request.
const MOST_SENDS: u32 = 12;

/// Timeout of a request: longer than the gateway's.
const PATIENCE: Duration = Duration::from_secs(40);

/// The longest pause that a client makes.
const LONGEST_PAUSE: Duration = Duration::from_millis(1_500);

/// Code of a write that others outran; it was not done.
const OUTRUN: &str = "concurrent_change";

/// A signed-in client.
pub struct Client {
    pub number: usize,
    http: reqwest::Client,
    url: String,
    cookie: String,
    fates: Arc<Fates>,
    keys: usize,
    pub ledger: Ledger,
}

/// The end of a request.
#[derive(Debug)]
pub enum Outcome {
    /// Answered as done.
    Done(Value),
    /// Refused with this status and code; `perhaps` if an earlier send may have been done.
    Refused {
        status: u16,
        code: String,
        perhaps: bool,
    },
    /// Perhaps done: no answer told.
    Unclear,
}

/// A request.
#[derive(Clone, Debug)]
struct Sent<'a> {
    method: Method,
    path: &'a str,
    body: Option<&'a Value>,
    key: Option<String>,
}

enum Answer {
    Done(Value),
    Refused(u16, String),
    /// Nothing was done, and it may be sent again.
    Outrun,
    /// A passing failure: after this pause it may be sent again.
    Passing(Duration),
}

/// Sends of a create, and its answers as done.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    sends: usize,
    successes: usize,
}

impl Client {
    pub fn new(number: usize, url: &str, cookie: String, fates: Arc<Fates>) -> Self {
        let http = reqwest::Client::builder()
            .no_proxy()
            .timeout(PATIENCE);
        Self {
            number,
            http: http.build().unwrap(),
            url: url.to_owned(),
            cookie,
            fates,
            keys: 0,
            ledger: Ledger::default(),
        }
    }

    /// A read, which must find the record.
    pub async fn get(&mut self, path: &str) -> Option<Value> {
        let outcome = self
            .send(Method::GET, path, None, true)
            .await
            .0;
        self.expected(&format!("GET {path}"), outcome, &[])
    }

    /// Sends a change, which may be repeated. Returns whether it is done for sure.
    pub async fn change(&mut self, method: Method, path: &str, body: &Value) -> bool {
        let request = format!("{method} {path}");
        let outcome = self
            .send(method, path, Some(body), true)
            .await
            .0;
        self.expected(&request, outcome, &[])
            .is_some()
    }

    /// Sends a POST that may be repeated without an idempotency key: its second effect is none.
    pub async fn asks(&mut self, path: &str, body: Option<&Value>) -> Outcome {
        self.send(Method::POST, path, body, true)
            .await
            .0
    }

    /// Creates a record, and answers its place in the ledger, if it is there to go on with.
    pub async fn creates(&mut self, path: &str, body: &Value, made: Made) -> Option<usize> {
        let keyed = !self
            .fates
            .has(Kind::ClientTwiceWithoutKey);
        let (outcome, count) = self
            .send(Method::POST, path, Some(body), keyed)
            .await;
        let mut made = made;
        made.sends = count.sends;
        made.successes = count.successes;
        made.keyed = keyed;
        let record = self.expected(&format!("POST {path}"), outcome, &[]);
        made.id = record
            .as_ref()
            .and_then(|record| record["id"].as_i64());
        self.ledger.made.push(made);
        record.map(|_| self.ledger.made.len() - 1)
    }

    /// Deletes a record of the ledger.
    pub async fn deletes(&mut self, path: &str, place: usize) {
        let outcome = self
            .send(Method::DELETE, path, None, true)
            .await
            .0;
        // An earlier send may have done it.
        let went_before = matches!(
            &outcome,
            Outcome::Refused {
                status: 404,
                perhaps: true,
                ..
            }
        );
        let request = format!("DELETE {path}");
        let is_done = went_before
            || self
                .expected(&request, outcome, &[])
                .is_some();
        let gone = if is_done { Gone::Surely } else { Gone::Perhaps };
        self.ledger.made[place].gone = gone;
    }

    /// The body of an answer that is as it should be; any other goes into the ledger.
    pub fn expected(&mut self, request: &str, outcome: Outcome, allowed: &[&str]) -> Option<Value> {
        match outcome {
            Outcome::Done(body) => Some(body),
            Outcome::Refused { code, .. } if allowed.contains(&code.as_str()) => None,
            Outcome::Refused { status, code, .. } => {
                self.ledger
                    .wrong
                    .push(format!("{request}: {status} {code}"));
                None
            }
            // Who may not send it again is left in the dark.
            Outcome::Unclear => None,
        }
    }

    async fn send(
        &mut self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        may_repeat: bool,
    ) -> (Outcome, Count) {
        self.keys += 1;
        let unsafe_post = method == Method::POST
            && !self
                .fates
                .has(Kind::ClientTwiceWithoutKey);
        let sent = Sent {
            key: unsafe_post.then(|| format!("campaign-{}-{}", self.number, self.keys)),
            method,
            path,
            body,
        };
        let mut count = Count::default();
        let mut perhaps = false;
        for _ in 0..MOST_SENDS {
            let answers = self.send_as_often_as_asked(&sent).await;
            count.sends += answers.len();
            self.ledger.requests += answers.len();
            let mut done = None;
            let mut refused = None;
            let mut pause = None;
            for answer in answers {
                match answer {
                    Answer::Done(body) => {
                        count.successes += 1;
                        done = done.or(Some(body));
                    }
                    Answer::Refused(status, code) => refused = Some((status, code)),
                    Answer::Outrun => pause = pause.or(Some(Duration::from_millis(20))),
                    Answer::Passing(after) => {
                        perhaps = true;
                        pause = pause.max(Some(after));
                    }
                }
            }
            if let Some(body) = done {
                return (Outcome::Done(body), count);
            }
            if let Some((status, code)) = refused {
                let refused = Outcome::Refused {
                    status,
                    code,
                    perhaps,
                };
                return (refused, count);
            }
            if perhaps && !may_repeat {
                return (Outcome::Unclear, count);
            }
            tokio::time::sleep(
                pause
                    .unwrap_or_default()
                    .min(LONGEST_PAUSE),
            )
            .await;
        }
        let method = sent.method;
        let fault = format!("{method} {path}: not answered after {MOST_SENDS} sends");
        self.ledger.wrong.push(fault);
        (Outcome::Unclear, count)
    }

    /// The answers of one send, or of two at once.
    async fn send_as_often_as_asked(&self, sent: &Sent<'_>) -> Vec<Answer> {
        let kinds = [Kind::ClientTwiceWithKey, Kind::ClientTwiceWithoutKey];
        let is_read = sent.method == Method::GET;
        let mut twice = kinds.into_iter();
        if !is_read
            && twice.any(|kind| {
                self.fates
                    .strikes(kind, "request", 1_000)
            })
        {
            let (first, second) = tokio::join!(self.send_once(sent), self.send_once(sent));
            vec![first, second]
        } else {
            vec![self.send_once(sent).await]
        }
    }

    async fn send_once(&self, sent: &Sent<'_>) -> Answer {
        let Sent {
            method,
            path,
            body,
            key,
        } = sent;
        let mut request = self
            .http
            .request(method.clone(), format!("{}{path}", self.url))
            .header(header::COOKIE, format!("connect.sid={}", self.cookie))
            .header("prefer", "wait=1");
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let Ok(answer) = request.send().await else {
            return Answer::Passing(Duration::from_millis(100));
        };
        let status = answer.status();
        let after = answer
            .headers()
            .get(header::RETRY_AFTER);
        let after = after.and_then(|after| after.to_str().ok()?.parse().ok());
        let pause = after.map_or(Duration::from_millis(100), Duration::from_secs);
        let Ok(text) = answer.text().await else {
            return Answer::Passing(pause);
        };
        let body: Value = serde_json::from_str(&text).unwrap_or_default();
        let code = body["code"].as_str().unwrap_or(&text);
        match status.as_u16() {
            200..300 => Answer::Done(body),
            429 | 503 => Answer::Passing(pause),
            409 if code == OUTRUN || after.is_some() => Answer::Outrun,
            other => Answer::Refused(other, code.to_owned()),
        }
    }
}
