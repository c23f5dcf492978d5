//! Resends lost messages, ends abandoned actions and sessions, finishes deletes, reminds users, and
//! sends the messages of webhook deliveries and mails that are due.
//!
//! Due work is in shards. Each minute a message goes out for each shard that has some, and starts a
//! run for it. A run resumes what a crashed request or worker left undone. A crashed run leaves
//! nothing worse, and two runs of a shard at the same time only work in vain.
//!
//! A cleanup has a message of its own. The runs find those whose message came to nothing.
//!
//! Each minute, the discovery documents and keys of organizations' providers are read again that
//! are older than an hour.

mod providers;
mod swept;

use std::{collections::BTreeMap, time::Duration};

use agent::{action::Message, session::AgentSessionStatus};
use aws_lambda_events::sqs::{SqsBatchResponse, SqsEvent, SqsMessage};
use futures::{StreamExt, stream};
use model::{
    base::{Clock, Error, QueueMessage, Timestamp, span},
    updates::{Mail, WebhookDelivery},
};
use runtime::{
    FromStart, Start, config, messages,
    queue::Queue,
    telemetry::{self, Metric},
};
use serde::{Deserialize, Serialize, de::IgnoredAny};
use store::{
    Page, PageRequest,
    agent::{DueAction, DueSession, DueWork},
    base::Store,
    updates::OutboxRecord,
    upkeep::{CleanupName, CleanupRound, Shard, SweepMessage},
};
use targets::ProviderCaller;
use tokio::time::timeout;

pub use swept::Swept;

/// Page size of due actions, sessions or deliveries.
const AT_ONCE: usize = 200;

/// Records handled concurrently.
const CONCURRENCY: usize = 10;

/// Shards counted concurrently, each by eight queries.
const COUNTED: usize = 4;

/// Time limit of a run: less than a minute, after which the next one begins, and than the
/// function's timeout.
const BUDGET: Duration = Duration::from_secs(50);

/// Sweeps. Created once per cold start.
#[derive(Clone, Debug)]
pub struct Sweeper {
    store: Store,
    queues: SweeperQueues,
    providers: ProviderCaller,
    budget: Duration,
}

#[derive(Clone, Debug)]
pub struct SweeperQueues {
    pub actions: Queue,
    pub webhooks: Queue,
    pub mails: Queue,
    pub sweeps: Queue,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Event {
    Messages(SqsEvent),
    Minute(IgnoredAny),
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum SweepAnswer {
    /// The messages to deliver again.
    Messages(SqsBatchResponse),
    Minute(Started),
}

/// The outcome of a minute's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Started {
    /// Shards for which a message was sent.
    pub shards: usize,
    /// Providers whose discovery documents were read.
    pub providers: usize,
    /// Shards without a count, and unsent messages. The log has the reasons.
    pub errors: usize,
}

impl Sweeper {
    pub fn new(store: Store, queues: SweeperQueues, providers: ProviderCaller) -> Self {
        Self {
            store,
            queues,
            providers,
            budget: BUDGET,
        }
    }

    /// Returns the sweeper with another time limit of a run, 50 seconds by default.
    #[must_use]
    pub fn within(self, budget: Duration) -> Self {
        Self { budget, ..self }
    }

    pub async fn handle(&self, event: Event) -> SweepAnswer {
        match event {
            Event::Messages(messages) => SweepAnswer::Messages(self.messages(messages).await),
            Event::Minute(_) => SweepAnswer::Minute(self.start().await),
        }
    }

    /// Sends a message for each shard that has due work. Measures the due work.
    pub async fn start(&self) -> Started {
        let now = self.store.now();
        let due_counts = self.store.due_counts();
        let counted: Vec<_> = stream::iter(Shard::all())
            .map(async |shard| (shard, due_counts.of(shard, now).await))
            .buffer_unordered(COUNTED)
            .collect()
            .await;
        let mut started = Started::default();
        let mut kinds: BTreeMap<&str, (usize, Timestamp)> = BTreeMap::new();
        let mut overdue = 0;
        let mut messages = Vec::new();
        for (shard, counts) in counted {
            match counts {
                Ok(counts) if counts.is_empty() => {}
                Ok(counts) => {
                    if counts.iter().any(|due| due.count > 0) {
                        messages.push(SweepMessage::Shard { shard });
                    }
                    for due in counts {
                        overdue += due.overdue;
                        let (count, oldest) = kinds
                            .entry(due.kind)
                            .or_insert((0, now));
                        *count += due.count;
                        *oldest = due.oldest.min(*oldest);
                    }
                }
                Err(error) => started.failed(&error),
            }
        }
        for sent in self.queues.sweeps.send(&messages).await {
            match sent {
                Ok(()) => started.shards += 1,
                Err(error) => started.failed(&error),
            }
        }
        let mut latest = None;
        for (kind, (count, oldest)) in kinds {
            telemetry::count(Metric::DueItems(kind, count), now);
            let seconds = now.since(oldest).max(0) / span::SECOND;
            let seconds = usize::try_from(seconds).unwrap_or_default();
            telemetry::count(Metric::DueAge(kind, seconds), now);
            latest = latest.max(Some(seconds));
        }
        if let Some(seconds) = latest {
            telemetry::count(Metric::LatestWork(seconds), now);
        }
        // No shard waits for a provider.
        self.discover(&mut started).await;
        if started.errors == 0 {
            // Without any metric the alarm rings.
            telemetry::count(Metric::Overdue(overdue), now);
        }
        started
    }

    /// Handles messages. An error or a panic of one does not affect the others.
    async fn messages(&self, event: SqsEvent) -> SqsBatchResponse {
        let handled = event
            .records
            .into_iter()
            .map(async |message| {
                let is_handled = self.guarded(&message).await;
                (message, is_handled)
            });
        messages::response(futures::future::join_all(handled).await)
    }

    /// Handles a message. Returns whether it is done with. Failures of due work are logged, and the
    /// next minute's run tries again.
    async fn guarded(&self, message: &SqsMessage) -> bool {
        let handled = async {
            match messages::read(message)? {
                SweepMessage::Shard { shard } => {
                    self.sweep(shard).await;
                }
                SweepMessage::Cleanup(name) => self.cleanup(&name).await,
            }
            Ok(())
        };
        messages::is_handled(message, handled).await
    }

    /// Works through a shard. A failed item does not affect the others, and no kind of work waits
    /// for another. The rest after the time limit waits for the next run.
    pub async fn sweep(&self, shard: Shard) -> Swept {
        telemetry::metered(Box::pin(self.run(shard)), self.store.now()).await
    }

    async fn run(&self, shard: Shard) -> Swept {
        let mut kinds = [Swept::default(); 6];
        let [agent, cleanups, deliveries, mails, reminders, sign_ins] = &mut kinds;
        let queues = &self.queues;
        let deliveries =
            self.outbox::<WebhookDelivery>(&queues.webhooks, shard, deliveries, |swept| {
                &mut swept.deliveries
            });
        let mails = self.outbox::<Mail>(&queues.mails, shard, mails, |swept| &mut swept.mails);
        let ends = tokio::join!(
            timeout(self.budget, self.agent(shard, agent)),
            timeout(self.budget, self.cleanups(shard, cleanups)),
            timeout(self.budget, deliveries),
            timeout(self.budget, mails),
            timeout(self.budget, self.reminders(shard, reminders)),
            timeout(self.budget, self.sign_ins(shard, sign_ins)),
        );
        let ends: [_; 6] = ends.into();
        let in_time = ends.iter().all(Result::is_ok);
        let mut swept = Swept::default();
        for kind in kinds {
            swept += kind;
        }
        if swept.overdue > 0 {
            telemetry::count(Metric::Overdue(swept.overdue), self.store.now());
        }
        tracing::info!(
            %shard,
            cleanups = swept.cleanups,
            deliveries = swept.deliveries,
            mails = swept.mails,
            reminded = swept.reminded,
            chained = swept.chained,
            overdue = swept.overdue,
            resent = swept.resent,
            looks = swept.checks,
            givenUp = swept.given_up,
            counted = swept.counted,
            expired = swept.expired,
            interrupted = swept.interrupted,
            settled = swept.settled,
            errors = swept.errors,
            inTime = in_time,
        );
        swept
    }

    async fn cleanup(&self, name: &CleanupName) {
        let cleanups = self.store.cleanups();
        let run = timeout(self.budget, cleanups.run(name));
        // After the time limit it stays due.
        if let Ok(Err(error)) = telemetry::metered(Box::pin(run), self.store.now()).await {
            let record_name = format!("a cleanup of organization {}", name.organization_id);
            Swept::default().failed(&record_name, &error);
        }
    }

    /// Handles due actions, then due sessions.
    async fn agent(&self, shard: Shard, swept: &mut Swept) {
        let agent = self.store.agent();
        let now = self.store.now();
        let actions = each_page(
            async |wanted| {
                agent
                    .due_actions(shard, now, wanted)
                    .await
            },
            async |due| {
                swept.overdue += due
                    .iter()
                    .filter(|due| due.is_overdue())
                    .count();
                self.actions(due, swept).await;
            },
        );
        let actions = actions.await;
        swept.done("actions that are due", actions);
        let sessions = each_page(
            async |wanted| {
                agent
                    .due_sessions(shard, now, wanted)
                    .await
            },
            async |due| self.sessions(due, swept).await,
        );
        let sessions = sessions.await;
        swept.done("sessions that are due", sessions);
    }

    async fn cleanups(&self, shard: Shard, swept: &mut Swept) {
        let cleanups = self.store.cleanups();
        let run = cleanups.run_due(shard, |key, came_of_it| match came_of_it {
            Ok(CleanupRound::Finished) => swept.cleanups += 1,
            Ok(CleanupRound::GoesOn) => {}
            Err(error) => swept.failed(key, &error),
        });
        let run = run.await;
        swept.done("cleanups that are due", run);
    }

    /// Sends messages of mails or of deliveries. Only messages that the queue accepted count as
    /// sent.
    async fn outbox<R: OutboxRecord>(
        &self,
        queue: &Queue,
        shard: Shard,
        swept: &mut Swept,
        count: fn(&mut Swept) -> &mut usize,
    ) {
        let store = &self.store;
        let now = store.now();
        let sent = each_page(
            async |wanted| {
                store
                    .due_to_send::<R>(shard, now, wanted)
                    .await
            },
            async |due| {
                let due = with_messages(due, |due| due.message(now));
                let note = async |due: &_| store.resent(due).await;
                for (due, noted) in send(queue, due, note).await {
                    let sent = swept.done(&due.key().as_ref().to_string(), noted);
                    *count(swept) += sent;
                }
            },
        );
        let sent = sent.await;
        swept.done(R::KIND, sent);
    }

    /// Notifies users of due tasks and of ending proposals.
    async fn reminders(&self, shard: Shard, swept: &mut Swept) {
        let notifications = self.store.notifications();
        let run = notifications.remind_due(shard, |organization, came_of_it| match came_of_it {
            Ok(notified) => swept.reminded += notified,
            Err(error) => {
                swept.failed(&format!("reminders of organization {organization}"), &error);
            }
        });
        let run = Box::pin(run).await;
        swept.done("reminders that are due", run);
    }

    /// Names the entries of sign-ins in the chains of their organizations.
    async fn sign_ins(&self, shard: Shard, swept: &mut Swept) {
        let journals = self.store.journals();
        let run = journals.chain_sign_ins(shard, |organization, done| match done {
            Ok(chained) => swept.chained += chained,
            Err(error) => swept.failed(&format!("sign-ins of organization {organization}"), &error),
        });
        let run = Box::pin(run).await;
        swept.done("sign-ins that are due", run);
    }

    async fn actions(&self, due: Vec<DueAction>, swept: &mut Swept) {
        let agent = self.store.agent();
        let now = self.store.now();
        let mut to_send = Vec::new();
        let mut to_give_up = Vec::new();
        let mut to_count = Vec::new();
        for due in due {
            match due.work(now) {
                DueWork::Send(message) => to_send.push((due, message)),
                DueWork::GiveUp => to_give_up.push(due),
                DueWork::Count => to_count.push(due),
            }
        }
        self.resend(to_send, swept).await;
        self.give_up(to_give_up, swept).await;
        // Minutes are counted one after another, since all of an organization go into one total.
        for due in to_count {
            swept.counted += swept.done(&due.name(), agent.count_due(&due).await);
        }
    }

    /// Resends messages. Only messages that the queue accepted count as sent.
    async fn resend(&self, due: Vec<(DueAction, Message)>, swept: &mut Swept) {
        let agent = self.store.agent();
        let note = async |due: &_| agent.sent_again(due).await;
        for (due, noted) in send(&self.queues.actions, due, note).await {
            match noted {
                Ok(()) if due.awaits_check() => swept.checks += 1,
                Ok(()) => swept.resent += 1,
                Err(error) => swept.failed(&due.name(), &error),
            }
        }
    }

    /// Requests the checks of alerts. Only messages that the queue accepted count as sent.
    async fn check_alerts(&self, due: Vec<(DueSession, Message)>, swept: &mut Swept) {
        let agent = self.store.agent();
        let note = async |due: &_| agent.alert_check_requested(due).await;
        for (due, noted) in send(&self.queues.actions, due, note).await {
            swept.checks += swept.done(&due.name(), noted);
        }
    }

    /// Names ended sessions in the journals of their organizations.
    async fn name_ended(&self, due: &[DueSession], swept: &mut Swept) {
        let mut by_organization: BTreeMap<_, Vec<&DueSession>> = BTreeMap::new();
        for due in due {
            let of_organization = by_organization
                .entry(due.unnamed_of())
                .or_default();
            of_organization.push(due);
        }
        for sessions in by_organization
            .values()
            .flat_map(|due| due.chunks(DueSession::NAMED))
        {
            let named = self
                .store
                .agent()
                .name_ended(sessions)
                .await;
            swept.done("sessions that ended", named);
        }
    }

    async fn give_up(&self, due: Vec<DueAction>, swept: &mut Swept) {
        let agent = self.store.agent();
        let given_up: Vec<_> = stream::iter(due)
            .map(async |due| (due.name(), agent.give_up_due(&due).await))
            .buffer_unordered(CONCURRENCY)
            .collect()
            .await;
        for (name, outcome) in given_up {
            match outcome {
                Ok(Some(outcome)) => {
                    telemetry::count(Metric::Action(outcome.name()), self.store.now());
                    swept.given_up += 1;
                }
                Ok(None) => {}
                Err(error) => swept.failed(&name, &error),
            }
        }
    }

    async fn sessions(&self, due: Vec<DueSession>, swept: &mut Swept) {
        let agent = self.store.agent();
        let now = self.store.now();
        let mut to_check = Vec::new();
        let mut to_name = Vec::new();
        let mut to_visit = Vec::new();
        for due in due {
            if let Some(message) = due.message(now) {
                to_check.push((due, message));
            } else if due.unnamed_of().is_some() {
                to_name.push(due);
            } else {
                to_visit.push(due);
            }
        }
        self.check_alerts(to_check, swept).await;
        self.name_ended(&to_name, swept).await;
        let visited: Vec<_> = stream::iter(to_visit)
            .map(async |due| {
                let before = due.status();
                (due.name(), before, agent.visit_session(&due).await)
            })
            .buffer_unordered(CONCURRENCY)
            .collect()
            .await;
        for (name, before, status) in visited {
            let was = |is: fn(AgentSessionStatus) -> bool| before.is_some_and(is);
            match status {
                Ok(status) if was(AgentSessionStatus::is_running) => {
                    swept.settled += usize::from(!status.is_running());
                }
                Ok(_) if was(AgentSessionStatus::has_ended) => {}
                Ok(AgentSessionStatus::Expired) => swept.expired += 1,
                Ok(AgentSessionStatus::Failed) => swept.interrupted += 1,
                Ok(_) => {}
                Err(error) => swept.failed(&name, &error),
            }
        }
    }
}

/// Pairs due records with their messages. Leaves out a record without one.
fn with_messages<T, M>(
    due: Vec<T>,
    message: impl Fn(&T) -> Option<M>,
) -> impl Iterator<Item = (T, M)> {
    due.into_iter().filter_map(move |due| {
        let message = message(&due)?;
        Some((due, message))
    })
}

/// Sends a message for each due record, and notes those that the queue accepted. Returns each
/// record with its outcome.
async fn send<T, M: QueueMessage>(
    queue: &Queue,
    due: impl IntoIterator<Item = (T, M)>,
    note: impl AsyncFn(&T) -> Result<(), Error>,
) -> Vec<(T, Result<(), Error>)> {
    let (due, messages): (Vec<T>, Vec<M>) = due.into_iter().unzip();
    let sent = queue.send(&messages).await;
    stream::iter(due.into_iter().zip(sent))
        .map(async |(due, sent)| {
            let noted = match sent {
                Ok(()) => note(&due).await,
                Err(error) => Err(error),
            };
            (due, noted)
        })
        .buffer_unordered(CONCURRENCY)
        .collect()
        .await
}

/// Processes a list page by page.
async fn each_page<T>(
    read: impl AsyncFn(&PageRequest) -> Result<Page<T>, Error>,
    mut work: impl AsyncFnMut(Vec<T>),
) -> Result<(), Error> {
    let mut wanted = PageRequest::first(AT_ONCE);
    loop {
        let page = read(&wanted).await?;
        work(
            page.rows
                .into_iter()
                .map(|row| row.record)
                .collect(),
        )
        .await;
        wanted.after = page.end;
        if wanted.after.is_none() {
            return Ok(());
        }
    }
}

impl Started {
    fn failed(&mut self, error: &Error) {
        self.errors += 1;
        tracing::error!(cause = error.chain(), "cannot start a run");
    }
}

impl FromStart for Sweeper {
    fn from_start(start: &Start) -> Result<Self, lambda_runtime::Error> {
        let store = Store::new(start.dynamodb.clone(), &start.table, Clock::system());
        let store = store.sending_mail(config::sends_mail(&start.environment));
        let queues = SweeperQueues {
            actions: start.queue(config::ACTIONS)?,
            webhooks: start.queue(config::WEBHOOKS)?,
            mails: start.queue(config::MAILS)?,
            sweeps: start.queue(config::SWEEPS)?,
        };
        Ok(Self::new(store, queues, ProviderCaller::of(start)?))
    }
}

runtime::background!(Sweeper: Event => SweepAnswer, Background);
