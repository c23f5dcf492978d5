//! The operator's tool: `admin SUBCOMMAND …`, on the table of a deployed stack. Each subcommand is
//! a file.

mod arguments;
mod create_organization;
mod error;
mod terminal;

use std::process::ExitCode;

use lexopt::{
    Arg::{Long, Short, Value},
    Parser,
};

use self::error::Error;

const USAGE: &str = "\
Works on the table of a deployed Workdesk. Table and credentials are found as the AWS SDK finds them.

Usage: admin SUBCOMMAND

Subcommands:
  create-organization TABLE NAME USERNAME FULL_NAME
      Creates an organization with every plan feature, and its first admin, whose password is read
      from standard input";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run(Parser::from_env()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::fail(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

async fn run(mut given: Parser) -> Result<(), Error> {
    match given.next()? {
        Some(Value(name)) if name == create_organization::NAME => {
            create_organization::run(given).await
        }
        Some(Short('h') | Long("help")) => {
            terminal::say(USAGE);
            Ok(())
        }
        Some(other) => Err(other.unexpected().into()),
        None => Err(Error::Arguments("SUBCOMMAND")),
    }
}
