//! What `cargo local` is told on its command line.

use std::path::PathBuf;

/// Shown for `--help` and after a wrong argument.
pub(crate) const USAGE: &str = "\
Runs Workdesk on this machine: DynamoDB, SQS, demo data, a demo billing system and every function.

Usage: cargo local [OPTIONS]

Options:
      --fresh              Start over: forget the table, the demo billing system's state and the secret
      --port <N>           Port of the API [default: 9000]
      --billing-port <N>   Port of the demo billing system [default: 9100]
      --data <DIR>         Where data is kept between runs [default: target/local]
  -h, --help               Show this

Environment:
  AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_SQS   Use these engines and start none
  LOCAL_DYNAMODB_PORT, LOCAL_SQS_PORT               Ports of the embedded engines [default: free ones]
  SWEEP_SECONDS                                     How often the sweeper runs [default: 60]
  ACTION_LEASE_SECONDS, STEP_TIMEOUT_SECONDS, RUST_LOG   Handed on to the functions";

/// A run as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) fresh: bool,
    pub(crate) port: u16,
    pub(crate) billing_port: u16,
    /// Absent for the default below the target folder.
    pub(crate) data: Option<PathBuf>,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            fresh: false,
            port: 9000,
            billing_port: 9100,
            data: None,
        }
    }
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    Run(Arguments),
    Help,
}

/// Reads the arguments after the program's name; an error says which one is wrong.
pub(crate) fn parse(given: impl IntoIterator<Item = String>) -> Result<Command, String> {
    let mut arguments = Arguments::default();
    let mut given = given.into_iter();
    while let Some(argument) = given.next() {
        // Both `--port 1` and `--port=1`.
        let (flag, attached) = match argument.split_once('=') {
            Some((flag, value)) => (flag.to_owned(), Some(value.to_owned())),
            None => (argument, None),
        };
        let mut value = |what: &str| {
            attached
                .clone()
                .or_else(|| given.next())
                .ok_or_else(|| format!("{flag} needs {what}"))
        };
        match flag.as_str() {
            "-h" | "--help" => return Ok(Command::Help),
            "--fresh" => arguments.fresh = true,
            "--port" => arguments.port = port(&flag, &value("a port")?)?,
            "--billing-port" => arguments.billing_port = port(&flag, &value("a port")?)?,
            "--data" => arguments.data = Some(PathBuf::from(value("a folder")?)),
            _ => return Err(format!("{flag} is not an option")),
        }
    }
    if arguments.port == arguments.billing_port {
        return Err("--port and --billing-port must differ".to_owned());
    }
    Ok(Command::Run(arguments))
}

fn port(flag: &str, value: &str) -> Result<u16, String> {
    match value.parse() {
        Ok(port) if port > 0 => Ok(port),
        _ => Err(format!(
            "{flag} needs a port from 1 to 65535, not {value:?}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(line: &str) -> Result<Command, String> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn nothing_asks_for_the_defaults() {
        assert_eq!(given(""), Ok(Command::Run(Arguments::default())));
    }

    #[test]
    fn every_option_is_read() {
        let wanted = Arguments {
            fresh: true,
            port: 9001,
            billing_port: 9101,
            data: Some(PathBuf::from("/tmp/x")),
        };
        let line = "--fresh --port 9001 --billing-port=9101 --data /tmp/x";
        assert_eq!(given(line), Ok(Command::Run(wanted)));
        assert_eq!(given("--fresh -h"), Ok(Command::Help));
    }

    #[test]
    fn a_wrong_argument_is_named() {
        for (line, named) in [
            ("--prot 9001", "--prot"),
            ("--port", "--port"),
            ("--port 0", "\"0\""),
            ("--port 70000", "\"70000\""),
            ("--port 9100", "differ"),
            ("--data", "folder"),
        ] {
            let error = given(line).err().unwrap_or_default();
            assert!(error.contains(named), "{line}: {error:?}");
        }
    }
}
