//! `workdesk-admin verify`: whether items of older forms are left.

use lexopt::Parser;
use shared::store::upkeep::Forms;

use crate::{error::Error, migrate::Walk, terminal};

/// Name of the subcommand.
pub(crate) const NAME: &str = "verify";

const USAGE: &str = "\
Reads all items of organizations, and writes nothing. Lists the kinds of items of an older form, which migrate
rewrites: organization, kind and number. Names items that do not read, and kinds of a later version. The exit
code is 1 if there are any.

Usage: workdesk-admin verify TABLE [--organization ID]... [--rate UNITS]

  TABLE               The DynamoDB table: the output TableName of the deployed stack
  --organization ID   Only this organization, as list-organizations shows it; may be repeated
  --rate UNITS        The most table units a second; without it, as fast as the table answers

An item costs 1 read unit for each 4 kB, and the small items of a list share them.";

/// Reads the items of organizations.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let Some(walk) = Walk::read(parser, USAGE)? else {
        return Ok(());
    };
    match walk
        .each(false, Forms::are_present)
        .await?
    {
        0 => {
            terminal::say("All items have the form of this version.");
            Ok(())
        }
        count => Err(Error::OtherForms(count)),
    }
}
