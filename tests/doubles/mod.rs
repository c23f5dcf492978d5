//! Doubles of billing and payment systems that others wrote, with the calls of the real ones.
//! Receivers of webhooks with libraries that others wrote. `python3 tests/doubles/check.py`
//! installs and starts them, and then runs these tests.

mod cutting;
mod kill_bill;
mod local_stripe;
mod standard_webhooks;
mod stripe;
mod unpaid_invoice;
mod webhooks;

use resolution_agent::Analyse;
use serde_json::{Value, json};
use shared::agent::{alert::Alert, session::ProposedAction};
use tests::support::{AgentSettings, Concierge, event, merges, proposing};

use self::cutting::Cutting;

/// Where the doubles are, by their names, as JSON.
const DOUBLES: &str = "WORKDESK_DOUBLES";

/// A world that is connected to one of them.
struct Doubled {
    world: Concierge,
    /// Where the double is.
    url: String,
    /// The secret of its connections.
    secret: String,
    http: reqwest::Client,
}

/// The end of an action.
#[derive(Debug)]
struct Ended {
    session: Value,
    action: String,
    /// The session's status.
    status: String,
    /// The action's success and error, if it has ended.
    result: Option<(bool, String)>,
}

impl Doubled {
    /// A world whose analyst proposes the actions of `proposes`. Its connections have this secret.
    async fn start(
        double: &str,
        secret: &str,
        proposes: impl Fn(&Alert) -> Vec<ProposedAction> + Send + Sync + 'static,
    ) -> Self {
        Self::start_with(double, secret, Some(proposing(proposes))).await
    }

    /// Starts it with another analysis; without one, with the playbooks.
    async fn start_with(double: &str, secret: &str, analyse: Option<Analyse>) -> Self {
        let world = Concierge::start_with(AgentSettings {
            analyse,
            ..AgentSettings::default()
        });
        Self {
            world: world.await,
            secret: secret.to_owned(),
            url: url_of(double),
            http: reqwest::Client::builder()
                .no_proxy()
                .build()
                .unwrap(),
        }
    }

    /// Connects the organization to what answers at `url`.
    async fn connects(&self, name: &str, url: &str, more: &Value) {
        let mut put =
            json!({"kind": "other", "amounts": "minor", "baseUrl": url, "secret": self.secret});
        merges(&mut put, more);
        let ada = self.world.api.sign_in("ada").await;
        let path = format!("/api/concierge/connections/{name}");
        ada.puts(&path, put).await;
    }

    /// Has the action of a record proposed, approved and run.
    async fn runs(&self, entity: &str) -> Ended {
        let world = &self.world;
        let alert = world
            .alert("payment_failed", &[("record", entity)])
            .await;
        let session = world.opened(&alert).await;
        let action = world.proposed(&session).await.remove(0);
        self.executes(session, action).await
    }

    /// Has an action of a session approved and run.
    async fn executes(&self, session: Value, action: String) -> Ended {
        let world = &self.world;
        world
            .executes(&session, &[&action])
            .await
            .expect(202);
        world.takes_messages().await;
        self.delivers(session, action).await
    }

    /// Has it approved and run again.
    async fn runs_again(&self, ended: Ended) -> Ended {
        let Ended {
            session, action, ..
        } = ended;
        let world = &self.world;
        world
            .executes_again(&session, &[&action])
            .await
            .expect(202);
        world.takes_messages().await;
        self.delivers(session, action).await
    }

    /// Hands its message to a worker.
    async fn delivers(&self, session: Value, action: String) -> Ended {
        let message = self.world.message(&session, &action);
        let response = self
            .world
            .worker()
            .handle(event(&[(&message, 1)]))
            .await;
        assert_eq!(response.batch_item_failures.len(), 0);
        let (status, mut results) = self.world.outcome(&session).await;
        Ended {
            session,
            action,
            status,
            result: results.pop(),
        }
    }

    /// Returns the double's answer to a form, which must be a success.
    async fn posts(&self, key: &str, path: &str, form: &[(&str, &str)]) -> Value {
        let answer = self
            .form(key, path, form)
            .send()
            .await
            .unwrap();
        let status = answer.status();
        let body = answer.text().await.unwrap();
        assert!(status.is_success(), "{path}: {status} {body}");
        serde_json::from_str(&body).unwrap()
    }

    /// A form to the double, past the agent.
    fn form(&self, key: &str, path: &str, form: &[(&str, &str)]) -> reqwest::RequestBuilder {
        let mut body = reqwest::Url::parse(&self.url).unwrap();
        body.query_pairs_mut()
            .extend_pairs(form);
        let request = self
            .http
            .post(format!("{}{path}", self.url))
            .bearer_auth(key);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        request.body(
            body.query()
                .unwrap_or_default()
                .to_owned(),
        )
    }

    async fn gets(&self, key: &str, path: &str) -> Value {
        let request = self
            .http
            .get(format!("{}{path}", self.url));
        let answer = request
            .bearer_auth(key)
            .send()
            .await
            .unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        serde_json::from_str(&answer.text().await.unwrap()).unwrap()
    }
}

impl Ended {
    #[track_caller]
    fn succeeded(&self) {
        assert_eq!(self.status, "completed", "{self:?}");
    }

    /// Asserts that it failed with this error.
    #[track_caller]
    fn failed(&self, says: &str) {
        let (success, error) = self.result.as_ref().unwrap();
        assert!(!success && error.contains(says), "{self:?}");
    }
}

fn url_of(double: &str) -> String {
    #[expect(clippy::disallowed_methods, reason = "their ports are free ones")]
    let doubles = std::env::var(DOUBLES);
    let doubles = doubles.unwrap_or_else(|_| panic!("run `python3 tests/doubles/check.py`"));
    let doubles: Value = serde_json::from_str(&doubles).unwrap();
    doubles[double]
        .as_str()
        .unwrap()
        .to_owned()
}
