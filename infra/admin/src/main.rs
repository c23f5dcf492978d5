//! The operator's program: `workdesk-admin SUBCOMMAND TABLE …`. It works on the table of a deployed
//! or a local stack. Each subcommand is a file.

mod after_restore;
mod arguments;
mod create_organization;
mod delete_organization;
mod erase_user;
mod error;
mod export_organization;
mod import_organization;
mod index_records;
mod list_organizations;
mod migrate;
mod record_alert;
mod replay_changes;
mod reset_password;
mod restart_feed;
mod resume_agents;
mod set_plan;
mod sign_in;
mod suspend_organization;
mod table;
mod terminal;
mod verify;

use std::process::ExitCode;

use lexopt::{
    Arg::{Long, Short, Value},
    Parser,
};

use self::error::Error;

const USAGE: &str = "\
Operations on the table of a Workdesk that the API does not offer.

Usage: workdesk-admin SUBCOMMAND TABLE ...

Subcommands:
  create-organization   Creates an organization with its first admin
  set-plan              Changes the table units, invitations or features of an organization's plan
  reset-password        Sets a user's password and ends the user's sessions
  sign-in               Allows passwords beside an organization's provider again
  list-organizations    Lists all organizations, with their plans and suspensions
  record-alert          Records an alert for the resolution agent
  index-records         Adds older records to the search index
  migrate               Gives items of earlier versions the form of this one
  verify                Lists items of older forms, and items that do not read
  suspend-organization  Refuses an organization's requests and holds its work, or lifts that
  export-organization   Writes all items of an organization to standard output
  import-organization   Creates an organization from an export
  delete-organization   Deletes an organization and all of its items
  erase-user            Erases what names a user
  after-restore         Prepares a table that was put back to an earlier instant
  resume-agents         Resumes the agents that after-restore paused
  restart-feed          Has clients of the change feed read their lists again
  replay-changes        Handles the dead-letter queue of changes

Run workdesk-admin SUBCOMMAND --help for the arguments of a subcommand.

TABLE is the DynamoDB table: the output TableName of the deployed stack. Region, credentials and
endpoint are those of the AWS SDK: AWS_PROFILE, AWS_REGION, and AWS_ENDPOINT_URL_DYNAMODB for a table
that is not in AWS.

On a terminal, a new password is asked for twice and not shown; otherwise it is the first line of
standard input. It has 12 to 128 characters and is not the username.";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run(Parser::from_env()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::fail(&error.to_string());
            error.exit_code()
        }
    }
}

async fn run(mut parser: Parser) -> Result<(), Error> {
    let name = match parser.next()? {
        Some(Value(name)) => name
            .into_string()
            .map_err(lexopt::Error::from)?,
        Some(Short('h') | Long("help")) => {
            terminal::say(USAGE);
            return Ok(());
        }
        Some(other) => return Err(other.unexpected().into()),
        None => return Err(no_subcommand("a subcommand is missing")),
    };
    match name.as_str() {
        create_organization::NAME => create_organization::run(parser).await,
        set_plan::NAME => set_plan::run(parser).await,
        sign_in::NAME => sign_in::run(parser).await,
        reset_password::NAME => reset_password::run(parser).await,
        record_alert::NAME => record_alert::run(parser).await,
        after_restore::NAME => after_restore::run(parser).await,
        replay_changes::NAME => replay_changes::run(parser).await,
        restart_feed::NAME => restart_feed::run(parser).await,
        resume_agents::NAME => resume_agents::run(parser).await,
        index_records::NAME => index_records::run(parser).await,
        migrate::NAME => migrate::run(parser).await,
        verify::NAME => verify::run(parser).await,
        list_organizations::NAME => list_organizations::run(parser).await,
        suspend_organization::NAME => suspend_organization::run(parser).await,
        export_organization::NAME => export_organization::run(parser).await,
        import_organization::NAME => import_organization::run(parser).await,
        delete_organization::NAME => delete_organization::run(parser).await,
        erase_user::NAME => erase_user::run(parser).await,
        _ => Err(no_subcommand(&format!("there is no subcommand {name}"))),
    }
}

fn no_subcommand(why: &str) -> Error {
    Error::Invalid(format!("{why}\n\n{USAGE}"))
}
