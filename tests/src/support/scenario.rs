//! Actions on their way: how tests bring them about, and what they expect of their ends.

use std::{fmt::Display, time::Duration};

use action_worker::Worker;
use local::target_systems::{FaultMode, InjectedFault};
use serde_json::{Value, json};
use shared::model::{
    base::input,
    people::{Held, Permission, SignInAge},
};
use strum::VariantArray;

use super::{Caller, Concierge, event, once, time_passes};

/// Longer than a lease, and than the sweeper waits for a message.
pub const AFTER_THE_LEASE: i64 = 130_000;

/// A fault that keeps an answer back until [`hurry`](local::target_systems::DemoTargets::hurry).
pub fn late(system: &str) -> InjectedFault {
    InjectedFault {
        delay_ms: 600_000,
        ..InjectedFault::once(system, FaultMode::Delay)
    }
}

impl Concierge {
    /// A session on an alert about these records, and its approved action at that place.
    pub async fn approved(
        &self,
        class: &str,
        entities: &[(&str, &str)],
        place: usize,
    ) -> (Value, String) {
        let session = self
            .opened(&self.alert(class, entities).await)
            .await;
        let action = self
            .proposed(&session)
            .await
            .remove(place);
        self.executes(&session, &[&action])
            .await
            .expect(202);
        (session, action)
    }

    /// A session on an alert, opened and proposed by this caller, and its first action.
    pub async fn proposed_by(&self, caller: &Caller, alert: impl Display) -> (Value, String) {
        let opened = format!("/api/concierge/alerts/{alert}/agent-session");
        let id = caller.triggers(&opened).await["session"]["id"].clone();
        let propose = format!("/api/concierge/agent-sessions/{id}/propose");
        let proposed = caller.triggers(&propose).await;
        let action = &proposed["session"]["proposedActions"][0]["id"];
        (id, action.as_str().unwrap().to_owned())
    }

    /// Like [`proposed_by`](Self::proposed_by), on a stuck batch of the demo.
    pub async fn batch_proposed_by(&self, caller: &Caller, batch: &str) -> (Value, String) {
        let batch = [("usage_batch", batch)];
        let alert = self
            .alert("usage_batch_stuck", &batch)
            .await;
        self.proposed_by(caller, alert.id).await
    }

    /// A session whose actions are all approved, with no message under way.
    pub async fn all_approved(
        &self,
        class: &str,
        entities: &[(&str, &str)],
    ) -> (Value, Vec<String>) {
        let session = self
            .opened(&self.alert(class, entities).await)
            .await;
        let actions = self.proposed(&session).await;
        let action_ids: Vec<&str> = actions
            .iter()
            .map(String::as_str)
            .collect();
        self.executes(&session, &action_ids)
            .await
            .expect(202);
        self.takes_messages().await;
        (session, actions)
    }

    /// The next call of a system meets this.
    pub fn fails(&self, system: &str, mode: FaultMode) {
        self.demo.inject(InjectedFault {
            operation: change_of(system),
            ..InjectedFault::once(system, mode)
        });
    }

    /// The next call of a system is answered with this status.
    pub fn refuses(&self, system: &str, status: u16) {
        self.demo.inject(InjectedFault {
            status,
            operation: change_of(system),
            ..InjectedFault::once(system, FaultMode::Fail)
        });
    }

    /// Has a worker run an action, whatever is in the queue. The message is done with.
    pub async fn runs_with(&self, worker: &Worker, session: &Value, action: &str) {
        let message = self.message(session, action);
        let response = worker
            .handle(event(&[(&message, 1)]))
            .await;
        assert_eq!(response.batch_item_failures.len(), 0);
    }

    /// Hands these messages to two workers at once.
    pub async fn runs_all_at_once(&self, messages: &[String]) {
        let batch: Vec<(&str, u32)> = messages
            .iter()
            .map(|text| (text.as_str(), 1))
            .collect();
        let first = self.worker();
        let second = self.worker();
        futures::join!(first.handle(event(&batch)), second.handle(event(&batch)));
    }

    /// Calls systems that may never answer. Its time is up as soon as they have its calls.
    pub async fn hurries<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        let mut waiting = self.demo.waiting_faults();
        loop {
            tokio::select! {
                done = &mut work => return done,
                () = tokio::time::sleep(Duration::from_millis(20)) => {}
            }
            if self.demo.waiting_faults() < waiting {
                waiting = self.demo.waiting_faults();
                time_passes(once().step_timeout).await;
            }
        }
    }

    /// Lets a worker die between the call and the record of its answer.
    pub async fn dies_after_the_effect(&self, session: &Value, action: &str) {
        let worker = self.worker_with(once());
        let effects = self.demo.effects().len();
        let message = self.message(session, action);
        tokio::select! {
            _ = worker.handle(event(&[(&message, 1)])) => panic!("it was to be killed"),
            () = self.effects_reach(effects + 1) => {}
        }
    }

    /// Time passes, and the sweeper and a worker do what is due.
    pub async fn passes(&self, millis: i64) -> sweeper::Swept {
        self.api.clock.advance(millis);
        let swept = self.sweeper().sweep().await;
        assert_eq!(swept.errors, 0, "{swept:?}");
        assert_eq!(self.delivers(&self.worker()).await, 0);
        swept
    }

    /// Asserts that a session is completed, with so many effects in all.
    pub async fn is_completed(&self, session: &Value, effects: usize) {
        let (status, results) = self.outcome(session).await;
        assert_eq!(status, "completed", "{results:?}");
        assert_eq!(self.demo.effects().len(), effects);
    }

    /// Asserts that a session failed with this first result, and so many effects in all.
    pub async fn has_failed(&self, session: &Value, says: &str, effects: usize) {
        self.says_first(session, ("failed", says), effects)
            .await;
    }

    /// Asserts an open outcome: what the first result says, and the number of effects in all.
    pub async fn is_open(&self, session: &Value, says: &str, effects: usize) {
        self.says_first(session, ("executing", says), effects)
            .await;
    }

    /// Asserts a session's status, and that its first result is none with this error.
    async fn says_first(&self, session: &Value, (status, says): (&str, &str), effects: usize) {
        let (actual, results) = self.outcome(session).await;
        assert_eq!(actual, status, "{results:?}");
        let (is_done, error) = &results[0];
        assert!(!is_done && error.contains(says), "{says}: {results:?}");
        assert_eq!(self.demo.effects().len(), effects);
    }

    /// Gives a user these permissions, as the operator does. The account is not fresh then.
    pub async fn permits(&self, name: &str, permissions: Value) {
        let store = self.api.store_beside().await;
        let user = self.api.user(name).await;
        let update = json!({ "permissions": permissions }).to_string();
        let update = input::parse(update.as_bytes()).unwrap();
        let held = || async {
            Ok(Held {
                permissions: Permission::VARIANTS.to_vec(),
                sign_in: SignInAge::New,
            })
        };
        let directory = store.directory();
        let updated = directory.update_user(user.organization_id, held, user.id, update, None);
        updated.await.unwrap();
    }

    /// Asserts that a session goes on without a result yet, with so many effects in all.
    pub async fn is_executing(&self, session: &Value, effects: usize) {
        assert_eq!(self.outcome(session).await, ("executing".into(), vec![]));
        assert_eq!(self.demo.effects().len(), effects);
    }

    /// Sets the policy of organization 1.
    pub async fn has_policy(&self, policy: Value) {
        let ada = self.api.sign_in("ada").await;
        ada.puts("/api/concierge/policy", policy)
            .await;
    }

    /// Max with a new session, who does not wait for results.
    pub async fn max_again(&self) -> Caller {
        let max = self.api.sign_in("max").await;
        max.with_header("prefer", "respond-async")
    }

    /// One more connection to a system of the demo that honours no keys.
    pub async fn honours_no_keys(&self, system: &str) {
        self.connects(system, json!({"idempotency": null}))
            .await;
    }
}

/// Returns the operation that faults of a system are for. A message is preceded by a read.
fn change_of(system: &str) -> Option<String> {
    (system == "notifications").then(|| "POST /messages".to_owned())
}
