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

/// Declares a function without clients, whose method `handle` answers an event.
#[macro_export]
macro_rules! background {
    ($function:ty: $event:ty => $answer:ty, $patience:ident) => {
        impl $crate::background::Background for $function {
            type Event = $event;
            type Answer = $answer;
            const PATIENCE: $crate::config::Patience = $crate::config::Patience::$patience;

            async fn handle(&self, event: $event) -> $answer {
                self.handle(event).await
            }
        }
    };
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
