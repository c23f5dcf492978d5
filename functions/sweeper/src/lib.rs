//! Runs every minute: sends again what was never delivered, ends what was forgotten, and finishes
//! deletes. Whatever a request or a worker left undone because it died is done here, so a run
//! that dies itself leaves nothing worse than it found.

use std::time::Duration;

use futures::{StreamExt, stream};
use model::{AgentSessionStatus, Error, Message, Stopwatch};
use runtime::{
    queue::Queue,
    telemetry::{self, Metric},
};
use serde::Serialize;
use store::{DueAction, DueSession, DueWork, Page, Progress, Store, Wanted};
use tokio::time::timeout;

/// Actions or sessions of a look at what is due.
const AT_ONCE: usize = 200;

/// Records that are worked on at the same time.
const CONCURRENCY: usize = 10;

/// Sweeps. Built once per cold start.
#[derive(Clone, Debug)]
pub struct Sweeper {
    store: Store,
    queue: Queue,
    budget: Budget,
}

/// How long a run may take. Whatever it has begun by then is left as it is, for the next run.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// For the agent's actions and sessions, which come first.
    pub agent: Duration,
    /// For all of it: what is left is for cleanups.
    pub all: Duration,
}

impl Default for Budget {
    /// Half of the function's timeout, and less than what its latency alarm allows. However much
    /// there is to do for the agent, some of it is left for cleanups.
    fn default() -> Self {
        Self {
            agent: Duration::from_secs(20),
            all: Duration::from_secs(25),
        }
    }
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Swept {
    /// Deletes that were finished.
    pub cleanups: usize,
    /// Actions that should have got further.
    pub overdue: usize,
    /// Messages that were sent again.
    pub resent: usize,
    /// Messages that had actions looked at that have ended.
    pub looks: usize,
    /// Actions that were ended because nobody will run them.
    pub given_up: usize,
    /// Actions whose minutes were counted after their outcome.
    pub counted: usize,
    /// Proposals that expired.
    pub expired: usize,
    /// Analyses that were interrupted.
    pub interrupted: usize,
    /// Sessions that were ended after the last of their actions.
    pub settled: usize,
    /// What could not be done; the log says why, and the next run tries again.
    pub errors: usize,
}

impl Sweeper {
    /// A sweeper of that store which sends to that queue.
    #[must_use]
    pub fn new(store: Store, queue: Queue) -> Self {
        Self {
            store,
            queue,
            budget: Budget::default(),
        }
    }

    /// The same with another budget.
    #[must_use]
    pub fn within(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// One run. What fails holds up nothing else; the agent's work comes first, and what does not
    /// fit into the budget waits for the next run.
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
        in_time &= timeout(left, self.cleanups(&mut swept)).await.is_ok();
        tracing::info!(
            cleanups = swept.cleanups,
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

    /// What is due of the agent's actions, and then of its sessions.
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
            // What could not be counted is no count, of which an alarm hears.
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

    /// What is left of deletes.
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

    /// Counts minutes one after another, since all of an organization's go into one total.
    async fn count(&self, due: Vec<DueAction>, swept: &mut Swept) {
        for due in due {
            match self.store.agent().count_due(&due).await {
                Ok(()) => swept.counted += 1,
                Err(error) => swept.failed(&due.name(), &error),
            }
        }
    }

    /// Sends messages again, and notes it only once the queue has taken them: while the queue is
    /// down, nothing counts as sent.
    async fn resend(&self, due: Vec<(DueAction, Message)>, swept: &mut Swept) {
        let agent = self.store.agent();
        let (due, messages): (Vec<DueAction>, Vec<Message>) = due.into_iter().unzip();
        let sent = self.queue.send(&messages).await;
        let noted: Vec<_> = stream::iter(due.into_iter().zip(sent))
            .map(async |(due, sent)| {
                let noted = match sent {
                    Ok(()) => agent.sent_again(&due).await,
                    Err(error) => Err(error),
                };
                (due, noted)
            })
            .buffer_unordered(CONCURRENCY)
            .collect()
            .await;
        for (due, noted) in noted {
            match noted {
                Ok(()) if due.awaits_look() => swept.looks += 1,
                Ok(()) => swept.resent += 1,
                Err(error) => swept.failed(&due.name(), &error),
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
        let looked_after: Vec<_> = stream::iter(due)
            .map(async |due| {
                let was_running = due.is_running();
                (due.name(), was_running, agent.look_after(&due).await)
            })
            .buffer_unordered(CONCURRENCY)
            .collect()
            .await;
        for (name, was_running, status) in looked_after {
            match status {
                Ok(status) if was_running => {
                    swept.settled += usize::from(!status.is_running());
                }
                Ok(AgentSessionStatus::Expired) => swept.expired += 1,
                Ok(AgentSessionStatus::Failed) => swept.interrupted += 1,
                Ok(_) => {}
                Err(error) => swept.failed(&name, &error),
            }
        }
    }
}

/// Hands a list on, page by page.
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
        tracing::error!(record = what, cause = error.chain(), "not swept");
    }
}
