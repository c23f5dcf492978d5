//! Functions without clients: a queue, the table's stream or the schedule invokes them.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    config::Patience,
    start::{FromStart, Start},
    telemetry,
};

/// A function without clients.
pub trait Background: FromStart {
    type Event: DeserializeOwned;
    type Answer: Serialize;
    /// Limits of its requests to AWS.
    const PATIENCE: Patience;

    fn handle(&self, event: Self::Event) -> impl Future<Output = Self::Answer>;
}

pub async fn run<F: Background>(name: &'static str) -> Result<(), Error> {
    let served = async {
        let function = &F::from_start(&Start::cold(F::PATIENCE).await?)?;
        lambda_runtime::run(service_fn(async |event: LambdaEvent<F::Event>| {
            Ok::<_, Error>(function.handle(event.payload).await)
        }))
        .await
    };
    telemetry::run(name, Box::pin(served)).await
}
