//! `workdesk-admin restart-feed`: has all clients of a change feed read their lists again.

use lexopt::Parser;

use crate::{arguments, error::Error, index_records, table};

/// Name of the subcommand.
pub(crate) const NAME: &str = "restart-feed";

const USAGE: &str = "\
Restarts the change feeds of organizations: each cursor of before is answered 410 cursor_expired, and clients
read their lists again. Use it when changes were lost. Then does what index-records does.

Usage: workdesk-admin restart-feed TABLE [ORGANIZATION]...

  TABLE          The DynamoDB table: the output TableName of the deployed stack
  ORGANIZATION   The organization's id, as list-organizations shows it; without one, all organizations

A failure of one organization is named on standard error, and the next one follows; the exit code is then 1.";

/// Restarts change feeds.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let Some(([table], organizations)) = arguments::values(parser, USAGE)? else {
        return Ok(());
    };
    let store = table::open(&table).await;
    let work = async |organization| {
        index_records::restart(&store, organization).await?;
        Ok(true)
    };
    Error::of_failed(table::each(&store, &organizations, work).await?)
}
