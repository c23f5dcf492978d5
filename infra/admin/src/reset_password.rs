//! `workdesk-admin reset-password`: a new password, for example for an organization's only admin.

use lexopt::Parser;
use shared::{auth::password, store::base::WriteContext};

use crate::{arguments, error::Error, table, terminal};

/// Name of the subcommand.
pub(crate) const NAME: &str = "reset-password";

const USAGE: &str = "\
Sets a user's password and ends the user's sessions and tokens.

Usage: workdesk-admin reset-password TABLE USERNAME

  TABLE      The DynamoDB table: the output TableName of the deployed stack
  USERNAME   The user's username, of any organization, in upper or lower case

Asks for the password on a terminal; otherwise reads it from the first line of standard input.";

/// Sets a user's password.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let Some([table, username]) = arguments::exactly(parser, USAGE)? else {
        return Ok(());
    };
    let store = table::open(&table).await;
    let account = store
        .sign_in()
        .account(&username)
        .await?;
    let no_user = || Error::Invalid(format!("there is no user {username}"));
    let account = account.ok_or_else(no_user)?;
    let directory = store.directory();
    // Also of a suspended organization, which no user signs in to.
    let user = directory
        .user(account.organization_id, account.user_id)
        .await?;
    let organization = directory
        .organization(user.organization_id)
        .await?;
    let password = terminal::new_password(&user.username)?;
    let password = password.for_user(&user.username, &organization.name)?;
    let hash = password::hash(password).await?;
    directory
        .change_password(WriteContext::of_operator(user.organization_id), &user, hash)
        .await?;
    let though = if user.disabled {
        ", who is disabled and cannot sign in"
    } else if organization.suspended.is_some() {
        ", which is suspended: sign-in waits for the lift"
    } else {
        ""
    };
    terminal::say(&format!(
        "User {}, {}, of organization {}{though}.",
        user.id, user.username, user.organization_id
    ));
    Ok(())
}
