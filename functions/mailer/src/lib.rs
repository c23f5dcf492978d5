//! The consumer of the mail queue: sends mails by SMTP.
//!
//! A mail is sent at least once. An attempt begins and ends with a conditional write: a mail that
//! the server accepted is sent again only after a crash before the second write. Its `Message-ID`
//! stays the same. If a message of the queue is lost, the sweeper sends another one.

mod post;
mod writer;

use aws_lambda_events::sqs::{SqsBatchResponse, SqsEvent};
use model::{
    base::{Clock, Error, Id},
    updates::MailMessage,
};
use runtime::{
    FromStart, Start, config, messages,
    queue::Queue,
    telemetry::{self, Metric},
};
use store::{
    base::Store,
    updates::{MailAttempt, MailOutcome},
};

pub use post::Post;
pub use writer::Writer;

/// Sends mails. Created once per cold start.
#[derive(Debug)]
pub struct Mailer {
    store: Store,
    queue: Queue,
    /// None in a deployment that sends no mail.
    sending: Option<(Writer, Post)>,
}

impl Mailer {
    pub fn new(store: Store, queue: Queue, sending: Option<(Writer, Post)>) -> Self {
        Self {
            store: store.patient(),
            queue,
            sending,
        }
    }

    /// Handles a batch. Returns the messages to deliver again.
    pub async fn handle(&self, event: SqsEvent) -> SqsBatchResponse {
        let now = self.store.now();
        let one_group = |_: &MailMessage| ();
        messages::handle_groups(event, &self.queue, now, one_group, |message| {
            self.attempt(message)
        })
        .await
    }

    /// Attempts to send a mail, if an attempt is due. Returns the message for the next attempt.
    async fn attempt(&self, message: MailMessage) -> Result<Option<MailMessage>, Error> {
        let mails = self.store.mails();
        let Some(attempt) = mails
            .begin(message.organization_id, &message.mail_id)
            .await?
        else {
            return Ok(None);
        };
        let outcome = self.send(&attempt).await;
        if let Some(counted) = counted(&outcome) {
            telemetry::count(Metric::Mail(counted), self.store.now());
        }
        tracing::info!(
            organizationId = message.organization_id.get(),
            mailId = message.mail_id,
            attempt = attempt.mail.sending.attempts,
            outcome = outcome.name(),
            problem = outcome.problem(),
        );
        mails.end(*attempt, outcome).await
    }

    async fn send(&self, attempt: &MailAttempt) -> MailOutcome {
        let Some((writer, post)) = &self.sending else {
            return MailOutcome::Deferred("The deployment sends no mail.".to_owned());
        };
        let now = self.store.now();
        if attempt.mail.is_late(now) {
            return MailOutcome::Unwanted;
        }
        match writer.write(attempt) {
            Ok(Some(letter)) => {
                post.send(&attempt.mail, &letter, now)
                    .await
            }
            Ok(None) => MailOutcome::Unwanted,
            Err(problem) => MailOutcome::Deferred(problem.to_owned()),
        }
    }
}

/// The outcome of an attempt, as the metric names it. None for a mail that was not sent on purpose.
fn counted(outcome: &MailOutcome) -> Option<&'static str> {
    match outcome {
        MailOutcome::Sent => Some("sent"),
        MailOutcome::Refused(_) | MailOutcome::Deferred(_) => Some("failed"),
        MailOutcome::Unwanted => None,
    }
}

impl FromStart for Mailer {
    fn from_start(start: &Start) -> Result<Self, lambda_runtime::Error> {
        let store = Store::new(start.dynamodb.clone(), &start.table, Clock::system());
        let queue = start.queue(config::MAILS)?;
        let writer = Writer::of(&start.environment)?;
        let post = Post::of(&start.environment)?;
        Ok(Self::new(store, queue, writer.zip(post)))
    }
}

runtime::background!(Mailer: SqsEvent => SqsBatchResponse, Client);
