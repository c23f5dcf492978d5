//! Demo target systems of the agent: billing, payments and notifications.
//!
//! They keep state, so that the effect of an action can be checked. They fail on demand, so that
//! the agent's reaction can be tested. All three are on one port, below `/targets/{name}`;
//! `/state`, `/effects`, `/faults` and `/reset` administer the demo, and `/mail` shows its mails.

mod administration;
mod call;
mod connection;
mod error;
mod faults;
mod operation;
mod records;
mod server;
mod special;
mod systems;
mod world;

#[cfg(test)]
mod tests;

use std::{path::Path, sync::Arc};

use axum::Router;
use connection::{Connection, CuttableListener};
use operation::Operation;
use serde_json::{Map, Value, json};
use server::Demo;
use systems::path;
use tokio::sync::watch;
use world::World;

use crate::{
    background::{Background, listen},
    mail_receiver::MailInbox,
};

pub use error::TargetSystemError;
pub use faults::{FaultMode, InjectedFault};
pub use records::RecordedEffect;

/// Members of answers for the demo's connections to keep: none with a person's name.
const KEEP: [&str; 23] = [
    "id",
    "code",
    "detail",
    "state",
    "number",
    "currency",
    "amount",
    "amountDue",
    "amountPaid",
    "amountCredited",
    "amountCaptured",
    "amountRefunded",
    "customerId",
    "invoiceId",
    "events",
    "missingUsageEvents",
    "duplicateOf",
    "failure",
    "lastError",
    "syncState",
    "unbilledAmount",
    "undelivered",
    "respondBy",
];

/// The running target systems. Dropping this value stops them; [`DemoTargets::stop`] also waits.
#[derive(Debug)]
pub struct DemoTargets {
    url: String,
    world: Arc<World>,
    server: Background,
    hurry: watch::Sender<()>,
}

impl DemoTargets {
    /// Starts the systems on a port; 0 takes a free one.
    ///
    /// With a state file they continue from it; otherwise they start with the seed.
    pub fn start(port: u16, state_file: Option<&Path>) -> Result<Self, TargetSystemError> {
        Self::start_showing(port, state_file, MailInbox::default())
    }

    /// As [`start`](Self::start), with the mails of an inbox at `GET /mail`.
    pub fn start_showing(
        port: u16,
        state_file: Option<&Path>,
        mails: MailInbox,
    ) -> Result<Self, TargetSystemError> {
        Self::serve(port, World::open(state_file)?, mails)
    }

    /// Starts the systems on a free port with records in the form of the seed, without a state
    /// file.
    pub fn start_with(records: Value) -> Result<Self, TargetSystemError> {
        Self::serve(0, World::of(records)?, MailInbox::default())
    }

    fn serve(port: u16, world: World, mails: MailInbox) -> Result<Self, TargetSystemError> {
        let failed = |source| TargetSystemError::Start { port, source };
        let world = Arc::new(world);
        let (listener, address) = listen(port).map_err(failed)?;
        let shared = Arc::clone(&world);
        let (hurry, hurries) = watch::channel(());
        let server = Background::start("target-systems", move |stopping| async move {
            let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
                return;
            };
            let demo = Demo {
                world: Arc::clone(&shared),
                stopping: stopping.clone(),
                hurry: hurries,
                mails,
            };
            let mut routes = administration::routes();
            for system in &shared.shipped().systems {
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

    /// Returns the base URL of `/state`, `/effects`, `/faults` and `/reset`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns an organization's connections to the systems by name, as bodies of
    /// `PUT /api/concierge/connections/{name}`.
    pub fn connections(&self) -> Value {
        let each = self
            .world
            .shipped()
            .systems
            .iter()
            .map(|system| {
                let allow: Vec<_> = system
                    .operations
                    .iter()
                    .map(Operation::name)
                    .collect();
                let idempotency = system.honours_keys.then(|| {
                    json!({
                        "in": "header",
                        "name": server::KEY_HEADER,
                        "replays": "all",
                        "keptFor": "24h",
                        "replayedHeader": server::REPLAYED_HEADER,
                    })
                });
                let connection = json!({
                    // Each system has the name of its kind.
                    "kind": system.name,
                    "amounts": "minor",
                    "baseUrl": format!("{}{}", self.url, path(system)),
                    "secret": system.secret,
                    "idempotency": idempotency,
                    "allow": allow,
                    "testPath": system.test_path,
                    "keep": KEEP,
                });
                (system.name.clone(), connection)
            });
        Value::Object(each.collect::<Map<_, _>>())
    }

    /// Returns all effects, oldest first.
    pub fn effects(&self) -> Vec<RecordedEffect> {
        self.world.effects()
    }

    /// Returns records, messages, effects and pending faults, as in `GET /state`.
    pub fn state(&self) -> Value {
        self.world.show()
    }

    /// Adds a fault for the next matching calls.
    pub fn inject(&self, fault: InjectedFault) {
        self.world.add_fault(fault);
    }

    /// Returns the number of calls that pending faults will affect.
    pub fn waiting_faults(&self) -> usize {
        self.world.waiting_faults()
    }

    /// Sends all currently delayed answers at once.
    pub fn hurry(&self) {
        self.hurry.send_replace(());
    }

    /// Removes the pending faults.
    pub fn clear_faults(&self) {
        self.world.clear_faults();
    }

    /// Resets the systems to the seed, without effects and faults.
    pub fn reset(&self) -> Result<(), TargetSystemError> {
        self.world.reset()
    }

    /// Stops the systems and waits until the port is released.
    pub async fn stop(self) {
        self.server.stop().await;
    }
}
