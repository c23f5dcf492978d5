//! Outcomes of actions that later alerts and analyses use: the last one of each record, and the
//! counts of each playbook version. Savings, with the total that the dashboard shows.

use std::collections::BTreeSet;

use agent::{
    action::{AgentAction, LastOutcome, Saving},
    connection::Systems,
    session::{PlaybookRecord, PlaybookRuns},
};
use futures::future::try_join_all;
use model::base::Timestamp;
use table::{
    Condition, Record, Refused, Stored, UpdateExpression, Write,
    page::{Page, PageRequest},
};

use crate::{Result, Tenant, base::record::record, key, people::directory::totals};

use super::Agent;

record! {
    outcome: LastOutcome = "last_outcome",
    key: key::last_outcome(outcome.organization_id, &outcome.entity, &outcome.target_system),
}

record! {
    runs: PlaybookRuns = "playbook_runs",
    key: {
        let label = format!("{}#{}", runs.name, runs.playbook_version);
        key::playbook_runs(runs.organization_id).at(key::playbook_version(label))
    },
}

/// The most records of an alert whose last outcomes are read.
const MOST_ENTITIES: usize = 20;

/// The outcomes of all playbook versions, and the last outcomes of an alert's records in all
/// systems.
#[derive(Debug)]
pub(super) struct FoundOutcomes {
    runs: Vec<PlaybookRuns>,
    of_records: Vec<LastOutcome>,
}

impl FoundOutcomes {
    /// Returns the playbook versions that did not help one of the alert's records lately. A record
    /// of another system that has the same id does not count.
    pub(super) fn of(self, systems: Systems<'_>, now: Timestamp) -> PlaybookRecord {
        let outcomes = self.of_records.iter();
        let outcomes = outcomes.filter(|outcome| systems.uses(&outcome.target_system));
        let bars = outcomes.filter_map(|outcome| outcome.bars(now));
        PlaybookRecord {
            not_helped: bars.map(str::to_owned).collect(),
            runs: self.runs,
        }
    }
}

impl Agent<'_> {
    /// Returns the outcomes of all playbook versions, and the last ones of these records.
    pub(super) async fn outcomes(
        &self,
        tenant: Tenant,
        entities: &[String],
    ) -> Result<FoundOutcomes> {
        let table = &self.0.table;
        let entities = entities
            .iter()
            .filter(|entity| !entity.is_empty());
        let distinct: BTreeSet<&String> = entities.take(MOST_ENTITIES).collect();
        let outcomes = distinct.into_iter();
        let outcomes = outcomes.map(|entity| table.list(key::last_outcomes(tenant, entity)));
        let runs = table.list(key::playbook_runs(tenant));
        let (runs, outcomes) = tokio::try_join!(runs, try_join_all(outcomes))?;
        let of_records = outcomes.into_iter().flatten().collect();
        Ok(FoundOutcomes { runs, of_records })
    }

    /// Returns the organization's savings, newest days first.
    pub async fn savings(
        &self,
        tenant: Tenant,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<Saving>>> {
        let newest_first = key::savings(tenant).descending();
        self.0
            .table
            .page(newest_first, wanted)
            .await
    }

    /// Writes an action's outcome. Its saving and the organization's total are written with it,
    /// unless its record has a saving on that day.
    pub(super) async fn write_with_saving(
        &self,
        writes: Vec<Write>,
        action: &AgentAction,
    ) -> Result<Result<(), Refused>> {
        let table = &self.0.table;
        let Some(saving) = Saving::of(action) else {
            return table.transact(writes).await;
        };
        let mut with_saving = writes.clone();
        let place = writes.len();
        with_saving.push(Write::create(&saving)?);
        let total = UpdateExpression::default().add(totals::MINUTES_SAVED, saving.minutes);
        let totals = key::totals(saving.organization_id);
        with_saving.push(Write::update(totals, total, Condition::default()));
        match table.transact(with_saving).await? {
            Err(refused) if refused.at(place) => table.transact(writes).await,
            done => Ok(done),
        }
    }
}

/// Returns the write that counts a [verified](AgentAction::helped) outcome for its playbook
/// version, once per action. Empty for an action without a playbook.
///
/// All outcomes of a playbook version write one item, so concurrent ones conflict, as totals do.
pub(super) fn run_of_playbook(action: &AgentAction) -> Option<Write> {
    let (playbook, effective) = action
        .content
        .playbook
        .as_ref()
        .zip(action.helped())?;
    let tenant = action.key.organization_id;
    let counted = UpdateExpression::default()
        .set("kind", PlaybookRuns::KIND)
        .set("organizationId", tenant)
        .set("name", playbook.name.as_str())
        .set("playbookVersion", i64::from(playbook.version))
        .add("runs", 1)
        .add("effective", i64::from(effective));
    let key = key::playbook_runs(tenant).at(key::playbook_version(playbook.label()));
    Some(Write::update(key, counted, Condition::default()))
}

record! { saving: Saving = "saving", key: key::saving(saving), }
