//! Environment variables of the local stack.

use std::{ffi::OsString, num::NonZeroU64, path::PathBuf, str::FromStr, time::Duration};

use crate::process::{self, text};

/// Origins of web clients on other hosts, comma-separated.
const ALLOWED_ORIGINS: &str = "ALLOWED_ORIGINS";

/// `SameSite` of the session cookie: `lax` or `none`.
const COOKIE_SAME_SITE: &str = "COOKIE_SAME_SITE";

/// Variables that are passed to the functions if they are set.
const HANDED_ON: [&str; 6] = [
    ALLOWED_ORIGINS,
    COOKIE_SAME_SITE,
    "ACTION_LEASE_SECONDS",
    "STEP_TIMEOUT_SECONDS",
    "CELL",
    "RUST_LOG",
];

/// A variable with an unexpected value.
#[derive(Debug, thiserror::Error)]
#[error("{name} must be {expected}, not {value:?}")]
pub(crate) struct Malformed {
    name: &'static str,
    expected: &'static str,
    value: String,
}

/// The settings of a run.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// URL of a DynamoDB to use instead of the embedded one.
    pub(crate) dynamodb_url: Option<String>,
    /// URL of an SQS to use instead of the embedded one.
    pub(crate) sqs_url: Option<String>,
    pub(crate) dynamodb_port: u16,
    pub(crate) sqs_port: u16,
    pub(crate) sweep_every: Duration,
    /// Other origins whose pages may call the API.
    pub(crate) allowed_origins: Vec<String>,
    /// True if the session cookie is for pages of all sites, and so for https only.
    pub(crate) cookie_of_any_site: bool,
    /// Variables for the functions.
    pub(crate) handed_on: Vec<(&'static str, String)>,
    /// `NO_PROXY`: hosts that are reached without a proxy.
    pub(crate) no_proxy: Option<String>,
    /// The root folder of the sources; absent for a program without its sources.
    pub(crate) workspace: Option<PathBuf>,
    /// The cargo that runs this program.
    pub(crate) cargo: OsString,
    /// Folders of `PATH`, and last cargo's own.
    pub(crate) programs: Vec<PathBuf>,
}

impl Config {
    /// Reads the settings. An error names the variable.
    pub(crate) fn read() -> Result<Self, Malformed> {
        let sweep_every = number("SWEEP_SECONDS", "a whole number of seconds")?;
        Ok(Self {
            dynamodb_url: text("AWS_ENDPOINT_URL_DYNAMODB"),
            sqs_url: text("AWS_ENDPOINT_URL_SQS"),
            dynamodb_port: port("LOCAL_DYNAMODB_PORT")?,
            sqs_port: port("LOCAL_SQS_PORT")?,
            sweep_every: Duration::from_secs(sweep_every.map_or(60, NonZeroU64::get)),
            allowed_origins: text(ALLOWED_ORIGINS)
                .iter()
                .flat_map(|origins| origins.split(','))
                .map(|origin| origin.trim().to_owned())
                .filter(|origin| !origin.is_empty())
                .collect(),
            cookie_of_any_site: cookie_of_any_site()?,
            handed_on: HANDED_ON
                .into_iter()
                .filter_map(|name| Some((name, text(name)?)))
                .collect(),
            no_proxy: text("NO_PROXY").or_else(|| text("no_proxy")),
            workspace: process::workspace(),
            cargo: process::variable("CARGO").unwrap_or_else(|| "cargo".into()),
            programs: process::program_folders(),
        })
    }

    /// Returns the data folder of a run that names none.
    pub(crate) fn data(&self) -> PathBuf {
        match &self.workspace {
            Some(workspace) => workspace.join("target/local"),
            None => PathBuf::from("workdesk-data"),
        }
    }
}

fn cookie_of_any_site() -> Result<bool, Malformed> {
    match text(COOKIE_SAME_SITE).as_deref() {
        None | Some("lax") => Ok(false),
        Some("none") => Ok(true),
        Some(other) => Err(Malformed {
            name: COOKIE_SAME_SITE,
            expected: "lax or none",
            value: other.to_owned(),
        }),
    }
}

/// Reads a port; 0, which takes a free one, if the variable is absent.
fn port(name: &'static str) -> Result<u16, Malformed> {
    Ok(number(name, "a port")?.unwrap_or(0))
}

fn number<T: FromStr>(name: &'static str, expected: &'static str) -> Result<Option<T>, Malformed> {
    let Some(value) = text(name) else {
        return Ok(None);
    };
    value
        .parse()
        .map(Some)
        .map_err(|_| Malformed {
            name,
            expected,
            value,
        })
}
