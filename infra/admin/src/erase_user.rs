//! `workdesk-admin erase-user`: erases what names a person.

use lexopt::Parser;
use shared::model::base::{Id, UserId};

use crate::{
    arguments::{self, organization_id},
    error::Error,
    table, terminal,
};

/// Name of the subcommand.
pub(crate) const NAME: &str = "erase-user";

const USAGE: &str = "\
Erases a user for good: the name becomes Deleted user and the id, the username is free, and sessions, tokens
and notifications are deleted. Journals keep the changes and stay verifiable. Texts that the user or others
wrote stay as they are. The last admin who is not disabled cannot be erased.

Usage: workdesk-admin erase-user TABLE ORGANIZATION USER

  TABLE          The DynamoDB table: the output TableName of the deployed stack
  ORGANIZATION   The organization's id, as list-organizations shows it
  USER           The user's id, as the API shows it

An interrupted erasure goes on when started again. Reads the organization's journal.";

/// Erases a user.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let Some([table, organization, user]) = arguments::exactly(parser, USAGE)? else {
        return Ok(());
    };
    let organization = organization_id(&organization)?;
    let id = user.parse().ok().and_then(UserId::new);
    let id = id.ok_or_else(|| Error::Invalid(format!("{user} is not a user's id")))?;
    let store = table::open(&table).await;
    let erased = store
        .tenants()
        .erase_user(organization, id)
        .await?;
    terminal::say(&format!(
        "User {id} of organization {organization} is {}: {} items deleted, {} journal entries without names.",
        erased.user.full_name, erased.items, erased.entries
    ));
    Ok(())
}
