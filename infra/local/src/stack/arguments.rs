//! Command-line arguments of `cargo local`.

use std::{ffi::OsString, num::NonZeroU16, path::PathBuf};

use super::log::LogForm;
use lexopt::{
    Arg::{Long, Short},
    Parser,
};

/// Help text, printed for `--help` and after a wrong argument.
pub(crate) const USAGE: &str = "\
Runs Workdesk on this machine: all functions, DynamoDB, SQS, demo data and a demo billing system.

Usage: cargo local [OPTIONS], or workdesk-local [OPTIONS] without the sources

Options:
      --fresh              Delete the data of earlier runs and start over
      --paused             Start the engines alone and serve nothing, as after a restore
      --watch              Run the functions under `cargo lambda watch`, which builds them again on save
      --port <N>           Port of the API [default: 9000]
      --billing-port <N>   Port of the demo billing system [default: 9100]
      --log <FORM>         Log lines: text for people, or json as in a deployed stack [default: text on a terminal,
                           or else json]
      --data <DIR>         Folder of the data that is kept between runs [default: target/local of the sources, or
                           else workdesk-data]
  -h, --help               Print this help

Environment:
  AWS_ENDPOINT_URL_DYNAMODB   URL of a DynamoDB to use instead of the embedded one
  AWS_ENDPOINT_URL_SQS        URL of an SQS to use instead of the embedded one
  LOCAL_DYNAMODB_PORT         Port of the embedded DynamoDB [default: a free one]
  LOCAL_SQS_PORT              Port of the embedded SQS [default: a free one]
  SWEEP_SECONDS               Seconds between two runs of the sweeper [default: 60]
  ALLOWED_ORIGINS             Other origins whose pages may call the API, comma-separated
  COOKIE_SAME_SITE            SameSite of the session cookie: lax, or none for pages of other sites [default: lax]
  ACTION_LEASE_SECONDS, STEP_TIMEOUT_SECONDS, CELL, RUST_LOG   Passed to the functions";

/// The options of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) fresh: bool,
    /// True if only the engines run.
    pub(crate) paused: bool,
    /// True if the functions run under `cargo lambda watch`.
    pub(crate) watch: bool,
    pub(crate) port: u16,
    pub(crate) billing_port: u16,
    /// Form of the log; absent for the default.
    pub(crate) log: Option<LogForm>,
    /// Data folder; absent for the default.
    pub(crate) data: Option<PathBuf>,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            fresh: false,
            paused: false,
            watch: false,
            port: 9000,
            billing_port: 9100,
            log: None,
            data: None,
        }
    }
}

/// The command to carry out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Run(Arguments),
    Help,
}

/// A wrong argument.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// An unknown option, or one without its value.
    #[error(transparent)]
    Option(#[from] lexopt::Error),
    /// A value is not a port.
    #[error("{flag} needs a port from 1 to 65535, not {value:?}")]
    Port { flag: &'static str, value: OsString },
    #[error("--log is text or json, not {0:?}")]
    Log(OsString),
    /// API and billing system have the same port.
    #[error("--port and --billing-port must differ")]
    SamePort,
}

/// Reads the arguments after the program's name.
pub(crate) fn parse(raw_arguments: impl IntoIterator<Item = OsString>) -> Result<Command, Error> {
    let mut arguments = Arguments::default();
    let mut parser = Parser::from_args(raw_arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(Command::Help),
            Long("fresh") => arguments.fresh = true,
            Long("paused") => arguments.paused = true,
            Long("watch") => arguments.watch = true,
            Long("port") => arguments.port = port("--port", parser.value()?)?,
            Long("billing-port") => {
                arguments.billing_port = port("--billing-port", parser.value()?)?;
            }
            Long("log") => arguments.log = Some(log_form(parser.value()?)?),
            Long("data") => arguments.data = Some(parser.value()?.into()),
            other => return Err(other.unexpected().into()),
        }
    }
    if arguments.port == arguments.billing_port {
        return Err(Error::SamePort);
    }
    Ok(Command::Run(arguments))
}

fn log_form(value: OsString) -> Result<LogForm, Error> {
    value
        .to_str()
        .and_then(LogForm::named)
        .ok_or(Error::Log(value))
}

fn port(flag: &'static str, value: OsString) -> Result<u16, Error> {
    let port = value
        .to_str()
        .and_then(|text| text.parse::<NonZeroU16>().ok());
    port.map(NonZeroU16::get)
        .ok_or(Error::Port { flag, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(line: &str) -> Result<Command, Error> {
        parse(
            line.split_whitespace()
                .map(OsString::from),
        )
    }

    #[test]
    fn nothing_asks_for_the_defaults() {
        assert_eq!(given("").unwrap(), Command::Run(Arguments::default()));
    }

    #[test]
    fn every_option_is_read() {
        let wanted = Arguments {
            fresh: true,
            paused: true,
            watch: true,
            port: 9001,
            billing_port: 9101,
            log: Some(LogForm::Json),
            data: Some(PathBuf::from("/tmp/x")),
        };
        let line =
            "--fresh --paused --watch --port 9001 --billing-port=9101 --log json --data /tmp/x";
        assert_eq!(given(line).unwrap(), Command::Run(wanted));
        assert_eq!(given("--fresh -h").unwrap(), Command::Help);
    }

    #[test]
    fn a_wrong_argument_is_named() {
        for (line, named) in [
            ("--prot 9001", "--prot"),
            ("--port", "--port"),
            ("--port 0", "\"0\""),
            ("--port 70000", "\"70000\""),
            ("--port 9100", "differ"),
            ("--log yaml", "\"yaml\""),
            ("--data", "--data"),
            ("elsewhere", "elsewhere"),
        ] {
            let error = given(line).unwrap_err().to_string();
            assert!(error.contains(named), "{line}: {error:?}");
        }
    }
}
