//! The systems and their first records, as the YAML files beside this one have them.

use std::sync::LazyLock;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    error::TargetSystemError,
    operation::System,
    records::{Kinds, Records},
};

const SYSTEMS: [&str; 3] = [
    include_str!("billing.yaml"),
    include_str!("payments.yaml"),
    include_str!("notifications.yaml"),
];

const SEED: &str = include_str!("seed.yaml");

/// The systems, and what they begin with.
#[derive(Debug)]
pub(crate) struct Shipped {
    pub(crate) systems: Vec<System>,
    pub(crate) kinds: Kinds,
    pub(crate) records: Records,
}

#[derive(Deserialize)]
struct Seed {
    kinds: Kinds,
    #[serde(flatten)]
    records: Records,
}

impl Shipped {
    /// Returns the files' contents, read once.
    pub(crate) fn get() -> Result<&'static Self, TargetSystemError> {
        static SHIPPED: LazyLock<Result<Shipped, String>> = LazyLock::new(|| {
            let systems = SYSTEMS.iter().map(|file| read(file));
            let seed: Seed = read(SEED)?;
            Ok(Shipped {
                systems: systems.collect::<Result<_, _>>()?,
                records: seed.records.complete(&seed.kinds),
                kinds: seed.kinds,
            })
        });
        SHIPPED
            .as_ref()
            .map_err(|problem| TargetSystemError::File(problem.clone()))
    }
}

fn read<T: DeserializeOwned>(file: &str) -> Result<T, String> {
    let file: Value = serde_saphyr::from_str(file).map_err(|error| error.to_string())?;
    serde_json::from_value(file).map_err(|error| error.to_string())
}

/// Returns the path of its base URL.
pub(crate) fn path(system: &System) -> String {
    format!("/targets/{}", system.name)
}
