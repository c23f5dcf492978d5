//! What became of what playbooks proposed, each version for itself: the next proposals go by it.

use std::collections::BTreeSet;

use model::{AgentAction, Error, NotHelped, OrganizationId, PlaybookRecord, PlaybookRuns};

use super::Agent;
use crate::{
    key::{self, AnyKey, Key},
    table::{Batch, Change, Condition, Read, Record, Write},
};

impl Record for PlaybookRuns {
    const KIND: &'static str = "playbook_runs";

    fn key(&self) -> Key<Self> {
        let label = format!("{}#{}", self.name, self.playbook_version);
        key::playbook_runs(self.organization_id).at(key::playbook_version(label))
    }
}

impl Record for NotHelped {
    const KIND: &'static str = "not_helped";

    fn key(&self) -> Key<Self> {
        key::not_helped(self.organization_id, &self.entity)
    }
}

/// The most records of a signal of which it is asked which playbooks did not help them.
const MOST_ENTITIES: usize = 50;

/// Where it is noted which playbooks did not help these records.
pub(super) fn not_helped(tenant: OrganizationId, entities: &[String]) -> Vec<Key<NotHelped>> {
    let entities = entities.iter().filter(|entity| !entity.is_empty());
    let distinct: BTreeSet<&String> = entities.take(MOST_ENTITIES).collect();
    let keys = distinct.into_iter();
    keys.map(|entity| key::not_helped(tenant, entity)).collect()
}

/// The playbooks that are noted there, by their labels.
pub(super) fn labels(keys: &[Key<NotHelped>], found: &Batch) -> Vec<String> {
    let noted = keys.iter().filter_map(|key| found.named(key));
    noted.flat_map(|noted| noted.record.playbooks).collect()
}

impl Agent<'_> {
    /// What became of what each version of a playbook proposed.
    pub(super) async fn playbook_runs(
        &self,
        tenant: OrganizationId,
    ) -> Result<Vec<PlaybookRuns>, Error> {
        self.0.table.list(key::playbook_runs(tenant)).await
    }

    /// What is known of all playbooks, and which of them did not help one of these records.
    pub async fn playbook_record(
        &self,
        tenant: OrganizationId,
        entities: &[String],
    ) -> Result<PlaybookRecord, Error> {
        let keys = not_helped(tenant, entities);
        let all: Vec<AnyKey> = keys.iter().map(AnyKey::from).collect();
        let noted = self.0.table.batch_get(all, Read::Consistent);
        let (runs, found) = tokio::try_join!(self.playbook_runs(tenant), noted)?;
        Ok(PlaybookRecord {
            runs,
            not_helped: labels(&keys, &found),
        })
    }

    /// Notes, beside nothing else, whether an action had its effect; see [`verdict_on`].
    pub async fn note_verdict(&self, action: &AgentAction, effective: bool) -> Result<(), Error> {
        let writes = verdict_on(action, effective);
        if writes.is_empty() {
            return Ok(());
        }
        let done = self.0.table.transact(writes).await?;
        done.map_err(|_| Error::contended())
    }
}

/// What is written when it is found out whether an action had its effect, once for each action: it counts
/// for that version of its playbook, and one without effect is noted for each of its records, so that the
/// same is not proposed for them again. Nothing for an action of no playbook.
///
/// All of an organization's verdicts on a playbook write the same item, and conflict when they come at
/// the same time, as those that write its totals do.
pub(super) fn verdict_on(action: &AgentAction, effective: bool) -> Vec<Write> {
    let Some(playbook) = &action.playbook else {
        return Vec::new();
    };
    let tenant = action.organization_id;
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
        let entities = action.entities.iter().filter(|entity| !entity.is_empty());
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
