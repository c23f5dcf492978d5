//! The consumer of the queue: runs approved actions against target systems.
//!
//! A message is delivered at least once, and may be delivered while an earlier delivery of it is
//! still at work. What keeps an action's effect to once at most is the claim in the table, the
//! idempotency key where the target system honours one, and elsewhere the note that a call is
//! under way, which is written before the call and makes sure that it is never repeated.

mod call;
mod limits;
mod run;

pub use limits::Limits;

use std::panic::AssertUnwindSafe;

use aws_lambda_events::sqs::{SqsBatchResponse, SqsEvent, SqsMessage};
use futures::{FutureExt, StreamExt, stream};
use model::{ActionState, AgentAction, Claim, Error, Message};
use runtime::{
    target_systems::TargetSystems,
    telemetry::{self, Metric},
};
use store::Store;

use self::run::{Done, Run};

/// Messages that are worked on at the same time.
const CONCURRENCY: usize = 10;

/// Runs approved actions. Built once per cold start.
#[derive(Debug)]
pub struct Worker {
    store: Store,
    targets: TargetSystems,
    limits: Limits,
    http: reqwest::Client,
}

impl Worker {
    /// A worker on that store which calls those systems and no others.
    pub fn new(store: Store, targets: TargetSystems, limits: Limits) -> Result<Self, Error> {
        Ok(Self {
            store,
            targets,
            limits,
            http: call::client()?,
        })
    }

    /// Works through a batch; answers which messages are to be delivered again. Each stands for
    /// itself: neither an error nor a panic of one reaches another.
    pub async fn handle(&self, event: SqsEvent) -> SqsBatchResponse {
        let handled: Vec<(SqsMessage, Done)> = stream::iter(event.records)
            .map(|message| async move {
                let done = self.guarded(&message).await;
                (message, done)
            })
            .buffered(CONCURRENCY)
            .collect()
            .await;
        let mut response = SqsBatchResponse::default();
        for (message, done) in handled {
            if done == Done::Again {
                // Without an id it is the whole batch that is delivered again.
                response.add_failure(message.message_id.unwrap_or_default());
            }
        }
        response
    }

    /// Handles a message. When its last delivery fails, its action is ended before the message
    /// becomes a dead letter.
    async fn guarded(&self, message: &SqsMessage) -> Done {
        let message_id = message.message_id.as_deref().unwrap_or_default();
        let handled = AssertUnwindSafe(self.process(message)).catch_unwind().await;
        let cause = match handled {
            Ok(Ok(Done::Handled)) => return Done::Handled,
            Ok(Ok(Done::Again)) => None,
            Ok(Err(error)) => Some(error.chain()),
            Err(_) => Some("a panic".to_owned()),
        };
        if let Some(cause) = &cause {
            tracing::error!(messageId = message_id, cause, "a message was not handled");
        }
        if self.is_last_delivery(message)
            && let Err(error) = self.dead_letter(message).await
        {
            let cause = error.chain();
            tracing::error!(messageId = message_id, cause, "an action was not given up");
        }
        Done::Again
    }

    async fn process(&self, message: &SqsMessage) -> Result<Done, Error> {
        let Message::RunAction {
            organization_id,
            session_id,
            action_id,
        } = read(message)?;
        let agent = self.store.agent();
        let target = |name: &str| self.targets.idempotency(name);
        let lease = self.limits.lease_millis();
        let claim = agent
            .claim(organization_id, session_id, &action_id, lease, target)
            .await?;
        let done = match claim {
            Claim::Busy => return Ok(Done::Handled),
            Claim::Over => Done::Handled,
            Claim::Ended(outcome) => {
                self.count(outcome);
                Done::Handled
            }
            Claim::Held(action) => self.run(*action, self.is_last_delivery(message)).await?,
        };
        agent.settle(organization_id, session_id).await?;
        Ok(done)
    }

    /// Runs an action that was claimed just now.
    async fn run(&self, action: AgentAction, is_last: bool) -> Result<Done, Error> {
        let system = self.targets.get(&action.target_system);
        let run = Run::new(&self.store, &self.http, &self.limits, action);
        let ran = run.run(system, is_last).await?;
        if let Some(outcome) = ran.recorded {
            self.count(outcome);
        }
        Ok(ran.done)
    }

    /// Ends the action of a message that becomes a dead letter.
    async fn dead_letter(&self, message: &SqsMessage) -> Result<(), Error> {
        let Ok(Message::RunAction {
            organization_id,
            session_id,
            action_id,
        }) = read(message)
        else {
            // It names no action.
            return Ok(());
        };
        let agent = self.store.agent();
        let why = "Given up after its message was delivered several times.";
        let ended = agent
            .give_up(organization_id, session_id, &action_id, why)
            .await?;
        if let Some(outcome) = ended {
            self.count(outcome);
        }
        match agent.settle(organization_id, session_id).await {
            Ok(_) | Err(Error::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Counts an outcome that was just written.
    fn count(&self, outcome: ActionState) {
        telemetry::count(Metric::Action(outcome.name()), self.store.now());
    }

    fn is_last_delivery(&self, message: &SqsMessage) -> bool {
        message
            .attributes
            .get("ApproximateReceiveCount")
            .and_then(|count| count.parse::<u32>().ok())
            .is_some_and(|count| count >= self.limits.deliveries)
    }
}

fn read(message: &SqsMessage) -> Result<Message, Error> {
    Message::from_text(message.body.as_deref().unwrap_or_default())
}
