//! `workdesk-admin resume-agents`: the agents' work after a pause that concerned all organizations.

use lexopt::{
    Arg::{Long, Short, Value},
    Parser,
};
use shared::{
    model::base::OrganizationId,
    store::base::{Store, WriteContext},
};

use crate::{error::Error, set_plan::organization_id, table, terminal};

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
pub(crate) async fn run(mut parser: Parser) -> Result<(), Error> {
    let mut table = None;
    let mut named = Vec::new();
    while let Some(argument) = parser.next()? {
        let text = |value: std::ffi::OsString| {
            value
                .into_string()
                .map_err(lexopt::Error::from)
        };
        match argument {
            Long("organization") => named.push(organization_id(&text(parser.value()?)?)?),
            Value(value) if table.is_none() => table = Some(text(value)?),
            Value(_) => return Err(Error::Arguments(USAGE)),
            Short('h') | Long("help") => {
                terminal::say(USAGE);
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let store = table::open(&table.ok_or(Error::Arguments(USAGE))?).await;
    let is_named = !named.is_empty();
    let mut failed = 0;
    for organization in table::organizations(&store, named).await? {
        match resume(&store, organization, is_named).await {
            Ok(true) => terminal::say(&format!("{organization}\tagent resumed")),
            Ok(false) => {}
            Err(error) => {
                failed += 1;
                terminal::fail(&format!("organization {organization}: {error}"));
            }
        }
    }
    match failed {
        0 => Ok(()),
        failed => Err(Error::Incomplete(failed)),
    }
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
