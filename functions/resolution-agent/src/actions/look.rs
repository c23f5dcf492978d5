//! Reads and dry runs of target systems for a preview; they change nothing.

use std::time::Duration;

use futures::{StreamExt, future::BoxFuture, stream};
use shared::{
    Error,
    agent::{ApiCall, Connection, Facts, ProposedAction, Sight, Silence, TargetRead},
    auth::{
        Identity,
        need::{self, Need},
    },
    model::{JsonText, Stopwatch},
    problem::Cause,
    store::Previewed,
};
use targets::{NoAnswer, Sending, Targets};

/// Time limit for all reads and dry runs of a preview together.
const PATIENCE: Duration = Duration::from_secs(8);

/// Most calls of a preview in flight at a time, for reads and for dry runs each.
const AT_ONCE: usize = 8;

/// Results of a preview's reads and dry runs.
#[derive(Debug)]
pub struct Looks {
    reads: Vec<(TargetRead, Result<Facts, Silence>)>,
    dry_runs: Vec<(DryRunOf, Result<JsonText, String>)>,
}

/// A dry run of a step.
#[derive(Debug)]
struct DryRunOf {
    action: String,
    step: i64,
    system: String,
    call: ApiCall,
}

/// Need of a caller who may have actions proposed.
type MayPropose = need::WithAgent<need::CreateAgentRemediation>;

/// Sends the calls of a preview.
struct Eyes<'a> {
    targets: &'a Targets,
    found: &'a Previewed,
    /// Error if the caller may only have GETs sent, with the reason.
    may_send: Result<(), String>,
    since: Stopwatch,
}

impl Looks {
    /// Reads the facts of these actions' preconditions, each read once, and sends the dry runs of
    /// their steps. A paused connection or a late answer gives a read error. A dry run that is not
    /// a GET is sent only if the caller may have actions proposed, since only the playbook declares
    /// it harmless.
    pub async fn of(
        targets: &Targets,
        found: &Previewed,
        actions: &[&ProposedAction],
        caller: &Identity,
    ) -> Self {
        let mut wanted: Vec<TargetRead> = Vec::new();
        for read in actions.iter().flat_map(|action| needed(action)) {
            if !wanted.contains(read) {
                wanted.push(read.clone());
            }
        }
        let dry_runs = actions.iter().flat_map(|action| dry_runs(action));
        let dry_runs: Vec<DryRunOf> = dry_runs.collect();
        let eyes = Eyes {
            targets,
            found,
            may_send: MayPropose::check(caller).map_err(says),
            since: Stopwatch::start(),
        };
        let (reads, dry_runs) = futures::join!(eyes.read_all(wanted), eyes.dry_run_all(dry_runs));
        Self { reads, dry_runs }
    }

    /// Returns the facts and read errors of an action's reads.
    pub fn sight(&self, action: &ProposedAction) -> Sight {
        let mut sight = Sight::default();
        let of_action = self.reads.iter();
        for (read, seen) in of_action.filter(|(read, _)| action.reads.contains(read)) {
            match seen {
                Ok(facts) => sight.add(facts.clone()),
                Err(silence) => sight.lacks(&read.name, silence.clone()),
            }
        }
        sight
    }

    /// Returns the result of a step's dry run, if it has one.
    pub fn dry_run(&self, action: &str, step: i64) -> Option<&Result<JsonText, String>> {
        let mut all = self.dry_runs.iter();
        let found = all.find(|(of, _)| of.action == action && of.step == step);
        found.map(|(_, said)| said)
    }
}

/// Returns the reads of an action that its preconditions use.
fn needed(action: &ProposedAction) -> impl Iterator<Item = &TargetRead> {
    action.reads.iter().filter(|read| {
        let is_its = |fact: &str| {
            let name = fact.split_once('.').map(|(name, _)| name);
            name == Some(&*read.name)
        };
        let mut conditions = action.require.iter();
        conditions.any(|condition| condition.facts().any(is_its))
    })
}

/// Returns the dry runs of an action that may be sent.
fn dry_runs(action: &ProposedAction) -> impl Iterator<Item = DryRunOf> {
    action.steps.iter().filter_map(|step| {
        Some(DryRunOf {
            action: action.id.clone(),
            step: step.order,
            system: action.target_system.clone(),
            call: step.dry_run.as_ref()?.sendable()?.clone(),
        })
    })
}

impl Eyes<'_> {
    async fn read_all(&self, wanted: Vec<TargetRead>) -> Vec<(TargetRead, Result<Facts, Silence>)> {
        let mut all = Vec::with_capacity(wanted.len());
        for read in wanted {
            let seen: BoxFuture<'_, _> = Box::pin(async move {
                let seen = self.read(&read).await;
                (read, seen)
            });
            all.push(seen);
        }
        let all = stream::iter(all).buffer_unordered(AT_ONCE);
        all.collect().await
    }

    async fn dry_run_all(
        &self,
        wanted: Vec<DryRunOf>,
    ) -> Vec<(DryRunOf, Result<JsonText, String>)> {
        let mut all = Vec::with_capacity(wanted.len());
        for dry_run in wanted {
            let said: BoxFuture<'_, _> = Box::pin(async move {
                let said = self.dry_run(&dry_run).await;
                (dry_run, said)
            });
            all.push(said);
        }
        let all = stream::iter(all).buffer_unordered(AT_ONCE);
        all.collect().await
    }

    async fn read(&self, read: &TargetRead) -> Result<Facts, Silence> {
        let (connection, left) = self.may_look(&read.connection)?;
        let seen = self.targets.look(connection, read, left).await;
        let seen = seen.map_err(|none| none.silence())?;
        match seen.silence(read) {
            None => Ok(seen.facts),
            Some(silence) => Err(silence),
        }
    }

    async fn dry_run(&self, dry_run: &DryRunOf) -> Result<JsonText, String> {
        let found = self.may_look(&dry_run.system);
        let (connection, timeout) = found.map_err(|silence| silence.problem)?;
        if dry_run.call.changes() {
            self.may_send.clone()?;
        }
        let sending = Sending { key: None, timeout };
        let told = async {
            let answered = self
                .targets
                .send(connection, &dry_run.call, sending)
                .await?;
            answered.told().await
        };
        let told = told.await.map_err(|none: NoAnswer| none.problem())?;
        Ok(told.kept(connection))
    }

    /// Returns a connection and the time that is left. Fails if there is no such connection, it or
    /// the organization is paused, or the time is over.
    fn may_look(&self, system: &str) -> Result<(&Connection, Duration), Silence> {
        let connection = Connection::named(&self.found.connections, system);
        let connection = connection
            .ok_or_else(|| Silence::for_good(format!("There is no connection {system:?}.")))?;
        if self.found.is_paused || connection.paused {
            return Err(Silence::for_now("It is paused; nothing was sent."));
        }
        let left = PATIENCE.saturating_sub(self.since.elapsed());
        if left.is_zero() {
            return Err(Silence::for_now(
                "The time for reads was over; nothing was sent.",
            ));
        }
        Ok((connection, left))
    }
}

/// Returns the `detail` of an error.
pub(super) fn says(refused: Error) -> String {
    Cause::from(refused).detail()
}
