//! Looks into target systems on behalf of a preview: reads and dry runs, which change nothing.

use std::time::Duration;

use futures::{StreamExt, future::BoxFuture, stream};
use shared::{
    auth::{Identity, need, need::Need},
    model::{
        ApiCall, Connection, Facts, JsonText, ProposedAction, Sight, Silence, Stopwatch, TargetRead,
    },
    store::Previewed,
};
use targets::{NoAnswer, Sending, Targets};

use super::view::says;

/// How long all looks of a preview may take together.
const PATIENCE: Duration = Duration::from_secs(8);

/// How many of a preview's calls are under way at the same time, of reads and of dry runs.
const AT_ONCE: usize = 8;

/// What looks into target systems came to.
#[derive(Debug)]
pub struct Looks {
    reads: Vec<(TargetRead, Result<Facts, Silence>)>,
    dry_runs: Vec<(DryRunOf, Result<JsonText, String>)>,
}

/// A dry run, and the step that it is of.
#[derive(Debug)]
struct DryRunOf {
    action: String,
    step: i64,
    system: String,
    call: ApiCall,
}

/// What having actions proposed needs.
type MayPropose = need::WithAgent<need::CreateAgentRemediation>;

/// What calls are sent through.
struct Eyes<'a> {
    targets: &'a Targets,
    found: &'a Previewed,
    /// Why the caller must not have anything sent but reads, if that is so.
    may_send: Result<(), String>,
    since: Stopwatch,
}

impl Looks {
    /// Looks at what these actions require to be so, each record once, and has the target systems say
    /// what their steps would do. What is not answered in time, or is paused, is not known. A dry run
    /// that is no GET is sent for those alone who may have actions proposed: that nothing comes of it is
    /// what the playbook says.
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

    /// What is known of an action's records.
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

    /// What the target system says of a step, if it was asked.
    pub fn dry_run(&self, action: &str, step: i64) -> Option<&Result<JsonText, String>> {
        let mut all = self.dry_runs.iter();
        let found = all.find(|(of, _)| of.action == action && of.step == step);
        found.map(|(_, said)| said)
    }
}

/// The reads of an action of whose facts something is required.
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

/// The dry runs of an action that may be sent.
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

    /// The connection, and how much time is left.
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
                "There was no time left; nothing was sent.",
            ));
        }
        Ok((connection, left))
    }
}
