//! Checks the API each minute, as a client does: signs in, writes a record, reads and deletes it,
//! and signs out.
//!
//! The metric `CheckFailures` has the result of each run. Without any, the alarm rings as well.

use std::time::Duration;

use model::base::Clock;
use reqwest::{
    Method,
    header::{COOKIE, SET_COOKIE},
    redirect,
};
use runtime::{
    FromStart, Start,
    telemetry::{self, Metric},
};
use secrecy::{ExposeSecret, SecretString};
use serde::{Serialize, de::IgnoredAny};
use serde_json::{Value, json};

/// Time limit of a request.
const PATIENCE: Duration = Duration::from_secs(5);

/// Checks the API. Created once per cold start.
#[derive(Clone, Debug)]
pub struct Checker {
    /// Without a slash at its end.
    api_url: String,
    user: Option<CheckUser>,
    clock: Clock,
}

/// A user in an organization of its own.
#[derive(Clone, Debug)]
pub struct CheckUser {
    pub name: String,
    pub password: SecretString,
}

/// A request of the check.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: &'static str,
    pub path: String,
    /// The session's cookie.
    pub cookie: String,
    pub body: Value,
}

/// The parts of an answer that the check reads.
#[derive(Clone, Debug)]
pub struct CheckedAnswer {
    pub status: u16,
    /// The value of `Set-Cookie`, without attributes; empty without one.
    pub cookie: String,
    /// Null if it is no JSON.
    pub body: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Checked {
    pub passed: bool,
}

/// A failed step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    pub step: &'static str,
    pub cause: String,
}

impl Failed {
    const fn new(step: &'static str, cause: String) -> Self {
        Self { step, cause }
    }
}

impl Checker {
    pub fn new(api_url: &str, user: Option<CheckUser>, clock: Clock) -> Self {
        Self {
            api_url: api_url.trim_end_matches('/').to_owned(),
            user,
            clock,
        }
    }

    async fn handle(&self, _: IgnoredAny) -> Checked {
        let http = reqwest::Client::builder()
            .redirect(redirect::Policy::none())
            .no_proxy()
            .timeout(PATIENCE)
            .user_agent("workdesk-checker");
        let checked = match http.build() {
            Ok(http) => {
                let send = async |request| self.send(&http, request).await;
                self.check(send).await
            }
            Err(error) => Err(Failed::new("start", error.to_string())),
        };
        let passed = checked.is_ok();
        if let Err(Failed { step, cause }) = checked {
            tracing::error!(step, cause, "the check failed");
        }
        telemetry::count(Metric::CheckFailure((!passed).into()), self.clock.now());
        Checked { passed }
    }

    async fn send(
        &self,
        http: &reqwest::Client,
        request: Request,
    ) -> Result<CheckedAnswer, String> {
        let method = Method::from_bytes(request.method.as_bytes());
        let method = method.map_err(|error| error.to_string())?;
        let mut sent = http.request(method, format!("{}{}", self.api_url, request.path));
        if !request.cookie.is_empty() {
            sent = sent.header(COOKIE, request.cookie);
        }
        if !request.body.is_null() {
            sent = sent.json(&request.body);
        }
        let answer = sent
            .send()
            .await
            .map_err(|error| error.to_string())?;
        let cookie = answer.headers().get(SET_COOKIE);
        let cookie = cookie
            .and_then(|value| value.to_str().ok())
            .unwrap_or("");
        Ok(CheckedAnswer {
            status: answer.status().as_u16(),
            cookie: cookie
                .split(';')
                .next()
                .unwrap_or_default()
                .to_owned(),
            body: answer.json().await.unwrap_or_default(),
        })
    }

    /// Runs the steps by this way of sending requests. The error is the first step that failed,
    /// with its cause.
    pub async fn check(
        &self,
        send: impl AsyncFn(Request) -> Result<CheckedAnswer, String>,
    ) -> Result<(), Failed> {
        let Some(user) = &self.user else {
            let cause = "CHECK_USERNAME or CHECK_PASSWORD is missing".to_owned();
            return Err(Failed::new("start", cause));
        };
        let mut cookie = String::new();
        let mut step = async |step, method, path: String, body| {
            let request = Request {
                method,
                path,
                cookie: cookie.clone(),
                body,
            };
            let failed = |cause| Failed::new(step, cause);
            let answer = send(request).await.map_err(failed)?;
            if !(200..300).contains(&answer.status) {
                let status = answer.status;
                let code = &answer.body["code"];
                return Err(failed(format!("status {status}, code {code}")));
            }
            if !answer.cookie.is_empty() {
                cookie.clone_from(&answer.cookie);
            }
            Ok(answer.body)
        };
        let password = user.password.expose_secret();
        let credentials = json!({"username": user.name, "password": password});
        let login = step("sign in", "POST", "/api/auth/login".to_owned(), credentials).await?;
        let note = json!({
            "type": "note", "description": "Scheduled check",
            "organizationId": login["organizationId"],
        });
        let written = step("write", "POST", "/api/activities".to_owned(), note).await?;
        let path = format!("/api/activities/{}", written["id"]);
        let read = step("read", "GET", path.clone(), Value::Null).await?;
        if read["id"] != written["id"] {
            let cause = format!("id {} instead of {}", read["id"], written["id"]);
            return Err(Failed::new("read", cause));
        }
        step("delete", "DELETE", path, Value::Null).await?;
        let logout = "/api/auth/logout".to_owned();
        step("sign out", "POST", logout, Value::Null).await?;
        Ok(())
    }
}

impl FromStart for Checker {
    fn from_start(start: &Start) -> Result<Self, lambda_runtime::Error> {
        let environment = &start.environment;
        let api_url = environment.required("API_URL", "the URL of the API")?;
        // `cargo local` starts every function, and has no user for this one.
        let username = environment.optional("CHECK_USERNAME");
        let password = environment.optional("CHECK_PASSWORD");
        let user = username
            .zip(password)
            .map(|(name, password)| CheckUser {
                name: name.to_owned(),
                password: password.into(),
            });
        Ok(Self::new(api_url, user, Clock::system()))
    }
}

runtime::background!(Checker: IgnoredAny => Checked, Client);
