//! A demo of the systems that the agent acts on: billing, payments and notifications.
//!
//! They keep state, so that an action has an effect that one can look at, and fail on demand,
//! so that one can see what the agent does then. All three answer on one port, below
//! `/targets/{name}`; `/state`, `/effects`, `/faults` and `/reset` are for whoever runs the demo.

mod administration;
mod billing;
mod connection;
mod faults;
mod notifications;
mod operation;
mod payments;
mod records;
mod server;
mod world;

#[cfg(test)]
mod tests;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use axum::Router;
use connection::{Connection, CuttableListener};
use operation::{Operation, System};
use serde_json::{Map, Value, json};
use server::Demo;
use tokio::sync::watch;
use world::World;

pub use faults::{Fault, FaultMode};
pub use records::Effect;

use crate::background::{Background, listen};

static SYSTEMS: [&System; 3] = [
    &billing::BILLING,
    &payments::PAYMENTS,
    &notifications::NOTIFICATIONS,
];

/// Why the target systems could not be started or started over.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The seed is broken.
    #[error("the seed of the target systems: {0}")]
    Seed(#[from] serde_saphyr::Error),
    /// The records to begin with are broken.
    #[error("the records of the target systems: {0}")]
    Records(#[from] serde_json::Error),
    /// The state file cannot be read or written.
    #[error("the state of the target systems, {path}: {source}")]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No port or no thread.
    #[error("the target systems on port {port}: {source}")]
    Start {
        /// The port that was asked for.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
}

/// The running target systems. Dropping it stops them; [`DemoTargets::stop`] also waits.
#[derive(Debug)]
pub struct DemoTargets {
    url: String,
    world: Arc<World>,
    server: Background,
    hurry: watch::Sender<()>,
}

impl DemoTargets {
    /// Starts them on a port, or on a free one if it is 0.
    ///
    /// With a state file they go on where they were; without, they begin with the seed.
    pub fn start(port: u16, state_file: Option<&Path>) -> Result<Self, Error> {
        Self::serve(port, World::open(state_file)?)
    }

    /// Starts them on a free port with these records, in the form of the seed, and no state file.
    pub fn start_with(records: Value) -> Result<Self, Error> {
        Self::serve(0, World::of(records)?)
    }

    fn serve(port: u16, world: World) -> Result<Self, Error> {
        let failed = |source| Error::Start { port, source };
        let world = Arc::new(world);
        let (listener, address) = listen(port).map_err(failed)?;
        let shared = Arc::clone(&world);
        let (hurry, hurries) = watch::channel(());
        let server = Background::start("target-systems", move |stopping| async move {
            let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
                return;
            };
            let demo = Demo {
                world: shared,
                stopping: stopping.clone(),
                hurry: hurries,
            };
            let mut routes = administration::routes();
            for system in SYSTEMS {
                routes = routes.nest(&path(system), server::routes(system));
            }
            let service = Router::with_state::<()>(routes, demo)
                .into_make_service_with_connect_info::<Connection>();
            let _ = axum::serve(CuttableListener(listener), service)
                .with_graceful_shutdown(stopping.wait())
                .await;
        })
        .map_err(failed)?;
        Ok(Self {
            url: format!("http://{address}"),
            world,
            server,
            hurry,
        })
    }

    /// Where `/state`, `/effects`, `/faults` and `/reset` are.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What an organization's connections to the systems are, by their names, as
    /// `PUT /api/concierge/connections/{name}` takes them.
    #[must_use]
    pub fn connections(&self) -> Value {
        let each = SYSTEMS.iter().map(|system| {
            let allow: Vec<_> = system.operations.iter().map(Operation::name).collect();
            let idempotency = system.honours_keys.then(|| {
                json!({
                    "in": "header",
                    "name": server::KEY_HEADER,
                    "replays": "all",
                    "replayedHeader": server::REPLAYED_HEADER,
                })
            });
            let connection = json!({
                "kind": KIND,
                "baseUrl": format!("{}{}", self.url, path(system)),
                "secretParameter": parameter(system),
                "idempotency": idempotency,
                "allow": allow,
                "testPath": system.test_path,
            });
            (system.name.to_owned(), connection)
        });
        Value::Object(each.collect::<Map<_, _>>())
    }

    /// The secrets of these connections, by the last parts of their parameters' names.
    pub fn secrets() -> impl Iterator<Item = (String, String)> {
        SYSTEMS
            .iter()
            .map(|system| (parameter(system), system.secret.to_owned()))
    }

    /// Everything that really happened, oldest first.
    #[must_use]
    pub fn effects(&self) -> Vec<Effect> {
        self.world.effects()
    }

    /// Records, messages, effects and waiting faults, as `GET /state` shows them.
    #[must_use]
    pub fn state(&self) -> Value {
        self.world.show()
    }

    /// Makes the next matching calls fail.
    pub fn inject(&self, fault: Fault) {
        self.world.add_fault(fault);
    }

    /// How many calls are still to meet a fault.
    #[must_use]
    pub fn waiting_faults(&self) -> usize {
        self.world.waiting_faults()
    }

    /// Sends the answers at once that a fault delays now.
    pub fn hurry(&self) {
        self.hurry.send_replace(());
    }

    /// Takes back the faults that no call has met yet.
    pub fn clear_faults(&self) {
        self.world.clear_faults();
    }

    /// Begins again with the seed, without effects and faults.
    pub fn reset(&self) -> Result<(), Error> {
        self.world.reset()
    }

    /// Stops them and waits until the port is released.
    pub async fn stop(self) {
        self.server.stop().await;
    }
}

/// What kind of system the connections to these are.
pub const KIND: &str = "demo";

fn parameter(system: &System) -> String {
    format!("{}-key", system.name)
}

fn path(system: &System) -> String {
    format!("/targets/{}", system.name)
}
