//! `workdesk-admin import-organization`: an organization from its export.

use lexopt::Parser;
use shared::model::base::OrganizationName;

use crate::{arguments, error::Error, index_records, table, terminal};

/// Name of the subcommand.
pub(crate) const NAME: &str = "import-organization";

const USAGE: &str = "\
Creates an organization from the export on standard input. The organization keeps its ids and is suspended:
check it, set the secrets that are named, and lift the suspension. Users sign in with the passwords of an
export with --accounts; others need reset-password. Then its records are indexed.

Usage: workdesk-admin import-organization TABLE [--as-new NAME]

  TABLE           The DynamoDB table: the output TableName of the deployed stack
  --as-new NAME   Takes a new id for the organization, and this name. Other ids stay

Checks the whole file first, so the file may come from anyone: each line must be an item of the organization of
line 1, at the place where this version would write it, and name records of the file alone. Ids may be up to ten
million beyond the newest of the table, those of organizations 100000. A line that fails is named, and nothing is
written. Neither is anything if usernames are taken: they are named, and the exit code is 2.

An interrupted import goes on when started again with the same file, also with --as-new. list-organizations shows
one that has not ended. The file is copied to the folder for temporary files, and the copy goes with the program.";

/// Imports an organization.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let parsed = arguments::with_options(parser, USAGE, [("as-new", true)])?;
    let Some(([table], [mut name])) = parsed else {
        return Ok(());
    };
    let name = name
        .pop()
        .map(OrganizationName::try_from)
        .transpose();
    let name = name.map_err(|error| Error::Text("NAME", error))?;
    let file = terminal::input_file()?;
    let store = table::open(&table).await;
    let tenants = store.tenants();
    let imported = tenants
        .import(file, name.as_ref())
        .await?;
    terminal::say(&format!(
        "Organization {}: {} items. It is suspended.",
        imported.organization, imported.items
    ));
    for name in &imported.without_secret {
        terminal::say(&format!("The {name} needs its secret."));
    }
    index_records::index(&store, imported.organization).await
}
