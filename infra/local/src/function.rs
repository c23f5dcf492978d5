//! The functions and their invocations.

mod error;
mod handler;
mod in_process;
mod table;
mod watched;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures::{FutureExt, future::BoxFuture};
use serde_json::Value;
use shared::config::Environment;
use tokio::time::timeout;

use crate::{engines::Engines, template::Template};

use self::{in_process::InProcess, watched::Watched};

pub use self::{
    error::InvocationError,
    in_process::NotStarted,
    table::{ApiFunction, FUNCTIONS, Function, FunctionRoutes, States, api_functions},
};

/// All functions, ready to be invoked. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Functions(Arc<Place>);

/// The place where functions run.
#[derive(Debug)]
enum Place {
    InProcess(InProcess),
    Watched(Watched),
}

/// A running invocation.
pub type Invocation = BoxFuture<'static, Result<Bytes, InvocationError>>;

impl Functions {
    /// Starts the functions in this process with these settings, on the engines, with the
    /// template's time limits.
    pub async fn start(
        settings: &Environment,
        engines: &Engines,
        template: &Template,
    ) -> Result<Self, NotStarted> {
        let started = InProcess::start(settings, engines, template).await?;
        Ok(Self(Arc::new(Place::InProcess(started))))
    }

    /// Returns the functions behind `invoke_url`.
    pub fn at(invoke_url: &str) -> Result<Self, reqwest::Error> {
        Ok(Self(Arc::new(Place::Watched(Watched::at(invoke_url)?))))
    }

    /// Sends an event to a function and returns its result.
    pub async fn invoke(
        &self,
        function: &str,
        event: Bytes,
        within: Duration,
    ) -> Result<Bytes, InvocationError> {
        let answer = async {
            match &*self.0 {
                Place::InProcess(functions) => functions.invoke(function, event).await,
                Place::Watched(functions) => functions.invoke(function, event).await,
            }
        };
        timeout(within, answer)
            .await
            .unwrap_or_else(|_| {
                Err(InvocationError::TimedOut {
                    function: function.to_owned(),
                    within,
                })
            })
    }

    /// Returns a closure that invokes one function, for the mapping and the schedule.
    pub fn invoker(
        &self,
        function: &'static str,
        within: Duration,
    ) -> impl Fn(Value) -> Invocation + Clone + Send + Sync + use<> {
        let functions = self.clone();
        move |event| {
            let functions = functions.clone();
            async move {
                let event = event.to_string().into();
                functions
                    .invoke(function, event, within)
                    .await
            }
            .boxed()
        }
    }
}
