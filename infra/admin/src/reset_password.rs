//! `workdesk-admin reset-password`: for who forgot the password, and an organization whose admins did.

use lexopt::Parser;
use shared::auth::password;

use crate::{arguments, error::Error, open, terminal};

/// How the operator calls it.
pub(crate) const NAME: &str = "reset-password";

const USAGE: &str = "\
Sets a user's password, which ends all that was signed in with the one before.

Usage: workdesk-admin reset-password TABLE USERNAME

  TABLE      The DynamoDB table: the output TableName of the deployed stack
  USERNAME   Who signs in, of whatever organization, in upper or lower case

The password is asked for on a terminal, and elsewhere the first line of standard input.";

/// Sets a user's password.
pub(crate) async fn run(given: Parser) -> Result<(), Error> {
    let Some([table, username]) = arguments::exactly(given, USAGE)? else {
        return Ok(());
    };
    let store = open(&table).await;
    let sign_in = store.sign_in();
    let user = match sign_in.account(&username).await? {
        Some(account) => sign_in.user(&account).await?,
        None => None,
    };
    let user = user.ok_or_else(|| Error::Invalid(format!("nobody is called {username}")))?;
    let password = terminal::new_password(&user.username)?;
    let hash = password::hash(password.into_secret()).await?;
    let directory = store.directory();
    directory
        .change_password(user.organization_id, &user, hash)
        .await?;
    let though = if user.disabled {
        ", who is disabled and cannot sign in"
    } else {
        ""
    };
    terminal::say(&format!(
        "User {}, {}, of organization {}{though}.",
        user.id, user.username, user.organization_id
    ));
    Ok(())
}
