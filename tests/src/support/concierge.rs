//! The resolution agent's world: the demo target systems, the worker, the sweeper, and the queue
//! between them.

use std::time::Duration;

use action_worker::{Worker, WorkerLimits};
use aws_lambda_events::sqs::SqsEvent;
use local::{engines::KEY, target_systems as demo};
use serde_json::{Value, json};
use shared::{
    agent::{
        action::{ActionKey, Message},
        alert::Alert,
        check::{Facts, TargetRead},
        connection::ApiCall,
    },
    model::base::{AgentSessionId, Id, OrganizationId, QueueMessage, span},
    queue::Queue,
    store::base::Store,
};
use targets::{Sealer, Sending, Targets};

use crate::{program::bodies, records, unwary};

use super::{
    AgentSettings, Api, Caller, Settings, Sweeping, agent_settings::sealer, comes, engines,
    given::merges, text, text_of, time_passes,
};

/// A world with target systems.
pub struct Concierge {
    pub api: Api,
    pub demo: demo::DemoTargets,
    pub sqs: aws_sdk_sqs::Client,
    targets: Targets,
    sealer: Sealer,
    /// A manager, who may do all there is, and does not wait for results.
    pub max: Caller,
}

/// Customers of the demo, each with a failed payment that may be tried again.
pub const FAILED: [(&str, &str); 6] = [
    ("cus_501", "pay_3001"),
    ("cus_502", "pay_3009"),
    ("cus_503", "pay_3002"),
    ("cus_504", "pay_3003"),
    ("cus_505", "pay_3010"),
    ("cus_506", "pay_3011"),
];

impl Concierge {
    pub async fn start() -> Self {
        Self::start_with(AgentSettings::default()).await
    }

    /// The usual world, and callers with sessions of these users.
    pub async fn signed_in<const N: usize>(names: [&str; N]) -> (Self, [Caller; N]) {
        let world = Self::start().await;
        let callers = world.api.sign_ins(names).await;
        (world, callers)
    }

    pub async fn start_with(agent: AgentSettings) -> Self {
        let usual = Settings::default();
        Self::start_in(Settings { agent, ..usual }).await
    }

    /// A world whose analysis proposes everything whatever the records say, without preconditions
    /// or verifications.
    pub async fn start_unwary() -> Self {
        Self::start_with(AgentSettings {
            analyse: Some(unwary::analyse()),
            ..AgentSettings::default()
        })
        .await
    }

    pub async fn start_in(settings: Settings) -> Self {
        let demo = demo::DemoTargets::start(0, None).unwrap();
        let targets = settings.agent.targets().await;
        let sealer = sealer(KEY).await;
        let api = Box::pin(Api::start_with(settings)).await;
        let store = api.store_beside().await;
        Box::pin(records::connected(&store, &sealer, api.home.id, &demo)).await;
        api.counter.take();
        let max = api.sign_in("max").await;
        let max = max.with_header("prefer", "respond-async");
        Self {
            api,
            demo,
            sqs: engines::engines().await.sqs(),
            targets,
            sealer,
            max,
        }
    }

    /// A worker whose patience suits a test.
    pub fn worker(&self) -> Worker {
        self.worker_with(WorkerLimits {
            pauses: vec![Duration::from_millis(1), Duration::from_millis(2)],
            ..once()
        })
    }

    pub fn worker_with(&self, limits: WorkerLimits) -> Worker {
        let store = self.api.store_of("action-worker");
        Worker::new(store, self.queue(), self.targets.clone(), limits)
    }

    /// Changes what organization 1's connection to a system of the demo is.
    pub async fn connects(&self, name: &str, more: Value) {
        self.connects_for(self.api.home.id, name, more)
            .await;
    }

    /// One more connection of organization 1 to the demo's billing system.
    pub async fn connects_as(&self, name: &str) {
        let put = self.demo.connections()["billing"].clone();
        self.puts_connection(self.api.home.id, name, &put)
            .await;
    }

    /// Changes any organization's connection.
    pub async fn connects_for(&self, tenant: OrganizationId, name: &str, more: Value) {
        let mut put = self.demo.connections()[name].clone();
        merges(&mut put, &more);
        self.puts_connection(tenant, name, &put)
            .await;
    }

    async fn puts_connection(&self, tenant: OrganizationId, name: &str, put: &Value) {
        let store = self.api.store_beside().await;
        Box::pin(records::connection(&store, &self.sealer, tenant, name, put)).await;
    }

    /// The message of an action came to nothing. The sweeper sends another, which runs the action
    /// and completes its session.
    pub async fn recovers(&self, session: &Value) {
        assert_eq!(self.outcome(session).await, ("executing".into(), vec![]));
        self.api.clock.advance(2 * span::MINUTE);
        assert_eq!(self.sweeper().sweep().await.resent, 1);
        self.delivers(&self.worker()).await;
        assert_eq!(self.outcome(session).await.0, "completed");
    }

    pub fn sweeper(&self) -> Sweeping {
        let store = self.api.store_of("sweeper");
        let sqs = &self.sqs;
        self.api
            .sweeper_of(store, sqs.clone(), sqs.clone())
    }

    fn queue(&self) -> Queue {
        Queue::new(self.sqs.clone(), &self.api.queues.actions.url)
    }

    /// A store that reaches the table beside whatever fails or holds up the others.
    pub async fn store_beside(&self) -> Store {
        self.api.store_beside().await
    }

    /// An alert of organization 1.
    pub async fn alert(&self, class: &str, entities: &[(&str, &str)]) -> Alert {
        self.alert_in(self.api.home.id, class, entities)
            .await
    }

    pub async fn alert_in(
        &self,
        tenant: OrganizationId,
        class: &str,
        entities: &[(&str, &str)],
    ) -> Alert {
        let more = json!({
            "title": format!("{class} of {entities:?}"),
            "entities": records::entities(entities.iter().copied()),
        });
        let new = records::alert_with(class, self.api.clock.now(), &more);
        let alerts = self.api.store.alerts();
        alerts
            .record(tenant, new)
            .await
            .unwrap()
            .record
    }

    /// Opens a session on a stuck usage batch of the demo.
    pub async fn stuck_batch(&self) -> Value {
        let alert = self.alert("usage_batch_stuck", &[("usage_batch", "ub_1001")]);
        self.opened(&alert.await).await
    }

    /// Opens a session on a failed payment, which proposes a retry and a message.
    pub async fn failed_payment(&self) -> Value {
        let entities = [("payment", "pay_3001"), ("customer", "cus_501")];
        self.opened(
            &self
                .alert("payment_failed", &entities)
                .await,
        )
        .await
    }

    /// The id of a session that was opened on an alert.
    pub async fn opened(&self, alert: &Alert) -> Value {
        let path = format!("/api/concierge/alerts/{}/agent-session", alert.id);
        self.max.triggers(&path).await["session"]["id"].clone()
    }

    /// Has actions proposed. Returns their ids.
    pub async fn proposed(&self, session: &Value) -> Vec<String> {
        let path = format!("/api/concierge/agent-sessions/{session}/propose?detail=full");
        let body = self.max.triggers(&path).await;
        let actions = body["session"]["proposedActions"]
            .as_array()
            .unwrap();
        let ids = actions
            .iter()
            .map(|action| action["id"].as_str());
        ids.map(|id| id.unwrap().to_owned())
            .collect()
    }

    /// Executes actions without waiting for them.
    pub async fn executes(&self, session: &Value, ids: &[&str]) -> super::Answer {
        let path = format!("/api/concierge/agent-sessions/{session}/execute");
        self.max
            .post(&path, json!({"actionIds": ids}))
            .await
    }

    /// Executes actions once more that are not done.
    pub async fn executes_again(&self, session: &Value, ids: &[&str]) -> super::Answer {
        let path = format!("/api/concierge/agent-sessions/{session}/execute");
        let body = json!({"actionIds": ids, "again": true});
        self.max.post(&path, body).await
    }

    pub async fn cancels(&self, session: &Value) -> super::Answer {
        let path = format!("/api/concierge/agent-sessions/{session}/cancel");
        self.max.trigger(&path).await
    }

    /// A session with all members.
    pub async fn session(&self, session: &Value) -> Value {
        let path = format!("/api/concierge/agent-sessions/{session}?detail=full");
        self.max.reads(&path).await
    }

    /// The session's status and, per result, success and error.
    pub async fn outcome(&self, session: &Value) -> (String, Vec<(bool, String)>) {
        let session = self.session(session).await;
        let results = session["executionResults"]
            .as_array()
            .unwrap();
        let results = results.iter().map(|result| {
            let error = result["error"]
                .as_str()
                .unwrap_or_default();
            (result["success"].as_bool().unwrap(), error.to_owned())
        });
        let status = session["status"].as_str().unwrap();
        (status.to_owned(), results.collect())
    }

    /// A session on the stuck batch whose one automated action was approved: session and action.
    pub async fn approved_batch(&self) -> (Value, String) {
        let batch = [("usage_batch", "ub_1001")];
        self.approved("usage_batch_stuck", &batch, 0)
            .await
    }

    pub async fn with_approved_batch(self) -> (Self, Value, String) {
        let (session, action) = self.approved_batch().await;
        (self, session, action)
    }

    /// A session on a failed payment whose message to the customer was approved.
    pub async fn approved_message(&self) -> (Value, String) {
        self.approved_message_to("cus_501")
            .await
    }

    /// A session on an alert that no playbook knows, and its manual action.
    pub async fn manual_review(&self) -> (Value, String) {
        let alert = self.alert("moon_in_the_way", &[("invoice", "inv_2008")]);
        let session = self.opened(&alert.await).await;
        let action = self.proposed(&session).await.remove(0);
        (session, action)
    }

    /// A session on a failed payment whose message to the customer was sent with an unknown
    /// outcome; it took effect.
    pub async fn unknown_message(&self, customer: &str) -> (Value, String) {
        let (session, action) = self.approved_message_to(customer).await;
        self.fails("notifications", demo::FaultMode::Drop);
        self.runs(&session, &action).await;
        (session, action)
    }

    /// Like [`unknown_message`](Self::unknown_message), without an effect.
    pub async fn unknown_and_unsent(&self, customer: &str) -> (Value, String) {
        let (session, action) = self.approved_message_to(customer).await;
        self.refuses("notifications", 500);
        self.runs(&session, &action).await;
        (session, action)
    }

    /// A session on a failed payment, with an approved message to its customer.
    async fn approved_message_to(&self, customer: &str) -> (Value, String) {
        let mut failed = FAILED.into_iter();
        let (_, payment) = failed
            .find(|(payer, _)| *payer == customer)
            .unwrap();
        let entities = [("payment", payment), ("customer", customer)];
        self.approved("payment_failed", &entities, 1)
            .await
    }

    /// Has a worker run an action, whatever is in the queue.
    pub async fn runs(&self, session: &Value, action: &str) {
        let message = self.message(session, action);
        self.worker()
            .handle(event(&[(&message, 1)]))
            .await;
    }

    /// Has a customer told of a failed payment, which saves ten minutes.
    pub async fn tells(&self, customer: &str) {
        let (session, action) = self.approved_message_to(customer).await;
        self.runs(&session, &action).await;
        assert_eq!(self.outcome(&session).await.0, "completed");
    }

    /// The message that asks for an action.
    pub fn message(&self, session: &Value, action: &str) -> String {
        let message = Message::RunAction(self.key_of(session, action));
        message.to_text().unwrap()
    }

    /// The message that asks for a look at an action.
    pub fn checks(&self, session: &Value, action: &str) -> String {
        let message = Message::CheckAction(self.key_of(session, action));
        message.to_text().unwrap()
    }

    fn key_of(&self, session: &Value, action: &str) -> ActionKey {
        let session = AgentSessionId::new(session.as_i64().unwrap()).unwrap();
        ActionKey::new(self.api.home.id, session, action)
    }

    /// Sends a call to a system of the demo past the agent. Returns the status.
    pub async fn calls(&self, system: &str, call: &ApiCall) -> u16 {
        let store = self.api.store_beside().await;
        let connections = store
            .connections()
            .all(self.api.home.id)
            .await
            .unwrap();
        let mut connections = connections.into_iter();
        let connection = connections
            .find(|connection| *connection.name == *system)
            .unwrap();
        let sending = Sending {
            key: None,
            timeout: Duration::from_secs(5),
        };
        let answered = self
            .targets
            .send(&connection, call, sending)
            .await;
        let answered = answered.unwrap_or_else(|_| panic!("{system} did not answer"));
        answered.response.status().as_u16()
    }

    /// Returns the facts of reads, past the agent.
    pub async fn sees(&self, reads: &[TargetRead]) -> Facts {
        let store = self.api.store_beside().await;
        let connections = store
            .connections()
            .all(self.api.home.id)
            .await
            .unwrap();
        let through = |name: &str| {
            let mut connections = connections.iter();
            let connection = connections.find(|connection| *connection.name == *name);
            Ok(&**connection.unwrap())
        };
        let within = Duration::from_secs(5);
        let mut facts = Facts::default();
        for seen in self
            .targets
            .read_all(reads, through, within)
            .await
        {
            facts.extend(seen.unwrap().facts);
        }
        facts
    }

    /// Puts a message for each of these actions into the queue.
    pub async fn sends(&self, session: &Value, actions: &[&str]) {
        for action in actions {
            let send = self.sqs.send_message();
            let send = send.queue_url(&self.api.queues.actions.url);
            let send = send.message_body(self.message(session, action));
            send.send().await.unwrap();
        }
    }

    /// Damages an action's record: what should be a list becomes a text.
    pub async fn poisons(&self, session: &Value, action: &str) {
        let pk = format!("ORG#{}#AGENT_SESSION#{session}", self.api.home.id);
        let key = [&*pk, &format!("ACTION#{action}")];
        self.api
            .sets(key, [("content", text("poison"))])
            .await;
    }

    /// The name that the idempotency keys of this table carry.
    pub async fn stack(&self) -> String {
        text_of(
            &self
                .api
                .item(["STACK"; 2])
                .await
                .unwrap(),
            "name",
        )
        .to_owned()
    }

    /// Pretends that the stack's name was made for another table.
    pub async fn forgets_the_table_of_the_stack(&self) {
        let other = [("table", text("another"))];
        self.api.sets(["STACK"; 2], other).await;
    }

    /// The minutes that automated actions saved the organization.
    pub async fn minutes_saved(&self) -> i64 {
        let pk = format!("ORG#{}", self.api.home.id);
        let totals = self
            .api
            .item([&pk, "TOTALS"])
            .await
            .unwrap_or_default();
        let minutes = totals.get("minutesSaved");
        minutes.map_or(0, |minutes| minutes.as_n().unwrap().parse().unwrap())
    }

    /// Takes every message from the queue.
    pub async fn takes_messages(&self) -> Vec<String> {
        bodies(&self.sqs, &self.api.queues.actions.url).await
    }

    /// Returns the number of records whose last outcome is a fix.
    pub async fn fixes(&self) -> usize {
        let mut outcomes = self.api.items_of("last_outcome").await;
        outcomes.retain(|item| item["helped"].as_bool() == Ok(&true));
        outcomes.len()
    }

    /// Hands every message in the queue to a worker, and then the request that it sent for a check
    /// of the alert. Returns how many it wants again.
    pub async fn delivers(&self, worker: &Worker) -> usize {
        self.delivers_once(worker).await + self.delivers_once(worker).await
    }

    /// Hands every message in the queue to a worker. Returns how many it wants again.
    pub async fn delivers_once(&self, worker: &Worker) -> usize {
        let messages = self.takes_messages().await;
        let messages: Vec<(&str, u32)> = messages
            .iter()
            .map(|text| (text.as_str(), 1))
            .collect();
        if messages.is_empty() {
            return 0;
        }
        let handled = worker.handle(event(&messages)).await;
        handled.batch_item_failures.len()
    }

    /// Does what leads to a call without an answer. Its time is up once the target system has it
    /// and so many effects have taken place. No other call is hurried.
    pub async fn gives_up<T>(&self, effects: usize, work: impl Future<Output = T>) -> T {
        let time_is_up = async {
            self.faults_are_met().await;
            self.effects_reach(effects).await;
            time_passes(once().step_timeout).await;
        };
        futures::join!(work, time_is_up).0
    }

    /// Waits until every fault has met its call.
    pub async fn faults_are_met(&self) {
        let met = until(|| self.demo.waiting_faults() == 0);
        comes("the call that a fault is for", met).await;
    }

    /// Waits until so many effects have taken place.
    pub async fn effects_reach(&self, count: usize) {
        let effects = until(|| self.demo.effects().len() >= count);
        comes(&format!("effect {count}"), effects).await;
    }
}

async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Limits of a worker that tries each call once, with a long timeout.
pub fn once() -> WorkerLimits {
    WorkerLimits {
        step_timeout: Duration::from_secs(20),
        pauses: Vec::new(),
        ..WorkerLimits::default()
    }
}

/// A recorded SQS event with these bodies, each with how often it was received.
pub fn event(messages: &[(&str, u32)]) -> SqsEvent {
    let recorded = include_str!("../../events/sqs_message.json");
    let recorded: Value = serde_json::from_str(recorded).unwrap();
    let records = messages
        .iter()
        .enumerate()
        .map(|(at, (body, count))| {
            let mut message = recorded.clone();
            message["messageId"] = json!(format!("message-{at}"));
            message["body"] = json!(body);
            message["attributes"]["ApproximateReceiveCount"] = json!(count.to_string());
            message
        });
    serde_json::from_value(json!({"Records": records.collect::<Vec<_>>()})).unwrap()
}
