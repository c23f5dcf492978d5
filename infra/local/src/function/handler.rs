//! Handlers of functions: from an event to its answer, both as JSON.

use std::sync::Arc;

use axum::Router;
use bytes::Bytes;
use futures::{FutureExt, future::LocalBoxFuture};
use lambda_http::{Context, LambdaEvent, Service, request::LambdaRequest};
use serde_json::Error;
use shared::{Start, runtime::background::Background, serve};

/// Error of a cold start.
pub(super) type StartError = lambda_http::Error;

/// Handles an event until a deadline, in milliseconds since the Unix epoch.
pub(super) type Handler =
    Arc<dyn Fn(Bytes, u64) -> LocalBoxFuture<'static, Result<Bytes, Error>> + Send + Sync>;

/// Returns the handler of an API function.
pub(super) fn of_router(router: Router) -> Handler {
    Arc::new(move |event, deadline| {
        let router = router.clone();
        async move {
            let request: LambdaRequest = serde_json::from_slice(&event)?;
            let mut context = Context::default();
            context.deadline = deadline;
            let event = LambdaEvent::new(request, context);
            let Ok(answer) = serve::lambda(router).call(event).await;
            Ok(serde_json::to_vec(&answer)?.into())
        }
        .boxed_local()
    })
}

/// Returns the handler of a function without clients.
pub(super) fn of_background<F: Background>(start: &Start) -> Result<Handler, StartError> {
    let function = Arc::new(F::from_start(start)?);
    Ok(Arc::new(move |event, _| {
        let function = Arc::clone(&function);
        async move {
            let answer = function
                .handle(serde_json::from_slice(&event)?)
                .await;
            Ok(serde_json::to_vec(&answer)?.into())
        }
        .boxed_local()
    }))
}
