//! Functions in this process, each on a thread of its own.
//!
//! An invocation is a task of its own. Its panic fails the invocation alone, and it ends at the
//! function's time limit, as on Lambda.

use std::{collections::BTreeMap, io, sync::Arc, time::Duration};

use bytes::Bytes;
use futures::future::try_join_all;
use shared::{clock::Clock, config::Environment, runtime::Start, telemetry};
use tokio::{
    sync::{mpsc, oneshot},
    task::LocalSet,
    time::timeout,
};
use tracing::Instrument;

use crate::{
    background::{Background, Stopping},
    engines::Engines,
    lambda::MAX_PAYLOAD,
    template::Template,
};

use super::{
    error::InvocationError,
    handler::{Handler, StartError},
    table::FUNCTIONS,
};

/// A function did not start.
#[derive(Debug, thiserror::Error)]
#[error("{function} did not start: {source}")]
pub struct NotStarted {
    function: &'static str,
    source: StartError,
}

/// The functions by name.
#[derive(Debug)]
pub(super) struct InProcess {
    instances: BTreeMap<&'static str, Instance>,
    clock: Clock,
}

/// A function after its cold start.
#[derive(Debug)]
struct Instance {
    invocations: mpsc::UnboundedSender<Invocation>,
    limit: Duration,
    /// Ends when it is dropped.
    _thread: Background,
}

/// An event on its way to the function's thread.
#[derive(Debug)]
struct Invocation {
    event: Bytes,
    deadline: u64,
    answer: oneshot::Sender<serde_json::Result<Bytes>>,
}

impl Instance {
    fn start(
        name: &'static str,
        handler: Handler,
        limit: Duration,
        settings: &Environment,
    ) -> io::Result<Self> {
        let (invocations, received) = mpsc::unbounded_channel();
        let function = telemetry::RunningFunction::new(name, settings);
        Ok(Self {
            invocations,
            limit,
            _thread: Background::start(name, move |stopping| {
                serve(name, function, handler, received, stopping)
            })?,
        })
    }
}

/// Runs each invocation as a task, until there are no more.
async fn serve(
    name: &'static str,
    function: Arc<telemetry::RunningFunction>,
    handler: Handler,
    mut received: mpsc::UnboundedReceiver<Invocation>,
    stopping: Stopping,
) {
    let tasks = LocalSet::new();
    let invocations = async {
        while let Some(mut invocation) = received.recv().await {
            let handling = handler(invocation.event, invocation.deadline);
            let work = async move {
                tokio::select! {
                    answer = handling => {
                        // Fails if the caller has given up.
                        let _ = invocation.answer.send(answer);
                    }
                    () = invocation.answer.closed() => {}
                }
            };
            // Lines of the log without a field for the function have its name by their span.
            let span = tracing::error_span!("invocation", function = name);
            tasks.spawn_local(
                Arc::clone(&function)
                    .run(work)
                    .instrument(span),
            );
        }
    };
    tokio::select! {
        () = tasks.run_until(invocations) => {}
        () = stopping.wait() => {}
    }
}

impl InProcess {
    /// Starts all functions with these settings, on the engines, with the template's time limits.
    pub(super) async fn start(
        settings: &Environment,
        engines: &Engines,
        template: &Template,
    ) -> Result<Self, NotStarted> {
        let started = FUNCTIONS.iter().map(async |function| {
            let instance = async {
                let aws = function
                    .patience()
                    .applied_to(engines.aws());
                let start = Start::of(settings.clone(), aws).await?;
                let handler = function.handler(&start)?;
                let limit = template.timeout(function.name)?;
                Ok(Instance::start(function.name, handler, limit, settings)?)
            };
            let instance = instance
                .await
                .map_err(|source| NotStarted {
                    function: function.name,
                    source,
                })?;
            Ok((function.name, instance))
        });
        Ok(Self {
            instances: try_join_all(started)
                .await?
                .into_iter()
                .collect(),
            clock: Clock::system(),
        })
    }

    /// Sends an event to a function and returns its answer.
    pub(super) async fn invoke(&self, name: &str, event: Bytes) -> Result<Bytes, InvocationError> {
        let failed = |problem: String| InvocationError::Failed {
            function: name.to_owned(),
            problem,
        };
        let Some(instance) = self.instances.get(name) else {
            return Err(failed("it does not exist".to_owned()));
        };
        let limit = instance.limit;
        let now = Duration::from_millis(
            self.clock
                .now()
                .millis()
                .try_into()
                .unwrap_or_default(),
        );
        let deadline = (now + limit)
            .as_millis()
            .try_into()
            .unwrap_or_default();
        let (answer, answered) = oneshot::channel();
        let invocation = Invocation {
            event,
            deadline,
            answer,
        };
        // Fails with the thread, as the wait for the answer does.
        let _ = instance.invocations.send(invocation);
        match timeout(limit, answered).await {
            Ok(Ok(Ok(answer))) if answer.len() <= MAX_PAYLOAD => Ok(answer),
            Ok(Ok(Ok(answer))) => Err(failed(format!(
                "the answer has {} bytes, more than {MAX_PAYLOAD}",
                answer.len()
            ))),
            Ok(Ok(Err(error))) => Err(failed(error.to_string())),
            Ok(Err(_)) => Err(failed("it panicked".to_owned())),
            Err(_) => Err(failed(format!("it did not end within {limit:?}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, future::LocalBoxFuture};
    use shared::model::base::Timestamp;

    use super::*;

    type Answer = LocalBoxFuture<'static, serde_json::Result<Bytes>>;

    /// A function with its behaviour in its event.
    fn functions(limit: Duration) -> InProcess {
        let handler: Handler = Arc::new(|event, deadline| -> Answer {
            async move {
                match &event[..] {
                    b"panic" => panic!("as requested"),
                    b"wait" => futures::future::pending().await,
                    b"much" => Ok(vec![b' '; MAX_PAYLOAD + 1].into()),
                    b"deadline" => Ok(deadline.to_string().into()),
                    other => Ok(serde_json::from_slice::<serde_json::Value>(other)?
                        .to_string()
                        .into()),
                }
            }
            .boxed_local()
        });
        let settings = Environment::from_iter([]);
        let instance = Instance::start("tasks", handler, limit, &settings).unwrap();
        InProcess {
            instances: BTreeMap::from([("tasks", instance)]),
            clock: Clock::fixed(Timestamp::from_millis(7)),
        }
    }

    #[tokio::test]
    async fn a_failed_invocation_leaves_the_function_as_it_was() {
        let functions = functions(Duration::from_mins(1));
        for (event, problem) in [
            ("panic", "panicked"),
            ("much", "6291557 bytes"),
            ("<<<", "expected value"),
        ] {
            let failed = functions
                .invoke("tasks", event.into())
                .await
                .unwrap_err();
            assert!(failed.to_string().contains(problem), "{event}: {failed}");
            let answer = functions
                .invoke("tasks", "{}".into())
                .await
                .unwrap();
            assert_eq!(answer, "{}", "after {event}");
        }
        let absent = functions
            .invoke("nothing", "{}".into())
            .await;
        assert!(
            absent
                .unwrap_err()
                .to_string()
                .contains("nothing")
        );
    }

    #[tokio::test]
    async fn an_invocation_ends_at_the_time_limit_that_it_knows() {
        let functions = functions(Duration::from_millis(50));
        let late = functions
            .invoke("tasks", "wait".into())
            .await
            .unwrap_err();
        assert!(late.to_string().contains("within 50ms"), "{late}");
        let deadline = functions
            .invoke("tasks", "deadline".into())
            .await;
        assert_eq!(deadline.unwrap(), "57");
    }
}
