//! Savings of actions, with the total that the dashboard shows.

use agent::{AgentAction, Saving};
use model::{Error, OrganizationId};

use super::Agent;
use crate::{
    directory::totals,
    key::{self, Key},
    page::{Page, Wanted},
    table::{Change, Condition, Record, Refused, Stored, Write},
};

impl Record<crate::Workdesk> for Saving {
    const KIND: &'static str = "saving";

    fn key(&self) -> Key<Self> {
        key::saving(self)
    }
}

impl Agent<'_> {
    /// Returns the organization's savings, newest days first.
    pub async fn savings(
        &self,
        tenant: OrganizationId,
        wanted: &Wanted,
    ) -> Result<Page<Stored<Saving>>, Error> {
        let newest_first = key::savings(tenant).descending();
        self.0.table.page(newest_first, wanted).await
    }

    /// Writes an action's outcome together with its saving, unless its record has a saving on that
    /// day.
    pub(super) async fn write_with_saving(
        &self,
        writes: Vec<Write>,
        action: &AgentAction,
    ) -> Result<Result<(), Refused>, Error> {
        let table = &self.0.table;
        let Some(saving) = Saving::of(action) else {
            return table.transact(writes).await;
        };
        let place = writes.len();
        let mut with_saving = writes.clone();
        with_saving.push(Write::create(&saving)?);
        with_saving.push(counts(&saving));
        match table.transact(with_saving).await? {
            Err(refused) if refused.at(place) => table.transact(writes).await,
            done => Ok(done),
        }
    }
}

/// Returns the write that adds the minutes to the organization's total.
fn counts(saving: &Saving) -> Write {
    Write::update(
        key::totals(saving.organization_id),
        Change::default().add(totals::MINUTES_SAVED, saving.minutes),
        Condition::default(),
    )
}
