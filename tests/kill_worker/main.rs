//! Kills the real `action-worker` process with SIGKILL between the call of a target system and
//! the record of its answer, a hundred times, and counts what was lost, done twice or left
//! hanging. Exits with 1 unless all three are 0.
//!
//! `cargo run -p tests --bin kill-worker [kills]`
//!
//! Half of the actions issue a credit note, which nothing but its idempotency key keeps from being
//! issued twice; each must end as succeeded, with one effect. The other half send a message
//! through a system that takes no notice of keys; each must end as unknown, with one effect,
//! since no answer told what became of it and sending it again could do it twice.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for the terminal, which ends with the first thing that is not as it should be"
)]

use std::{
    process::{ExitCode, Stdio},
    time::Duration,
};

use local::{
    engines::{Engines, REGION},
    target_systems::{DemoTargets as Demo, Fault, FaultMode},
};
use resolution_agent::{Engine, PlaybookEngine};
use serde_json::Value;
use shared::{
    clock::Clock,
    model::{
        ActionState, ActionType, AgentSessionId, AgentSessionStatus, Message, Money,
        OrganizationId, Signal, SignalEntity, SignalStatus, Stopwatch, UserId,
    },
    queue::Queue,
    store::{Approval, NewSignal, Store},
    target_systems::TargetSystems,
};
use sweeper::Sweeper;
use tokio::process::{Child, Command};

use tests::RuntimeApi;

/// How long anything may take that should take no time.
const PATIENCE: Duration = Duration::from_mins(2);

struct World {
    engines: Engines,
    demo: Demo,
    store: Store,
    engine: PlaybookEngine,
    tenant: OrganizationId,
    runtime: RuntimeApi,
}

/// An action that was approved, and what tells its effects from those of others.
struct Approved {
    session: AgentSessionId,
    action: String,
    mark: String,
    honours_keys: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads its arguments"
    )]
    let kills: usize = std::env::args()
        .nth(1)
        .map_or(100, |kills| kills.parse().unwrap());
    build_worker().await;
    let world = World::start().await;
    let began = Stopwatch::start();

    let mut approved = Vec::new();
    let mut in_between = 0;
    for round in 0..kills {
        let one = world.approve(round).await;
        in_between += usize::from(world.kill_after_the_call(&one).await);
        approved.push(one);
    }
    println!(
        "{kills} workers killed in {:?}, {in_between} of them between the call and the record",
        began.elapsed()
    );

    world.recover(&approved).await;
    let (mut lost, mut duplicated, mut stuck, mut wrong) = (0, 0, 0, 0);
    for one in &approved {
        let effects = world.effects(one);
        lost += usize::from(effects == 0);
        duplicated += usize::from(effects > 1);
        let (ended, state) = world.state(one).await;
        stuck += usize::from(!ended);
        let expected = if one.honours_keys {
            ActionState::Succeeded
        } else {
            ActionState::Unknown
        };
        wrong += usize::from(state != Some(expected));
    }
    println!("ended after {:?}", began.elapsed());
    println!("lost: {lost}\nduplicated: {duplicated}\nstuck: {stuck}");
    println!("with another outcome than succeeded (keys) or unknown (no keys): {wrong}");
    if in_between == kills && lost + duplicated + stuck + wrong == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

async fn build_worker() {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "action-worker"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .status();
    assert!(
        built.await.unwrap().success(),
        "action-worker does not build"
    );
}

impl World {
    async fn start() -> Self {
        let engines = Engines::in_memory().await.unwrap();
        let demo = Demo::start(0, None).unwrap();
        let store = Store::new(engines.dynamodb(), engines.table_name(), Clock::system());
        let organization = store
            .directory()
            .create_organization("Halden Services".into(), vec![])
            .await
            .unwrap();
        let targets = TargetSystems::parse(&demo.settings().to_string()).unwrap();
        Self {
            engines,
            demo,
            store,
            engine: PlaybookEngine::new(targets).unwrap(),
            tenant: organization.id,
            runtime: RuntimeApi::start().await,
        }
    }

    fn queue(&self) -> Queue {
        Queue::new(self.engines.sqs(), &self.engines.queues().action_url)
    }

    /// A worker as Lambda starts it, with a lease of a second.
    fn worker(&self) -> Child {
        let beside = std::env::current_exe().unwrap();
        Command::new(beside.with_file_name("action-worker"))
            .env_clear()
            .envs([
                ("AWS_LAMBDA_RUNTIME_API", self.runtime.address()),
                ("AWS_LAMBDA_FUNCTION_NAME", "action-worker"),
                ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
                ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
                ("AWS_LAMBDA_LOG_GROUP_NAME", "local"),
                ("AWS_LAMBDA_LOG_STREAM_NAME", "local"),
                ("AWS_REGION", REGION),
                ("AWS_ACCESS_KEY_ID", "local"),
                ("AWS_SECRET_ACCESS_KEY", "local"),
                ("AWS_ENDPOINT_URL_DYNAMODB", self.engines.dynamodb_url()),
                ("TABLE_NAME", self.engines.table_name()),
                ("TARGET_SYSTEMS", &self.demo.settings().to_string()),
                ("ACTION_LEASE_SECONDS", "1"),
                ("RUST_LOG", "off"),
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    }

    /// A session with one approved action, whose message is in the queue.
    async fn approve(&self, round: usize) -> Approved {
        let honours_keys = round.is_multiple_of(2);
        let payment = format!("pay_{round}");
        let (signal_type, entities, wanted) = if honours_keys {
            let entities = vec![("invoice", "inv_2007")];
            ("invoice_duplicated", entities, ActionType::IssueCreditNote)
        } else {
            let entities = vec![("payment", payment.as_str()), ("customer", "cus_501")];
            ("payment_failed", entities, ActionType::NotifyCustomer)
        };
        let new = NewSignal {
            source: "kill-worker".into(),
            external_id: round.to_string(),
            signal_type: signal_type.into(),
            severity: "error".into(),
            status: SignalStatus::Open,
            title: format!("Round {round}"),
            description: None,
            target_system: "billing".into(),
            entities: entities
                .into_iter()
                .map(|(kind, id)| SignalEntity {
                    kind: kind.into(),
                    id: id.into(),
                })
                .collect(),
            labels: std::collections::BTreeMap::new(),
            metric: None,
            amount_at_risk: Some(Money {
                minor_units: 1,
                currency: "USD".into(),
            }),
            lifecycle: Vec::new(),
            occurred_at: Clock::system().now(),
        };
        let signal = self.store.signals().create(self.tenant, new).await.unwrap();
        let agent = self.store.agent();
        let nobody: UserId = shared::model::Id::new(1).unwrap();
        let session = agent.open(self.tenant, signal.id, nobody).await.unwrap().id;
        let analyse = async |signal: &Signal, history: &[Signal]| {
            Ok(self.engine.analyse(signal, history).await.unwrap())
        };
        let proposed = agent.propose(self.tenant, session, analyse, "It failed.");
        let proposed = proposed.await.unwrap();
        let actions = proposed.proposed_actions.iter();
        let mut actions = actions.filter(|action| action.action_type == wanted);
        let action = actions.next().unwrap().id.clone();
        let ids = std::slice::from_ref(&action);
        let approval = agent
            .approve(self.tenant, session, ids, None)
            .await
            .unwrap();
        assert!(matches!(approval, Approval::Queued(..)));
        let message = Message::RunAction {
            organization_id: self.tenant,
            session_id: session,
            action_id: action.clone(),
        };
        assert!(
            self.queue()
                .send(&[message])
                .await
                .iter()
                .all(Result::is_ok)
        );
        let mark = if honours_keys {
            format!("wd-{}-{session}-{action}-1", self.tenant)
        } else {
            payment
        };
        Approved {
            session,
            action,
            mark,
            honours_keys,
        }
    }

    /// Delivers the message in the queue to a worker, and kills it once the effect shows, long
    /// before the answer comes. Answers whether the record does not know of it.
    async fn kill_after_the_call(&self, one: &Approved) -> bool {
        let system = if one.honours_keys {
            "billing"
        } else {
            "notifications"
        };
        self.demo.inject(Fault {
            delay_ms: 30_000,
            ..Fault::once(system, FaultMode::Delay)
        });
        let mut worker = self.worker();
        // Its receipt is thrown away: the message stays invisible, as after any crash.
        let (event, _) = self.receive().await.unwrap();
        self.runtime.invoke(event);
        let began = Stopwatch::start();
        while self.effects(one) == 0 {
            assert!(began.elapsed() < PATIENCE, "no effect of {}", one.action);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // SIGKILL, and the process is gone when this returns.
        worker.kill().await.unwrap();
        let (_, state) = self.state(one).await;
        state == Some(ActionState::Running)
    }

    /// What happens after a crash: the sweeper sends again, other workers take over.
    async fn recover(&self, approved: &[Approved]) {
        let sweeper = Sweeper::new(self.store.clone(), self.queue());
        let _worker = self.worker();
        let began = Stopwatch::start();
        while began.elapsed() < PATIENCE {
            let mut all_ended = true;
            for one in approved {
                all_ended &= self.state(one).await.0;
            }
            if all_ended {
                return;
            }
            sweeper.sweep().await;
            while let Some((event, receipts)) = self.receive().await {
                self.runtime.invoke(event);
                let failures = self.runtime.answer().await["batchItemFailures"].clone();
                for (message_id, receipt) in receipts {
                    let failed = |failure: &Value| failure["itemIdentifier"] == *message_id;
                    if !failures.as_array().unwrap().iter().any(failed) {
                        let delete = self.engines.sqs().delete_message().receipt_handle(receipt);
                        let url = &self.engines.queues().action_url;
                        delete.queue_url(url).send().await.unwrap();
                    }
                }
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// Up to ten messages as the event that Lambda makes of them, and their receipts by id.
    async fn receive(&self) -> Option<(Value, Vec<(String, String)>)> {
        let received = self
            .engines
            .sqs()
            .receive_message()
            .queue_url(&self.engines.queues().action_url)
            .max_number_of_messages(10)
            .message_system_attribute_names(aws_sdk_sqs::types::MessageSystemAttributeName::All)
            .send()
            .await
            .unwrap();
        let messages = received.messages.filter(|messages| !messages.is_empty())?;
        let records: Vec<Value> = messages
            .iter()
            .map(|message| {
                let attributes: serde_json::Map<String, Value> = message
                    .attributes
                    .iter()
                    .flatten()
                    .map(|(name, value)| (name.as_str().to_owned(), value.as_str().into()))
                    .collect();
                serde_json::json!({
                    "messageId": message.message_id, "receiptHandle": message.receipt_handle,
                    "body": message.body, "attributes": attributes, "messageAttributes": {},
                    "eventSource": "aws:sqs", "awsRegion": REGION,
                })
            })
            .collect();
        let receipts = messages
            .into_iter()
            .map(|message| (message.message_id.unwrap(), message.receipt_handle.unwrap()))
            .collect();
        Some((serde_json::json!({ "Records": records }), receipts))
    }

    /// How often an action took effect.
    fn effects(&self, one: &Approved) -> usize {
        if one.honours_keys {
            let effects = self.demo.effects();
            let mut keys = effects
                .iter()
                .map(|effect| effect.idempotency_key.as_deref());
            return keys.by_ref().filter(|key| *key == Some(&one.mark)).count();
        }
        let state = self.demo.state();
        let messages = state["messages"].as_array().unwrap().iter();
        messages
            .filter(|message| message["content"]["paymentId"] == *one.mark)
            .count()
    }

    /// Whether the session has ended, and where its action stands.
    async fn state(&self, one: &Approved) -> (bool, Option<ActionState>) {
        let agent = self.store.agent();
        let whole = agent.get(self.tenant, one.session).await.unwrap();
        let status = whole.session.status;
        let ended = matches!(
            status,
            AgentSessionStatus::Completed | AgentSessionStatus::Failed
        );
        (ended, whole.state(&one.action))
    }
}
