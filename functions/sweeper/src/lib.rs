//! Runs every minute: resends lost messages, ends abandoned actions and sessions, finishes deletes, reminds
//! users, and sends the messages of webhook deliveries that are due.
//!
//! A sweep resumes what a crashed request or worker left undone. A crashed sweep leaves nothing worse.

use std::{collections::BTreeMap, time::Duration};

use agent::{AgentSessionStatus, Message};
use futures::{StreamExt, stream};
use model::{Error, Stopwatch, WebhookDelivery};
use runtime::{
    queue::{Queue, Queued},
    telemetry::{self, Metric},
};
use serde::Serialize;
use store::{DueAction, DueSession, DueWork, Page, Progress, Store, Stored, Wanted};
use tokio::time::timeout;

/// Page size of due actions or sessions.
const AT_ONCE: usize = 200;

/// Records handled concurrently.
const CONCURRENCY: usize = 10;

/// Sweeps. Created once per cold start.
#[derive(Clone, Debug)]
pub struct Sweeper {
    store: Store,
    queue: Queue,
    webhook_queue: Queue,
    budget: Budget,
}

/// Time limits of a run. Unfinished work is left for the next run.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// For the agent's actions and sessions, which come first.
    pub agent: Duration,
    /// For the whole run. The rest is for webhook deliveries, cleanups and reminders.
    pub all: Duration,
}

impl Default for Budget {
    /// Half of the function's timeout, and less than the limit of its latency alarm. Deliveries, cleanups
    /// and reminders keep a share, however much agent work there is.
    fn default() -> Self {
        Self {
            agent: Duration::from_secs(20),
            all: Duration::from_secs(25),
        }
    }
}

/// Counts of a run's work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Swept {
    /// Finished deletes.
    pub cleanups: usize,
    /// Messages sent for webhook deliveries.
    pub deliveries: usize,
    /// New notifications of reminders.
    pub reminded: usize,
    /// Late actions.
    pub overdue: usize,
    /// Resent messages.
    pub resent: usize,
    /// Messages sent for checks of ended actions and of alerts.
    pub looks: usize,
    /// Actions given up.
    pub given_up: usize,
    /// Actions whose minutes were counted after their outcome.
    pub counted: usize,
    /// Expired proposals.
    pub expired: usize,
    /// Interrupted analyses.
    pub interrupted: usize,
    /// Sessions ended after their last action.
    pub settled: usize,
    /// Failed items. The log has the reasons, and the next run tries again.
    pub errors: usize,
}

impl Sweeper {
    /// Creates a sweeper with the queues of approved actions and of webhook deliveries.
    #[must_use]
    pub fn new(store: Store, queue: Queue, webhook_queue: Queue) -> Self {
        Self {
            store,
            queue,
            webhook_queue,
            budget: Budget::default(),
        }
    }

    /// Returns the sweeper with another budget.
    #[must_use]
    pub fn within(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// Runs once. A failed item does not affect the others. The agent's work comes first; work
    /// beyond the budget waits for the next run.
    pub async fn sweep(&self) -> Swept {
        let (swept, used) = store::metered(Box::pin(self.run())).await;
        telemetry::unreadable(&used.unreadable, None, self.store.now());
        swept
    }

    async fn run(&self) -> Swept {
        let began = Stopwatch::start();
        let mut swept = Swept::default();
        let agent = self.agent(&mut swept);
        let mut in_time = timeout(self.budget.agent, agent).await.is_ok();
        let left = self.budget.all.saturating_sub(began.elapsed());
        let (mut sent, mut reminded) = (Swept::default(), Swept::default());
        let (cleaned_up, did_send, did_remind) = tokio::join!(
            timeout(left, self.cleanups(&mut swept)),
            timeout(left, self.deliveries(&mut sent)),
            timeout(left, self.reminders(&mut reminded)),
        );
        in_time &= cleaned_up.is_ok() && did_send.is_ok() && did_remind.is_ok();
        swept.deliveries = sent.deliveries;
        swept.reminded = reminded.reminded;
        swept.errors += sent.errors + reminded.errors;
        tracing::info!(
            cleanups = swept.cleanups,
            deliveries = swept.deliveries,
            reminded = swept.reminded,
            overdue = swept.overdue,
            resent = swept.resent,
            looks = swept.looks,
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

    /// Handles due actions, then due sessions.
    async fn agent(&self, swept: &mut Swept) {
        let (agent, now) = (self.store.agent(), self.store.now());
        let actions = each_page(
            async |wanted| agent.due_actions(now, wanted).await,
            async |due| {
                swept.overdue += due.iter().filter(|due| due.is_overdue()).count();
                self.actions(due, swept).await;
            },
        );
        match actions.await {
            Ok(()) => telemetry::count(Metric::Overdue(swept.overdue), now),
            // Without a complete count there is no metric, which raises the alarm.
            Err(error) => swept.failed("actions that are due", &error),
        }
        let sessions = each_page(
            async |wanted| agent.due_sessions(now, wanted).await,
            async |due| self.sessions(due, swept).await,
        );
        if let Err(error) = sessions.await {
            swept.failed("sessions that are due", &error);
        }
    }

    /// Continues unfinished deletes.
    async fn cleanups(&self, swept: &mut Swept) {
        let cleanups = self.store.cleanups();
        let run = cleanups.run_due(|key, came_of_it| match came_of_it {
            Ok(Progress::Finished) => swept.cleanups += 1,
            Ok(Progress::GoesOn) => {}
            Err(error) => swept.failed(key, &error),
        });
        if let Err(error) = run.await {
            swept.failed("cleanups that are due", &error);
        }
    }

    /// Sends the messages of webhook deliveries that are due.
    async fn deliveries(&self, swept: &mut Swept) {
        let (webhooks, now) = (self.store.webhooks(), self.store.now());
        let deliveries = each_page(
            async |wanted| webhooks.due(now, wanted).await,
            async |due| self.deliver(due, swept).await,
        );
        if let Err(error) = deliveries.await {
            swept.failed("deliveries that are due", &error);
        }
    }

    /// Sends messages of deliveries. Only messages that the queue accepted count as sent.
    async fn deliver(&self, due: Vec<Stored<WebhookDelivery>>, swept: &mut Swept) {
        let (webhooks, now) = (self.store.webhooks(), self.store.now());
        let due = due.into_iter().filter_map(|due| {
            let message = due.message(now)?;
            Some((due, message))
        });
        let noted = send(&self.webhook_queue, due, async |due| {
            webhooks.resent(due).await
        });
        for (due, noted) in noted.await {
            match noted {
                Ok(()) => swept.deliveries += 1,
                Err(error) => swept.failed(&due.id, &error),
            }
        }
    }

    /// Notifies users of tasks that are due and of proposals that end.
    async fn reminders(&self, swept: &mut Swept) {
        let notifications = self.store.notifications();
        let run = notifications.remind_due(|organization, came_of_it| match came_of_it {
            Ok(told) => swept.reminded += told,
            Err(error) => {
                swept.failed(&format!("reminders of organization {organization}"), &error);
            }
        });
        if let Err(error) = Box::pin(run).await {
            swept.failed("reminders that are due", &error);
        }
    }

    async fn actions(&self, due: Vec<DueAction>, swept: &mut Swept) {
        let now = self.store.now();
        let (mut to_send, mut to_give_up, mut to_count) = (Vec::new(), Vec::new(), Vec::new());
        for due in due {
            match due.work(now) {
                DueWork::Send(message) => to_send.push((due, message)),
                DueWork::GiveUp => to_give_up.push(due),
                DueWork::Count => to_count.push(due),
            }
        }
        self.resend(to_send, swept).await;
        self.give_up(to_give_up, swept).await;
        self.count(to_count, swept).await;
    }

    /// Counts minutes one after another, since all of an organization go into one total.
    async fn count(&self, due: Vec<DueAction>, swept: &mut Swept) {
        for due in due {
            match self.store.agent().count_due(&due).await {
                Ok(()) => swept.counted += 1,
                Err(error) => swept.failed(&due.name(), &error),
            }
        }
    }

    /// Resends messages. Only messages that the queue accepted count as sent.
    async fn resend(&self, due: Vec<(DueAction, Message)>, swept: &mut Swept) {
        let agent = self.store.agent();
        let noted = send(&self.queue, due, async |due| agent.sent_again(due).await);
        for (due, noted) in noted.await {
            match noted {
                Ok(()) if due.awaits_look() => swept.looks += 1,
                Ok(()) => swept.resent += 1,
                Err(error) => swept.failed(&due.name(), &error),
            }
        }
    }

    /// Requests the checks of alerts. Only messages that the queue accepted count as sent.
    async fn check_alerts(&self, due: Vec<DueSession>, swept: &mut Swept) {
        let agent = self.store.agent();
        let now = self.store.now();
        let messages = due.iter().filter_map(|due| due.message(now));
        let messages: Vec<Message> = messages.collect();
        let sent = self.queue.send(&messages).await;
        for (due, sent) in due.iter().zip(sent) {
            let asked = match sent {
                Ok(()) => agent.alert_check_asked(due).await,
                Err(error) => Err(error),
            };
            match asked {
                Ok(()) => swept.looks += 1,
                Err(error) => swept.failed(&due.name(), &error),
            }
        }
    }

    /// Names ended sessions in the journals of their organizations.
    async fn name_ended(&self, due: &[DueSession], swept: &mut Swept) {
        let mut by_organization: BTreeMap<_, Vec<&DueSession>> = BTreeMap::new();
        for due in due {
            by_organization
                .entry(due.unnamed_of())
                .or_default()
                .push(due);
        }
        for due in by_organization.values() {
            for some in due.chunks(DueSession::NAMED) {
                if let Err(error) = self.store.agent().name_ended(some).await {
                    swept.failed("sessions that ended", &error);
                }
            }
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
        let (to_check, due): (Vec<_>, Vec<_>) =
            due.into_iter().partition(|due| due.message(now).is_some());
        self.check_alerts(to_check, swept).await;
        let (to_name, due): (Vec<_>, Vec<_>) =
            due.into_iter().partition(|due| due.unnamed_of().is_some());
        self.name_ended(&to_name, swept).await;
        let looked_after: Vec<_> = stream::iter(due)
            .map(async |due| {
                let before = due.status();
                (due.name(), before, agent.look_after(&due).await)
            })
            .buffer_unordered(CONCURRENCY)
            .collect()
            .await;
        for (name, before, status) in looked_after {
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

/// Sends a message for each due record, and notes those that the queue accepted. Returns each record with
/// its outcome.
async fn send<T, M: Queued>(
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
    read: impl AsyncFn(&Wanted) -> Result<Page<T>, Error>,
    mut work: impl AsyncFnMut(Vec<T>),
) -> Result<(), Error> {
    let mut wanted = Wanted::first(AT_ONCE);
    loop {
        let page = read(&wanted).await?;
        work(page.rows.into_iter().map(|row| row.record).collect()).await;
        wanted.after = page.end;
        if wanted.after.is_none() {
            return Ok(());
        }
    }
}

impl Swept {
    fn failed(&mut self, what: &str, error: &Error) {
        self.errors += 1;
        tracing::error!(
            record = what,
            cause = error.chain(),
            "cannot sweep a record"
        );
    }
}
