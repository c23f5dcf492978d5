//! `workdesk-admin list-organizations`: all organizations of a table.

use lexopt::Parser;
use shared::model::people::{Organization, Suspension, SuspensionCause};

use crate::{arguments, error::Error, set_plan::plan, table, terminal};

/// Name of the subcommand.
pub(crate) const NAME: &str = "list-organizations";

const USAGE: &str = "\
Lists all organizations by id. Each line has id, creation, plan, units a second, invitations a day, suspension
and name, separated by tabs. The suspension is -, or an instant with the cause: operator, deletion, or the export
of an import that has not ended. One that does not read is named on standard error, with the reason, and the exit
code is 1.

Usage: workdesk-admin list-organizations TABLE

  TABLE   The DynamoDB table: the output TableName of the deployed stack

Reads every id that was ever given to an organization: one request and 50 read units per hundred ids.";

/// Lists the organizations.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let Some([table]) = arguments::exactly(parser, USAGE)? else {
        return Ok(());
    };
    let store = table::open(&table).await;
    let mut unreadable = 0;
    for (id, organization) in store
        .directory()
        .organizations()
        .await?
    {
        let organization = match organization {
            Ok(organization) => organization,
            Err(error) => {
                unreadable += 1;
                terminal::fail(&format!("organization {id}: {}", error.chain()));
                continue;
            }
        };
        terminal::say(&format!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}",
            organization.id,
            organization.created_at,
            plan(&organization),
            organization.units_per_second.get(),
            organization.invitations_per_day,
            suspension(&organization),
            organization.name
        ));
    }
    Error::of_failed(unreadable)
}

/// Returns since when and why an organization is suspended; `-` for one that works.
fn suspension(organization: &Organization) -> String {
    let Some(Suspension { since, cause }) = organization.suspended else {
        return "-".to_owned();
    };
    let of = organization
        .import_of
        .filter(|_| cause == SuspensionCause::Import);
    let of = of.map(|of| format!(" of organization {}, exported {}", of.organization, of.at));
    format!("{since} {}{}", cause.name(), of.unwrap_or_default())
}
