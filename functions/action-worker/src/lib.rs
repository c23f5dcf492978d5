//! The consumer of the queue: runs approved actions against target systems.
//!
//! A message is delivered at least once, and may be delivered while an earlier delivery of it is
//! still at work. What keeps an effect to once at most is the claim of the action and of its effect
//! in the table, the idempotency key where the target system honours one, and elsewhere the note
//! that a call is under way, which is written before the call and makes sure that it is never
//! repeated.
//!
//! A message is forgotten as soon as it was handled, also when nothing came of its action yet: then
//! the action says when it is due again, and the sweeper sends another message. So a message comes
//! back only when the worker itself could not handle it, and one that does so every time becomes a
//! dead letter.

mod call;
mod limits;
mod look;
mod run;

pub use limits::Limits;

use std::panic::AssertUnwindSafe;

use aws_lambda_events::sqs::{SqsBatchResponse, SqsEvent, SqsMessage};
use futures::{FutureExt, StreamExt, stream};
use model::{ActionState, AgentSessionId, Claim, Error, Message, OrganizationId, Stopwatch};
use runtime::{
    queue::Queue,
    telemetry::{self, Metric},
};
use store::{HeldAction, Store};
use targets::Targets;

use self::run::Run;

/// Messages that are worked on at the same time.
const CONCURRENCY: usize = 10;

/// Runs approved actions. Built once per cold start.
#[derive(Debug)]
pub struct Worker {
    store: Store,
    queue: Queue,
    targets: Targets,
    limits: Limits,
}

impl Worker {
    /// A worker on that store which calls its organizations' connections, and sends to that queue.
    #[must_use]
    pub fn new(store: Store, queue: Queue, targets: Targets, limits: Limits) -> Self {
        Self {
            store: store.patient(),
            queue,
            targets,
            limits,
        }
    }

    /// Works through a batch; answers which messages are to be delivered again. Each stands for
    /// itself: neither an error nor a panic of one reaches another.
    pub async fn handle(&self, event: SqsEvent) -> SqsBatchResponse {
        let handled: Vec<(SqsMessage, bool)> = stream::iter(event.records)
            .map(|message| async move {
                let is_handled = self.guarded(&message).await;
                (message, is_handled)
            })
            .buffered(CONCURRENCY)
            .collect()
            .await;
        let mut response = SqsBatchResponse::default();
        for (message, is_handled) in handled {
            if !is_handled {
                // Without an id it is the whole batch that is delivered again.
                response.add_failure(message.message_id.unwrap_or_default());
            }
        }
        response
    }

    /// Handles a message; answers whether it did. When it could not and the message is delivered no
    /// more, a damaged action is set aside. One that is sound is left to the sweeper.
    async fn guarded(&self, message: &SqsMessage) -> bool {
        let message_id = message.message_id.as_deref().unwrap_or_default();
        let handled = AssertUnwindSafe(self.process(message)).catch_unwind().await;
        let cause = match handled {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => error.chain(),
            Err(_) => "a panic".to_owned(),
        };
        tracing::error!(messageId = message_id, cause, "a message was not handled");
        if self.is_last_delivery(message)
            && let Err(error) = self.dead_letter(message).await
        {
            let cause = error.chain();
            tracing::error!(messageId = message_id, cause, "an action was not looked at");
        }
        false
    }

    async fn process(&self, message: &SqsMessage) -> Result<(), Error> {
        match read(message)? {
            Message::RunAction {
                organization_id,
                session_id,
                action_id,
            } => {
                self.run_action(organization_id, session_id, &action_id)
                    .await
            }
            Message::LookAtAction {
                organization_id,
                session_id,
                action_id,
            } => self.look(organization_id, session_id, &action_id).await,
        }
    }

    async fn run_action(
        &self,
        organization_id: OrganizationId,
        session_id: AgentSessionId,
        action_id: &str,
    ) -> Result<(), Error> {
        let since = Stopwatch::start();
        let agent = self.store.agent();
        let lease = self.limits.lease_millis();
        let claim = agent
            .claim(organization_id, session_id, action_id, lease)
            .await?;
        let verifies = match claim {
            Claim::Busy | Claim::PutOff => return Ok(()),
            Claim::Over => false,
            Claim::Ended(outcome) => {
                self.count(outcome);
                false
            }
            Claim::Held(held) => self.run(held).await?,
        };
        self.ended(organization_id, session_id, action_id).await?;
        let has_time = since.elapsed() + self.limits.look_timeout() < self.limits.lease;
        if verifies
            && has_time
            && let Err(error) = self.look(organization_id, session_id, action_id).await
        {
            let cause = error.chain();
            tracing::warn!(%organization_id, %session_id, cause, "the sweeper will have it looked at");
        }
        Ok(())
    }

    /// Runs an action that was claimed just now; answers whether it is looked at once whether that had its
    /// effect.
    async fn run(&self, held: HeldAction) -> Result<bool, Error> {
        let verifies = held.action.verify.is_some();
        let run = Run::new(&self.store, &self.targets, &self.limits, held);
        let outcome = run.run().await?;
        if let Some(outcome) = outcome {
            self.count(outcome);
        }
        Ok(verifies && outcome == Some(ActionState::Succeeded))
    }

    /// Looks at an action that has ended, if that is due.
    async fn look(
        &self,
        organization_id: OrganizationId,
        session_id: AgentSessionId,
        action_id: &str,
    ) -> Result<(), Error> {
        let action = (organization_id, session_id, action_id);
        look::look_at(&self.store, &self.targets, &self.limits, action).await
    }

    /// Ends the session after the last of its actions; otherwise tells the worker of those that
    /// waited for this one.
    async fn ended(
        &self,
        organization_id: OrganizationId,
        session_id: AgentSessionId,
        action_id: &str,
    ) -> Result<(), Error> {
        let agent = self.store.agent();
        let next = agent.settle_after(organization_id, session_id, action_id);
        let messages: Vec<Message> = next
            .await?
            .into_iter()
            .map(|action_id| Message::RunAction {
                organization_id,
                session_id,
                action_id,
            })
            .collect();
        for sent in self.queue.send(&messages).await {
            if let Err(error) = sent {
                let cause = error.chain();
                tracing::warn!(%organization_id, %session_id, cause, "the sweeper will send it");
            }
        }
        Ok(())
    }

    /// Sets the action of a message aside that becomes a dead letter, if its record is damaged.
    async fn dead_letter(&self, message: &SqsMessage) -> Result<(), Error> {
        let Ok(
            Message::RunAction {
                organization_id,
                session_id,
                action_id,
            }
            | Message::LookAtAction {
                organization_id,
                session_id,
                action_id,
            },
        ) = read(message)
        else {
            // It names no action.
            return Ok(());
        };
        let agent = self.store.agent();
        let was_damaged = agent
            .set_aside_if_damaged(organization_id, session_id, &action_id)
            .await?;
        if was_damaged {
            self.count(ActionState::Unknown);
            self.ended(organization_id, session_id, &action_id).await?;
        }
        Ok(())
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
