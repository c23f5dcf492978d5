//! `workdesk-admin sign-in`: passwords again, where the provider lets no user in.

use lexopt::Parser;

use crate::{
    arguments::{self, organization_id},
    error::Error,
    table, terminal,
};

/// Name of the subcommand.
pub(crate) const NAME: &str = "sign-in";

const USAGE: &str = "\
Allows the users of an organization to sign in by password again, beside its provider.

Usage: workdesk-admin sign-in TABLE ORGANIZATION passwords=allowed

  TABLE          The DynamoDB table: the output TableName of the deployed stack
  ORGANIZATION   The organization's id, as list-organizations shows it";

/// Allows passwords beside the provider.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let Some([table, organization, passwords]) = arguments::exactly(parser, USAGE)? else {
        return Ok(());
    };
    if passwords != "passwords=allowed" {
        return Err(Error::Arguments(USAGE));
    }
    let organization = organization_id(&organization)?;
    let store = table::open(&table).await;
    store
        .providers()
        .allow_passwords(organization)
        .await?;
    terminal::say(&format!(
        "Organization {organization}: users sign in by password, and by the provider."
    ));
    Ok(())
}
