//! `workdesk-admin index-records`: the search index of records that are older than it.

use lexopt::Parser;
use shared::{
    model::{Id, OrganizationId},
    store::Store,
};

use crate::{arguments, error::Error, set_plan::organization_id, table, terminal};

/// Name of the subcommand.
pub(crate) const NAME: &str = "index-records";

const USAGE: &str = "\
Adds the records of organizations to the search index. The publisher adds what changes; this adds the
records that were there before, and those whose changes the publisher gave up.

Usage: workdesk-admin index-records TABLE [ORGANIZATION]...

  TABLE          The DynamoDB table: the output TableName of the deployed stack
  ORGANIZATION   The organization's id, as list-organizations shows it; without one, all organizations

Records that the index has are only read, so an interrupted run can simply start again. Clients may work
meanwhile. A record costs 1 to 2 read units, and a new one 3 write units and 1 for each of its words.";

/// Indexes the records of organizations.
pub(crate) async fn run(given: Parser) -> Result<(), Error> {
    let Some(([table], organizations)) = arguments::values(given, USAGE)? else {
        return Ok(());
    };
    let named = organizations.iter().map(|id| organization_id(id));
    let mut organizations = named.collect::<Result<Vec<_>, _>>()?;
    let store = table::open(&table).await;
    if organizations.is_empty() {
        let all = store.directory().organizations().await?.into_iter();
        organizations = all.map(|organization| organization.id).collect();
    }
    for organization in organizations {
        index(&store, organization).await?;
    }
    Ok(())
}

async fn index(store: &Store, organization: OrganizationId) -> Result<(), Error> {
    let tell = |kind: &str, records: usize| {
        terminal::say(&format!("{}\t{kind}\t{records}", organization.get()));
    };
    let search = store.search();
    Box::pin(search.index_all(organization, |kind, records| tell(kind.name(), records))).await?;
    Ok(())
}
