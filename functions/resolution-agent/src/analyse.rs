//! The analysis of alerts by the playbooks and what their reads find.

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use playbooks::Playbooks;
use shared::{
    agent::{
        check::TargetRead,
        session::{Case, Proposal},
    },
    model::base::{Error, Stopwatch},
};
use targets::Targets;

use crate::actions::observe::connection;

/// Time limit for all reads of an analysis together.
const PATIENCE: Duration = Duration::from_secs(8);

/// Returns the analysis of an alert, with the actions that would resolve it.
pub type Analyse = Arc<dyn Fn(&Case) -> BoxFuture<'_, Result<Proposal, Error>> + Send + Sync>;

pub fn by_playbooks(playbooks: Arc<Playbooks>, targets: Targets) -> Analyse {
    Arc::new(move |case| {
        let playbooks = Arc::clone(&playbooks);
        let targets = targets.clone();
        Box::pin(async move { Ok(analyse(&playbooks, &targets, case).await) })
    })
}

async fn analyse(playbooks: &Playbooks, targets: &Targets, case: &Case) -> Proposal {
    let since = Stopwatch::start();
    let mut inquiry = playbooks.inquire(case);
    loop {
        let wanted: Vec<TargetRead> = inquiry
            .wanted()
            .map(|wanted| wanted.read.clone())
            .collect();
        if wanted.is_empty() {
            return inquiry.proposal();
        }
        let through = |name: &str| connection(&case.connections, name);
        let left = PATIENCE.saturating_sub(since.elapsed());
        let seen = targets
            .read_all(&wanted, through, left)
            .await;
        let seen = seen
            .into_iter()
            .map(|seen| seen.map_err(|why| why.problem));
        inquiry.answered(seen.collect());
    }
}
