//! `workdesk-admin suspend-organization`: refuses an organization's requests, and holds its work.

use lexopt::Parser;

use crate::{
    arguments::{self, organization_id},
    error::Error,
    table, terminal,
};

/// Name of the subcommand.
pub(crate) const NAME: &str = "suspend-organization";

const USAGE: &str = "\
Suspends an organization, or lifts its suspension. Within five seconds each of its requests is answered
403 organization_suspended. Actions of the agent, webhook deliveries and reminders that are due wait for the
lift; deliveries expire after 7 days all the same. A sign-in says so only after a right password.

Usage: workdesk-admin suspend-organization TABLE ORGANIZATION [--lift]

  TABLE          The DynamoDB table: the output TableName of the deployed stack
  ORGANIZATION   The organization's id, as list-organizations shows it
  --lift         Lifts the suspension. Within 20 minutes, all that waited goes on";

/// Suspends an organization, or lifts its suspension.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let parsed = arguments::with_options(parser, USAGE, [("lift", false)])?;
    let Some(([table, organization], [lift])) = parsed else {
        return Ok(());
    };
    let organization = organization_id(&organization)?;
    let store = table::open(&table).await;
    let directory = store.directory();
    let organization = directory
        .suspend(organization, lift.is_empty())
        .await?;
    let state = organization.suspended.map_or_else(
        || "not suspended".to_owned(),
        |suspension| format!("suspended since {}", suspension.since),
    );
    terminal::say(&format!(
        "Organization {}, {}; {state}.",
        organization.id, organization.name
    ));
    Ok(())
}
