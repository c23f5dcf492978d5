//! The program `demo`: runs the demo's target systems for a stack that runs elsewhere. With a
//! table's name, it first loads the demo's data into that table.

use std::{io, process::ExitCode};

use aws_config::BehaviorVersion;

use crate::{
    console,
    demo_data::{self, DemoData},
    process,
    target_systems::{self, DemoTargets},
};

const USAGE: &str = "\
Runs the demo billing system on PORT until it is stopped. With TABLE, first loads the demo data into that
table.

Usage: demo [TABLE] PORT

Region, credentials and endpoint are those of the AWS SDK. Prints one line of JSON: the connections to the
demo systems by name, as PUT /api/concierge/connections/{name} takes them.";

/// Runs `demo` and returns its exit code.
pub async fn main() -> ExitCode {
    let arguments: Vec<String> = process::arguments()
        .filter_map(|argument| argument.into_string().ok())
        .collect();
    let run = match arguments.as_slice() {
        [table, port] => port
            .parse()
            .ok()
            .map(|port| run(Some(table), port)),
        [port] => port
            .parse()
            .ok()
            .map(|port| run(None, port)),
        _ => None,
    };
    let Some(run) = run else {
        console::fail(USAGE);
        return ExitCode::FAILURE;
    };
    match run.await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console::fail(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// The demo did not start.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Data(#[from] demo_data::DemoDataError),
    #[error(transparent)]
    Targets(#[from] target_systems::TargetSystemError),
    #[error("listening for Ctrl-C: {0}")]
    Signals(#[from] io::Error),
}

async fn run(table: Option<&String>, port: u16) -> Result<(), Error> {
    if let Some(table) = table {
        let aws = aws_config::load_defaults(BehaviorVersion::latest()).await;
        let client = aws_sdk_dynamodb::Client::new(&aws);
        Box::pin(DemoData::shipped()?.load(client, table)).await?;
    }
    let targets = DemoTargets::start(port, None)?;
    console::say(&targets.connections().to_string());
    tokio::signal::ctrl_c().await?;
    targets.stop().await;
    Ok(())
}
