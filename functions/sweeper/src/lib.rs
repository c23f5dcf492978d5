//! Runs every minute: sends again what was never delivered, ends what was forgotten, and finishes
//! deletes. Whatever a request or a worker left undone because it died is done here, so a run
//! that dies itself leaves nothing worse than it found.

use futures::{StreamExt, stream};
use model::{AgentSessionStatus, Error, Message};
use runtime::{
    queue::Queue,
    telemetry::{self, Metric},
};
use serde::Serialize;
use store::{DueAction, DueSession, Store};

/// The most of each that one run looks at; the rest waits for the next.
const CLEANUPS: usize = 50;
const ACTIONS: usize = 200;
const SESSIONS: usize = 200;

/// Records that are worked on at the same time.
const CONCURRENCY: usize = 10;

/// Sweeps. Built once per cold start.
#[derive(Clone, Debug)]
pub struct Sweeper {
    store: Store,
    queue: Queue,
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
    /// Actions that were ended because nobody will run them.
    pub given_up: usize,
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
    pub const fn new(store: Store, queue: Queue) -> Self {
        Self { store, queue }
    }

    /// One run. What fails holds up nothing else.
    pub async fn sweep(&self) -> Swept {
        let mut swept = Swept::default();
        match self.store.cleanups().run_due(CLEANUPS).await {
            Ok(finished) => swept.cleanups = finished,
            Err(error) => swept.failed("cleanups", &error),
        }
        match self.store.agent().due_actions(ACTIONS).await {
            Ok(due) => {
                swept.overdue = due.len();
                // What could not be counted is no count, of which an alarm hears.
                telemetry::count(Metric::Overdue(swept.overdue), self.store.now());
                self.actions(due, &mut swept).await;
            }
            Err(error) => swept.failed("actions that are due", &error),
        }
        match self.store.agent().due_sessions(SESSIONS).await {
            Ok(due) => {
                self.sessions(due, &mut swept).await;
            }
            Err(error) => swept.failed("sessions that are due", &error),
        }
        tracing::info!(
            cleanups = swept.cleanups,
            overdue = swept.overdue,
            resent = swept.resent,
            givenUp = swept.given_up,
            expired = swept.expired,
            interrupted = swept.interrupted,
            settled = swept.settled,
            errors = swept.errors,
        );
        swept
    }

    async fn actions(&self, due: Vec<DueAction>, swept: &mut Swept) {
        let (mut to_send, mut to_give_up) = (Vec::new(), Vec::new());
        for due in due {
            match due.message() {
                Some(message) => to_send.push((due, message)),
                None => to_give_up.push(due),
            }
        }
        self.resend(to_send, swept).await;
        self.give_up(to_give_up, swept).await;
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
                (due.name(), noted)
            })
            .buffer_unordered(CONCURRENCY)
            .collect()
            .await;
        for (name, noted) in noted {
            match noted {
                Ok(()) => swept.resent += 1,
                Err(error) => swept.failed(&name, &error),
            }
        }
    }

    async fn give_up(&self, due: Vec<DueAction>, swept: &mut Swept) {
        for due in due {
            match self.store.agent().give_up_due(&due).await {
                Ok(Some(outcome)) => {
                    telemetry::count(Metric::Action(outcome.name()), self.store.now());
                    swept.given_up += 1;
                }
                Ok(None) => {}
                Err(error) => swept.failed(&due.name(), &error),
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

impl Swept {
    fn failed(&mut self, what: &str, error: &Error) {
        self.errors += 1;
        tracing::error!(record = what, cause = error.chain(), "not swept");
    }
}
