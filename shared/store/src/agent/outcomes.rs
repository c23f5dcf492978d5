//! Outcomes of actions that later alerts and analyses use: the last one of each record, and the
//! counts of each playbook version.

use std::collections::BTreeSet;

use agent::{AgentAction, LastOutcome, PlaybookRecord, PlaybookRuns};
use futures::future::try_join_all;
use model::{Error, OrganizationId};

use super::Agent;
use crate::{
    key::{self, Key},
    table::{Change, Condition, Record, Write},
};

impl Record<crate::Workdesk> for LastOutcome {
    const KIND: &'static str = "last_outcome";

    fn key(&self) -> Key<Self> {
        key::last_outcome(self.organization_id, &self.entity, &self.target_system)
    }
}

impl Record<crate::Workdesk> for PlaybookRuns {
    const KIND: &'static str = "playbook_runs";

    fn key(&self) -> Key<Self> {
        let label = format!("{}#{}", self.name, self.playbook_version);
        key::playbook_runs(self.organization_id).at(key::playbook_version(label))
    }
}

/// The most records of an alert whose last outcomes are read.
const MOST_ENTITIES: usize = 20;

impl Agent<'_> {
    /// Returns the outcomes of every playbook version, and the versions that did not help one of these
    /// records lately.
    pub(super) async fn playbook_record(
        &self,
        tenant: OrganizationId,
        entities: &[String],
    ) -> Result<PlaybookRecord, Error> {
        let table = &self.0.table;
        let entities = entities.iter().filter(|entity| !entity.is_empty());
        let distinct: BTreeSet<&String> = entities.take(MOST_ENTITIES).collect();
        let outcomes = distinct.into_iter();
        let outcomes = outcomes.map(|entity| table.list(key::last_outcomes(tenant, entity)));
        let runs = table.list(key::playbook_runs(tenant));
        let (runs, outcomes) = tokio::try_join!(runs, try_join_all(outcomes))?;
        let now = self.0.clock.now();
        let outcomes: Vec<LastOutcome> = outcomes.into_iter().flatten().collect();
        let bars = outcomes.iter().filter_map(|outcome| outcome.bars(now));
        let not_helped = bars.map(str::to_owned).collect();
        Ok(PlaybookRecord { runs, not_helped })
    }
}

/// Returns the writes of an action's outcome, once it is known whether the action helped its records.
pub(super) fn writes(action: &AgentAction) -> Result<Vec<Write>, Error> {
    LastOutcome::of(action).iter().map(Write::put).collect()
}

/// Returns the write that counts a [verified](AgentAction::helped) outcome for its playbook version,
/// once per action. Empty for an action without a playbook.
///
/// All outcomes of one playbook version in an organization write one item, so concurrent ones
/// conflict. The writes of totals do too.
pub(super) fn run_of_playbook(action: &AgentAction) -> Option<Write> {
    let (playbook, effective) = action.content.playbook.as_ref().zip(action.helped())?;
    let tenant = action.key.organization_id;
    let counted = Change::default()
        .set("kind", PlaybookRuns::KIND)
        .set("organizationId", tenant)
        .set("name", playbook.name.as_str())
        .set("playbookVersion", i64::from(playbook.version))
        .add("runs", 1)
        .add("effective", i64::from(effective));
    let key = key::playbook_runs(tenant).at(key::playbook_version(playbook.label()));
    Some(Write::update(key, counted, Condition::default()))
}
