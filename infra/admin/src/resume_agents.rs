//! `workdesk-admin resume-agents`: the agents' work after a pause that concerned all organizations.

use lexopt::Parser;
use shared::{
    model::base::OrganizationId,
    store::base::{Store, WriteContext},
};

use crate::{arguments, error::Error, table, terminal};

/// Name of the subcommand.
pub(crate) const NAME: &str = "resume-agents";

const USAGE: &str = "\
Resumes the resolution agents that after-restore paused, once the target systems were checked. Each resume stands in
the organization's journal as the operator's. A pause that a user began after the restore stays.

Usage: workdesk-admin resume-agents TABLE [--organization ID]...

  TABLE               The DynamoDB table: the output TableName of the deployed stack
  --organization ID   This organization, as list-organizations shows it, whoever paused its agent; may be
                      repeated. Without it, all organizations that a restore paused

Waiting actions start within a minute, if their approvals still hold. Run again, it changes nothing more. A failure
of one organization is named on standard error, and the next one follows; the exit code is then 1.";

/// Resumes agents.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let parsed = arguments::with_options(parser, USAGE, [("organization", true)])?;
    let Some(([table], [named])) = parsed else {
        return Ok(());
    };
    let store = table::open(&table).await;
    let work = async |organization| {
        if resume(&store, organization, !named.is_empty()).await? {
            terminal::say(&format!("{organization}\tagent resumed"));
        }
        Ok(true)
    };
    Error::of_failed(table::each(&store, &named, work).await?)
}

/// Returns false for a working agent. If no organization `is_named`, also for one that a user
/// paused.
async fn resume(
    store: &Store,
    organization: OrganizationId,
    is_named: bool,
) -> Result<bool, Error> {
    let connections = store.connections();
    let pause = connections
        .agent_pause(organization)
        .await?;
    let is_paused = pause.is_some_and(|pause| {
        let by_restore = pause.by.is_none() && pause.restored.is_some();
        pause.paused && (by_restore || is_named)
    });
    if is_paused {
        let context = WriteContext::of_operator(organization);
        connections
            .pause_agent(context, None, false)
            .await?;
    }
    Ok(is_paused)
}
