//! Names that most files of the campaign use.

pub use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

pub use axum::{
    Router,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
pub use local::engines::Engines;
pub use reqwest::Method;
pub use serde_json::{Value, json};
pub use shared::clock::{Clock, Stopwatch};
pub use strum::VariantArray;
pub use tests::table_proxy::{self, Asked};
pub use tokio::task::JoinHandle;

pub use crate::{
    alerts::Class,
    client::Client,
    fates::Fates,
    kind::Kind,
    ledger::{Gone, Ledger, Made},
    world::Shared,
};
