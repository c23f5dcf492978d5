//! Calls of webhooks, signed as [Standard Webhooks 1.0](https://www.standardwebhooks.com)
//! describes.

use std::time::Duration;

use agent::action::retry_after;
use base64::{Engine, prelude::BASE64_STANDARD};
use model::{
    base::Timestamp,
    people::WebUrl,
    updates::{
        FailedAttempt, TEST_EVENT, Webhook, WebhookDelivery, WebhookMessage, WebhookMessageData,
        WebhookUrl,
    },
};
use reqwest::{
    Response,
    header::{CONTENT_TYPE, RETRY_AFTER},
};
use runtime::{
    Start,
    config::{self, ApiUrl, ConfigError, SigningSecrets},
    links::hmac,
};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

use crate::http::Http;

/// The beginning of a webhook's secret.
const BEGINNING: &str = "whsec_";

/// The time within which a receiver answers.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Calls webhooks. Cheap to clone.
#[derive(Clone, Debug)]
pub struct WebhookCaller {
    http: Http,
    /// The deployment secrets from which those of webhooks are derived.
    secrets: SigningSecrets,
    api_url: ApiUrl,
}

#[derive(Clone, Debug)]
pub struct SignedMessage {
    id: String,
    body: String,
}

impl WebhookCaller {
    /// Creates a caller. `local` permits http and addresses of this machine and its network.
    pub fn new(secrets: SigningSecrets, api_url: ApiUrl, local: bool) -> Self {
        Self {
            http: Http::new(local),
            secrets,
            api_url,
        }
    }

    /// Creates a caller from the environment: `WEBHOOK_SECRETS`, `API_URL` and `LOCAL_TARGETS`
    /// (default `false`).
    pub fn of(start: &Start) -> Result<Self, ConfigError> {
        let environment = &start.environment;
        let local = environment.flag("LOCAL_TARGETS")?;
        let secrets = config::webhook_secrets(environment)?;
        Ok(Self::new(secrets, ApiUrl::read(environment)?, local))
    }

    pub fn may_call(&self, url: &WebhookUrl) -> bool {
        self.http.allows_local || url.is_public()
    }

    /// Returns the secret of a webhook's newest generation, for its receiver.
    pub fn secret(&self, webhook: &Webhook) -> String {
        let key = derived(&self.secrets.first, webhook, webhook.generation);
        format!("{BEGINNING}{}", BASE64_STANDARD.encode(key))
    }

    /// Returns the address of an organization's desk.
    pub fn web_url<'a>(&'a self, own: Option<&'a WebUrl>) -> &'a str {
        self.api_url.web_url(own)
    }

    /// Returns the message of a delivery. It is the same for each attempt, until the desk's address
    /// changes.
    pub fn message_of(
        &self,
        delivery: &WebhookDelivery,
        web_url: Option<&WebUrl>,
    ) -> SignedMessage {
        let change = &delivery.change;
        let web_url = self.web_url(web_url);
        let url = |path| format!("{}{path}", self.api_url.text());
        let data = WebhookMessageData {
            change: Some(change.clone()),
            url: change.path().map(url),
            web_url: change
                .view()
                .map(|view| format!("{web_url}{view}")),
        };
        SignedMessage::new(&delivery.id, &delivery.event, change.at, data)
    }

    /// Sends a message, signed with each secret of the webhook that is valid now. Returns the
    /// status of a success, which is 2xx.
    pub async fn send(
        &self,
        webhook: &Webhook,
        message: &SignedMessage,
        patience: Duration,
        now: Timestamp,
    ) -> Result<u16, FailedAttempt> {
        let failed = |problem: &str| FailedAttempt {
            status: None,
            problem: problem.to_owned(),
            retry_after: None,
        };
        if !self.may_call(&webhook.url) {
            return Err(failed("The URL would leave the public internet."));
        }
        let http = self.http.client();
        let http = http.ok_or_else(|| failed("The service could not send the message."))?;
        let sent = http
            .post(&*webhook.url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", &message.id)
            .header("webhook-timestamp", now.epoch_seconds())
            .header("webhook-signature", self.signatures(webhook, message, now))
            .body(message.body.clone())
            .timeout(patience)
            .send();
        match sent.await {
            Ok(response) if response.status().is_success() => Ok(response.status().as_u16()),
            Ok(response) => Err(refused(&response, now)),
            Err(error) => Err(failed(problem(&error))),
        }
    }

    /// Returns the header `webhook-signature`: a signature for each secret, the newest first.
    fn signatures(&self, webhook: &Webhook, message: &SignedMessage, now: Timestamp) -> String {
        let SignedMessage { id, body } = message;
        let signed = format!("{id}.{}.{body}", now.epoch_seconds());
        let keys = webhook
            .generations(now)
            .flat_map(|generation| {
                let secrets = self.secrets.all();
                secrets.map(move |secret| derived(secret, webhook, generation))
            });
        let encoded = |key: [u8; 32]| BASE64_STANDARD.encode(hmac(&key, &signed));
        let signatures = keys.map(|key| format!("v1,{}", encoded(key)));
        signatures.collect::<Vec<_>>().join(" ")
    }
}

impl SignedMessage {
    /// The message of a test, which is about no change.
    pub fn test(id: &str, now: Timestamp) -> Self {
        let data = WebhookMessageData {
            change: None,
            url: None,
            web_url: None,
        };
        Self::new(id, TEST_EVENT, now, data)
    }

    fn new(id: &str, event: &str, timestamp: Timestamp, data: WebhookMessageData) -> Self {
        let body = json!(WebhookMessage {
            event: event.to_owned(),
            timestamp,
            data,
        });
        Self {
            id: id.to_owned(),
            body: body.to_string(),
        }
    }
}

/// Derives the key of a webhook's generation from a deployment secret.
fn derived(secret: &SecretString, webhook: &Webhook, generation: i64) -> [u8; 32] {
    let tenant = webhook.organization_id;
    let id = webhook.id;
    let text = format!("workdesk webhook {tenant} {id} {generation}");
    hmac(secret.expose_secret().as_bytes(), &text)
}

/// The failure that an answer without success is.
fn refused(response: &Response, now: Timestamp) -> FailedAttempt {
    let status = response.status();
    let asked = response.headers().get(RETRY_AFTER);
    let asked = asked.and_then(|value| retry_after(value.to_str().ok()?, now));
    let redirects = status
        .is_redirection()
        .then_some(" Redirects are not followed.");
    let status = status.as_u16();
    let more = redirects.unwrap_or_default();
    FailedAttempt {
        status: Some(status),
        problem: format!("The receiver answered {status}.{more}"),
        retry_after: asked,
    }
}

/// The problem of a call without an answer. The error's own text is not used, since it contains the
/// URL.
fn problem(error: &reqwest::Error) -> &'static str {
    if error.is_timeout() {
        "The receiver did not answer in time."
    } else if error.is_connect() {
        "The receiver cannot be reached."
    } else {
        "The connection broke before the answer."
    }
}

#[cfg(test)]
mod tests {
    use model::base::{Id, OrganizationId, WebhookId, input};

    use super::*;

    fn caller(secrets: &[&str]) -> WebhookCaller {
        let secrets = SigningSecrets::new(secrets.iter().map(ToString::to_string)).unwrap();
        WebhookCaller::new(secrets, ApiUrl::new("https://api.example.com/"), false)
    }

    fn webhook(id: i64, generation: i64) -> Webhook {
        let id = WebhookId::new(id).unwrap();
        let tenant = OrganizationId::new(1).unwrap();
        let create = json!({"url": "https://hooks.example.com", "types": ["*"]});
        let create = input::from_value(&create).unwrap();
        Webhook {
            generation,
            ..Webhook::new(id, tenant, create, Timestamp::from_millis(0))
        }
    }

    #[test]
    fn each_webhook_and_generation_has_a_secret_of_its_own() {
        let other = caller(&["other"]);
        let caller = caller(&["deployment"]);
        let secret = caller.secret(&webhook(1, 1));
        assert_eq!(secret, caller.secret(&webhook(1, 1)));
        let key = BASE64_STANDARD
            .decode(&secret[BEGINNING.len()..])
            .unwrap();
        assert_eq!(key.len(), 32);
        for (other, of) in [
            (&caller, webhook(1, 2)),
            (&caller, webhook(2, 1)),
            (&other, webhook(1, 1)),
        ] {
            assert_ne!(secret, other.secret(&of));
        }
        assert!(!format!("{caller:?}").contains("deployment"));
    }

    #[test]
    fn a_signature_is_that_of_the_specification() {
        // The key and the message of the published libraries' own tests.
        let key = BASE64_STANDARD
            .decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
            .unwrap();
        let signed = r#"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#;
        let signature = BASE64_STANDARD.encode(hmac(&key, signed));
        assert_eq!(signature, "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn all_valid_secrets_sign() {
        let now = Timestamp::from_millis(0);
        let mut rotated = webhook(1, 1);
        rotated.rotate(now);
        let message = SignedMessage::test("evt_1", now);
        let count = |caller: &WebhookCaller, now| {
            let signatures = caller.signatures(&rotated, &message, now);
            signatures.split(' ').count()
        };
        let with_new = caller(&["new"]);
        let with_both = caller(&["new", "old"]);
        assert_eq!((count(&with_new, now), count(&with_both, now)), (2, 4));
        let later = now.plus(Webhook::OVERLAP);
        assert_eq!((count(&with_new, later), count(&with_both, later)), (1, 2));
    }
}
