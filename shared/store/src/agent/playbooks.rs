//! Outcomes of playbooks' proposals, by version. Later proposals use them.

use std::collections::BTreeSet;

use agent::{AgentAction, NotHelped, PlaybookRuns};
use model::{Error, OrganizationId};

use super::Agent;
use crate::{
    key::{self, Key},
    table::{Batch, Change, Condition, Record, Write},
};

impl Record<crate::Workdesk> for PlaybookRuns {
    const KIND: &'static str = "playbook_runs";

    fn key(&self) -> Key<Self> {
        let label = format!("{}#{}", self.name, self.playbook_version);
        key::playbook_runs(self.organization_id).at(key::playbook_version(label))
    }
}

impl Record<crate::Workdesk> for NotHelped {
    const KIND: &'static str = "not_helped";

    fn key(&self) -> Key<Self> {
        key::not_helped(self.organization_id, &self.entity)
    }
}

/// The most records of an alert whose failed playbooks are read.
const MOST_ENTITIES: usize = 50;

/// Returns the keys of the failed playbooks of these records.
pub(super) fn not_helped(tenant: OrganizationId, entities: &[String]) -> Vec<Key<NotHelped>> {
    let entities = entities.iter().filter(|entity| !entity.is_empty());
    let distinct: BTreeSet<&String> = entities.take(MOST_ENTITIES).collect();
    let keys = distinct.into_iter();
    keys.map(|entity| key::not_helped(tenant, entity)).collect()
}

/// Returns the labels of the failed playbooks in a batch.
pub(super) fn labels(keys: &[Key<NotHelped>], found: &Batch) -> Vec<String> {
    let noted = keys.iter().filter_map(|key| found.named(key));
    noted.flat_map(|noted| noted.record.playbooks).collect()
}

impl Agent<'_> {
    /// Returns the outcomes of every playbook version.
    pub(super) async fn playbook_runs(
        &self,
        tenant: OrganizationId,
    ) -> Result<Vec<PlaybookRuns>, Error> {
        self.0.table.list(key::playbook_runs(tenant)).await
    }
}

/// Returns the writes when it becomes known whether an action [helped](AgentAction::helped), once
/// per action. The outcome counts for its playbook version. A version that did not help is stored
/// for each record, so that it is not proposed for them again. Empty for an action without a
/// playbook.
///
/// All outcomes of one playbook version in an organization write one item, so concurrent ones
/// conflict. The writes of totals do too.
pub(super) fn run_of_playbook(action: &AgentAction) -> Vec<Write> {
    let Some((playbook, effective)) = action.content.playbook.as_ref().zip(action.helped()) else {
        return Vec::new();
    };
    let tenant = action.key.organization_id;
    let counted = Change::default()
        .set("kind", PlaybookRuns::KIND)
        .set("organizationId", tenant)
        .set("name", playbook.name.as_str())
        .set("playbookVersion", i64::from(playbook.version))
        .add("runs", 1)
        .add("effective", i64::from(effective));
    let key = key::playbook_runs(tenant).at(key::playbook_version(playbook.label()));
    let mut writes = vec![Write::update(key, counted, Condition::default())];
    if !effective {
        let entities = action
            .content
            .entities
            .iter()
            .filter(|entity| !entity.is_empty());
        writes.extend(entities.map(|entity| {
            let noted = Change::default()
                .set("kind", NotHelped::KIND)
                .set("organizationId", tenant)
                .set("entity", entity.as_str())
                .put_text_in_set("playbooks", playbook.label());
            let key = key::not_helped(tenant, entity);
            Write::update(key, noted, Condition::default())
        }));
    }
    writes
}
