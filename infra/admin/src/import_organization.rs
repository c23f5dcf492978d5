//! `workdesk-admin import-organization`: an organization from its export.

use lexopt::Parser;
use shared::model::OrganizationName;

use crate::{arguments, error::Error, index_records, table, terminal};

/// Name of the subcommand.
pub(crate) const NAME: &str = "import-organization";

const USAGE: &str = "\
Creates an organization from the export on standard input, which it reads as a whole. The organization keeps
its ids and is suspended: check it, set the secrets that are named, and lift the suspension. Users sign in
with the passwords of an export with --accounts; others need reset-password. Then its records are indexed.

Usage: workdesk-admin import-organization TABLE [--as-new NAME]

  TABLE           The DynamoDB table: the output TableName of the deployed stack
  --as-new NAME   Takes a new id for the organization, and this name. Other ids stay

Writes nothing if usernames are taken: names them, and the exit code is 2. An interrupted import without
--as-new goes on when started again.";

/// Imports an organization.
pub(crate) async fn run(given: Parser) -> Result<(), Error> {
    let given = arguments::with_options(given, USAGE, [("as-new", true)])?;
    let Some(([table], [name])) = given else {
        return Ok(());
    };
    let name = name.map(OrganizationName::try_from).transpose();
    let name = name.map_err(|error| Error::Text("NAME", error))?;
    let text = terminal::input()?;
    let store = table::open(&table).await;
    let tenants = store.tenants();
    let imported = tenants.import(&text, name.as_ref()).await?;
    terminal::say(&format!(
        "Organization {}: {} items. It is suspended.",
        imported.organization, imported.items
    ));
    for name in &imported.without_secret {
        terminal::say(&format!("The {name} needs its secret."));
    }
    index_records::index(&store, imported.organization).await
}
