//! `workdesk-admin export-organization`: all items of an organization, as lines of JSON.

use lexopt::Parser;
use serde::Serialize;
use shared::auth::password;

use crate::{
    arguments::{self, organization_id},
    error::Error,
    table, terminal,
};

/// Name of the subcommand.
pub(crate) const NAME: &str = "export-organization";

const USAGE: &str = "\
Writes an organization to standard output as lines of JSON: first a header with the number of items of each
kind, then an item a line, always in the same order. Each has its kind, and its attributes as DynamoDB's JSON.
Sessions, tokens, secrets of connections, idempotency keys and all that follows from other items are left out.

Usage: workdesk-admin export-organization TABLE ORGANIZATION [--accounts]

  TABLE          The DynamoDB table: the output TableName of the deployed stack
  ORGANIZATION   The organization's id, as list-organizations shows it
  --accounts     Adds the hashes of passwords, for a move to another stack

Suspend the organization before, so that nothing changes meanwhile. Reads each item twice.";

/// Exports an organization.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let parsed = arguments::with_options(parser, USAGE, [("accounts", false)])?;
    let Some(([table, organization], [accounts])) = parsed else {
        return Ok(());
    };
    let organization = organization_id(&organization)?;
    let store = table::open(&table).await;
    store
        .directory()
        .organization(organization)
        .await?;
    let at = store.now();
    let tenants = store.tenants();
    let header = tenants
        .export_header(organization, at)
        .await?;
    say(&header)?;
    let unusable = accounts
        .is_empty()
        .then(password::unusable);
    let mut written = 0;
    let mut failed = None;
    let mut each = |line| {
        written += 1;
        failed = failed.take().or(say(&line).err());
    };
    tenants
        .export(organization, at, unusable.as_ref(), &mut each)
        .await?;
    if let Some(error) = failed {
        return Err(error);
    }
    if written == header.counts.values().sum::<usize>() {
        return Ok(());
    }
    let changed = "the organization changed meanwhile: suspend it, and export it again";
    Err(Error::Invalid(changed.to_owned()))
}

fn say(line: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_string(line);
    terminal::say(&text.map_err(|error| Error::Invalid(error.to_string()))?);
    Ok(())
}
