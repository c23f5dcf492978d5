//! The consumer of the queue: runs approved actions against target systems.
//!
//! A message is delivered at least once, and two deliveries may overlap. Three mechanisms keep an
//! effect at most once:
//!
//! - The action and its effects are claimed in the table.
//! - The call carries an idempotency key, where the target system honours one.
//! - Elsewhere, a record written before the call prevents a repeat.
//!
//! A message is deleted once it is handled, even if its action has no result yet. The action then
//! stores its retry time, and the sweeper sends another message. An action that waits for its slot
//! at a connection gets a delayed message. A message is redelivered only if the worker itself
//! failed. A message that fails every time becomes a dead letter.

mod check;
mod context;
mod limits;
mod run;

pub use limits::WorkerLimits;

use std::time::Duration;

use agent::{
    action::{ActionKey, ActionState, Message},
    transition::Claim,
};
use aws_lambda_events::sqs::{SqsBatchResponse, SqsEvent, SqsMessage};
use futures::{StreamExt, stream};
use model::base::{Clock, Error, Id, Stopwatch, Timestamp};
use runtime::{
    FromStart, Start, config, messages,
    queue::Queue,
    telemetry::{self, Metric},
};
use store::{agent::HeldAction, base::Store};
use targets::Targets;

use self::{context::Context, run::Run};

/// Messages handled concurrently.
const CONCURRENCY: usize = 10;

/// Runs approved actions. Created once per cold start.
#[derive(Debug)]
pub struct Worker {
    context: Context,
    queue: Queue,
}

impl Worker {
    pub fn new(store: Store, queue: Queue, targets: Targets, limits: WorkerLimits) -> Self {
        let store = store.patient();
        let targets = targets.counted_in(store.clone());
        Self {
            context: Context {
                store,
                targets,
                limits,
            },
            queue,
        }
    }

    /// Handles a batch. Returns the messages to redeliver. An error or a panic of one message does
    /// not affect the others.
    pub async fn handle(&self, event: SqsEvent) -> SqsBatchResponse {
        let handled = stream::iter(event.records).map(|message| async move {
            let is_handled = self.guarded(&message).await;
            (message, is_handled)
        });
        let handled: Vec<_> = handled
            .buffered(CONCURRENCY)
            .collect()
            .await;
        messages::response(handled)
    }

    /// Handles a message. Returns whether it succeeded. After the last delivery, a damaged action
    /// is set aside; the sweeper resumes an intact one.
    async fn guarded(&self, message: &SqsMessage) -> bool {
        if messages::is_handled(message, self.process(message)).await {
            return true;
        }
        if self.is_last_delivery(message)
            && let Err(error) = self.dead_letter(message).await
        {
            let cause = error.chain();
            tracing::error!(
                messageId = message
                    .message_id
                    .as_deref()
                    .unwrap_or_default(),
                cause,
                "cannot check an action's record"
            );
        }
        false
    }

    async fn process(&self, message: &SqsMessage) -> Result<(), Error> {
        match messages::read(message)? {
            Message::RunAction(action) => self.run_action(action).await,
            Message::CheckAction(action) => self.check(&action).await,
            Message::CheckAlert {
                organization_id,
                session_id,
            } => {
                self.context
                    .check_alert(organization_id, session_id)
                    .await
            }
        }
    }

    async fn run_action(&self, action: ActionKey) -> Result<(), Error> {
        let since = Stopwatch::start();
        let agent = self.context.store.agent();
        let lease = self.context.limits.lease_millis();
        let verifies = match agent.claim(&action, lease).await? {
            Claim::Busy | Claim::Deferred => return Ok(()),
            Claim::Slot(slot) => {
                self.send_at(slot, Message::RunAction(action))
                    .await;
                return Ok(());
            }
            Claim::Over => false,
            Claim::Ended(outcome) => {
                self.count(outcome);
                false
            }
            Claim::Held(held) => self.run(held).await?,
        };
        self.ended(&action).await?;
        let has_time =
            since.elapsed() + self.context.limits.check_timeout() < self.context.limits.lease;
        if verifies
            && has_time
            && let Err(error) = self.check(&action).await
        {
            tracing::warn!(
                organizationId = action.organization_id.get(),
                sessionId = action.session_id.get(),
                cause = error.chain(),
                "the sweeper will request the check again"
            );
        }
        Ok(())
    }

    /// Sends a message that is delivered at an instant. If that fails, the sweeper sends it.
    async fn send_at(&self, at: Timestamp, message: Message) {
        let delay = at.millis() - self.context.store.now().millis();
        let delay = Duration::from_millis(u64::try_from(delay).unwrap_or(0));
        self.queue
            .try_send_after(message, delay)
            .await;
    }

    /// Runs a claimed action. Returns whether its effect is to be verified at once.
    async fn run(&self, held: HeldAction) -> Result<bool, Error> {
        let verifies = held.action.content.verify.is_some();
        let run = Run::new(&self.context, held);
        let outcome = run
            .run()
            .await?
            .inspect(|outcome| self.count(*outcome));
        Ok(verifies && outcome == Some(ActionState::Succeeded))
    }

    /// Checks an ended action, if a check is due.
    async fn check(&self, action: &ActionKey) -> Result<(), Error> {
        let message = self
            .context
            .check_action(action)
            .await?;
        self.queue
            .try_send(message.as_slice())
            .await;
        Ok(())
    }

    /// Ends the session after its last action, and requests the check of its alert. Otherwise sends
    /// messages for the actions that waited for this one.
    async fn ended(&self, action: &ActionKey) -> Result<(), Error> {
        let next = self
            .context
            .store
            .agent()
            .settle_after(action)
            .await?;
        self.queue.try_send(&next).await;
        Ok(())
    }

    /// Sets aside the action of a dead letter, if its record is damaged.
    async fn dead_letter(&self, message: &SqsMessage) -> Result<(), Error> {
        let Ok(Message::RunAction(action) | Message::CheckAction(action)) = messages::read(message)
        else {
            // The message names no action.
            return Ok(());
        };
        let agent = self.context.store.agent();
        if agent
            .set_aside_if_damaged(&action)
            .await?
        {
            self.count(ActionState::Unknown);
            self.ended(&action).await?;
        }
        Ok(())
    }

    fn count(&self, outcome: ActionState) {
        telemetry::count(Metric::Action(outcome.name()), self.context.store.now());
    }

    fn is_last_delivery(&self, message: &SqsMessage) -> bool {
        let count = message
            .attributes
            .get("ApproximateReceiveCount");
        let count = count.and_then(|count| count.parse::<u32>().ok());
        count.is_some_and(|count| count >= self.context.limits.deliveries)
    }
}

impl FromStart for Worker {
    fn from_start(start: &Start) -> Result<Self, lambda_runtime::Error> {
        let store = Store::new(start.dynamodb.clone(), &start.table, Clock::system());
        let queue = start.queue(config::ACTIONS)?;
        let limits = WorkerLimits::read(&start.environment)?;
        Ok(Self::new(store, queue, Targets::of(start)?, limits))
    }
}

runtime::background!(Worker: SqsEvent => SqsBatchResponse, Client);
