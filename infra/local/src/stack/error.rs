//! Errors of the stack, as a user of `cargo local` reads them.

use std::{io, path::PathBuf, process::ExitStatus};

use crate::{demo_data, engines, function, gateway, target_systems, template};

use super::{arguments, config};

/// The stack did not start, or ended by itself.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{0}\n\n{usage}", usage = arguments::USAGE)]
    Arguments(#[from] arguments::Error),
    #[error(transparent)]
    Config(#[from] config::Malformed),
    #[error(
        "port {port} is in use, perhaps by another local stack or a `cargo lambda watch` \
         (`lsof -i :{port}` shows it). Choose another port with {flag}."
    )]
    PortTaken { port: u16, flag: &'static str },
    #[error("{path}: {source}")]
    Data { path: PathBuf, source: io::Error },
    #[error("another local stack uses {0}. Choose another folder with --data.")]
    DataInUse(PathBuf),
    #[error(
        "{0} has data of another version of Workdesk, which this version cannot read. Delete it with \
         --fresh, or choose another folder with --data."
    )]
    OtherFormat(PathBuf),
    #[error(
        "cargo-lambda is missing and could not be installed:\n  {0}\n\
         Install it with `pip install cargo-lambda`, or compile it with \
         `cargo install cargo-lambda --locked`, and try again. Without --watch, nothing needs it."
    )]
    NoCargoLambda(String),
    #[error("--watch builds the functions: start it with `cargo local --watch` in their sources.")]
    NoSources,
    #[error("the functions could not be built")]
    Build,
    #[error("{program}: {source}")]
    Program {
        program: &'static str,
        source: io::Error,
    },
    #[error(transparent)]
    Engines(#[from] engines::EngineError),
    #[error(transparent)]
    DemoTargets(#[from] target_systems::TargetSystemError),
    #[error(transparent)]
    Template(#[from] template::TemplateError),
    #[error(transparent)]
    Function(#[from] function::NotStarted),
    #[error(transparent)]
    Gateway(#[from] gateway::GatewayError),
    #[error(transparent)]
    DemoData(#[from] demo_data::DemoDataError),
    #[error("the HTTP client: {0}")]
    Http(#[from] reqwest::Error),
    #[error("cargo lambda watch did not open its port")]
    NoAnswer,
    #[error("cargo lambda watch ended by itself ({0})")]
    Ended(ExitStatus),
}
