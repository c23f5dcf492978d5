//! The one place where the local stack reads its environment.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// What the functions are given as it stands here, where it is set.
const HANDED_ON: [&str; 3] = ["ACTION_LEASE_SECONDS", "STEP_TIMEOUT_SECONDS", "RUST_LOG"];

/// The environment of a run.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// A `DynamoDB` to use instead of the embedded one.
    pub(crate) dynamodb_url: Option<String>,
    /// An SQS to use instead of the embedded one.
    pub(crate) sqs_url: Option<String>,
    pub(crate) dynamodb_port: u16,
    pub(crate) sqs_port: u16,
    pub(crate) sweep_every: Duration,
    /// Variables for the functions.
    pub(crate) handed_on: Vec<(&'static str, String)>,
    /// Hosts that are reached without a proxy, as given.
    pub(crate) no_proxy: Option<String>,
    /// The cargo that runs this.
    pub(crate) cargo: OsString,
    /// Folders with programs; cargo's own comes last.
    pub(crate) programs: Vec<PathBuf>,
}

impl Config {
    /// Reads it; an error names the variable.
    pub(crate) fn read() -> Result<Self, String> {
        let mut programs: Vec<PathBuf> = env::var_os("PATH")
            .map(|path| env::split_paths(&path).collect())
            .unwrap_or_default();
        let cargo_home = env::var_os("CARGO_HOME")
            .map(PathBuf::from)
            .or_else(|| env::home_dir().map(|home| home.join(".cargo")));
        programs.extend(cargo_home.map(|home| home.join("bin")));
        Ok(Self {
            dynamodb_url: text("AWS_ENDPOINT_URL_DYNAMODB"),
            sqs_url: text("AWS_ENDPOINT_URL_SQS"),
            dynamodb_port: port("LOCAL_DYNAMODB_PORT")?,
            sqs_port: port("LOCAL_SQS_PORT")?,
            sweep_every: Duration::from_secs(seconds("SWEEP_SECONDS")?.unwrap_or(60)),
            handed_on: HANDED_ON
                .into_iter()
                .filter_map(|name| Some((name, text(name)?)))
                .collect(),
            no_proxy: text("NO_PROXY").or_else(|| text("no_proxy")),
            cargo: env::var_os("CARGO").unwrap_or_else(|| "cargo".into()),
            programs,
        })
    }
}

/// The arguments after the program's name.
pub(crate) fn arguments() -> impl Iterator<Item = String> {
    env::args().skip(1)
}

/// A variable that is set to something.
fn text(name: &str) -> Option<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads it"
    )]
    let value = env::var(name);
    value.ok().filter(|value| !value.is_empty())
}

fn port(name: &str) -> Result<u16, String> {
    text(name).map_or(Ok(0), |value| {
        value
            .parse()
            .map_err(|_| format!("{name} must be a port, not {value:?}"))
    })
}

fn seconds(name: &str) -> Result<Option<u64>, String> {
    text(name)
        .map(|value| match value.parse() {
            Ok(seconds) if seconds > 0 => Ok(seconds),
            _ => Err(format!(
                "{name} must be a whole number of seconds, not {value:?}"
            )),
        })
        .transpose()
}
