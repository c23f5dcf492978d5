//! `workdesk-admin delete-organization`: deletes an organization for good.

use lexopt::Parser;
use shared::{
    model::{
        base::span,
        people::{Organization, SuspensionCause},
    },
    store::Stored,
};

use crate::{
    arguments::{self, organization_id},
    error::Error,
    table, terminal,
};

/// Name of the subcommand.
pub(crate) const NAME: &str = "delete-organization";

/// Days of a suspension before the deletion.
const DAYS: i64 = 30;

const USAGE: &str = "\
Deletes an organization with all of its items for good, and frees its usernames. Leaves its id and the
instant of the deletion. Backups of the table keep it for their time.

Usage: workdesk-admin delete-organization TABLE ORGANIZATION NAME [--now]

  TABLE          The DynamoDB table: the output TableName of the deployed stack
  ORGANIZATION   The organization's id, as list-organizations shows it
  NAME           The organization's name, which must be right
  --now          Does not wait until the organization has been suspended for 30 days

An interrupted deletion goes on when started again. After --now, start it once more an hour later: it then
deletes what the stream of changes still brought.";

/// Deletes an organization.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let parsed = arguments::with_options(parser, USAGE, [("now", false)])?;
    let Some(([table, id, name], [now])) = parsed else {
        return Ok(());
    };
    let id = organization_id(&id)?;
    let store = table::open(&table).await;
    let tenants = store.tenants();
    if !tenants.is_deleted(id).await? {
        let organization = store
            .directory()
            .organization(id)
            .await?;
        if organization.name != name {
            let wrong = format!("organization {id} has another name");
            return Err(Error::Invalid(wrong));
        }
        let wait = waits(&organization, !now.is_empty(), store.now());
        if let Some(why) = wait {
            return Err(Error::Invalid(why));
        }
        tenants
            .begin_deletion(&organization)
            .await?;
    }
    let mut report = |items: usize| terminal::progress(&format!("{items} items"));
    let mut deleted_items = 0;
    // Items that name others go after them, so that a second round finds none but late ones.
    loop {
        match tenants
            .delete_items(id, &mut report)
            .await?
        {
            0 => break,
            deleted => deleted_items += deleted,
        }
    }
    tenants.bury(id).await?;
    terminal::say(&format!(
        "Organization {id} is deleted: {deleted_items} items."
    ));
    Ok(())
}

/// Returns the reason for which the organization cannot be deleted yet.
fn waits(
    organization: &Stored<Organization>,
    now: bool,
    at: shared::model::base::Timestamp,
) -> Option<String> {
    let id = organization.id;
    let Some(suspension) = organization.suspended else {
        return Some(format!("organization {id} is not suspended"));
    };
    let may = suspension.since.plus(DAYS * span::DAY);
    let is_early = at < may && suspension.cause != SuspensionCause::Deletion;
    (is_early && !now).then(|| format!("organization {id} may be deleted from {may} on"))
}
