//! `workdesk-admin index-records`: what older records lack: the search index, participants,
//! reminders.

use lexopt::Parser;
use shared::{
    model::base::{Id, OrganizationId},
    store::base::Store,
};

use crate::{arguments, error::Error, table, terminal};

/// Name of the subcommand.
pub(crate) const NAME: &str = "index-records";

const USAGE: &str = "\
Adds the records of organizations to the search index, adds the participants of their threads, and plans
the reminders of tasks. The indexer does so for what changes; this does it for the records that were there
before, and for those whose changes the indexer gave up.

Usage: workdesk-admin index-records TABLE [ORGANIZATION]...

  TABLE          The DynamoDB table: the output TableName of the deployed stack
  ORGANIZATION   The organization's id, as list-organizations shows it; without one, all organizations

A failure of one organization is named on standard error, and the next one follows; the exit code is then 1.
Records that the index has are only read, so an interrupted run can simply start again. Clients may work
meanwhile. A record costs 1 to 2 read units, and a new one 3 write units and 1 for each of its words.";

/// Indexes the records of organizations.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let Some(([table], organizations)) = arguments::values(parser, USAGE)? else {
        return Ok(());
    };
    let store = table::open(&table).await;
    let work = async |organization| {
        index(&store, organization).await?;
        Ok(true)
    };
    Error::of_failed(table::each(&store, &organizations, work).await?)
}

/// Restarts the change feed of an organization, and indexes its records.
pub(crate) async fn restart(store: &Store, organization: OrganizationId) -> Result<(), Error> {
    store
        .feed()
        .restart(organization)
        .await?;
    index(store, organization).await
}

pub(crate) async fn index(store: &Store, organization: OrganizationId) -> Result<(), Error> {
    let report = |kind: &str, records: usize| {
        terminal::say(&format!("{}\t{kind}\t{records}", organization.get()));
    };
    let search = store.search();
    Box::pin(search.index_all(organization, |kind, records| report(kind.name(), records))).await?;
    Ok(())
}
