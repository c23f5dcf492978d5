//! SDK errors as one line.

use std::error::Error;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};

/// Returns the engine's code and message, or the error that kept the request from the engine.
pub(crate) fn problem<E, R>(error: &SdkError<E, R>) -> String
where
    E: ProvideErrorMetadata + Error + 'static,
    R: std::fmt::Debug + 'static,
{
    if let Some(service) = error.as_service_error() {
        let code = service.code().unwrap_or("no code");
        return format!(
            "{code}: {}",
            service
                .message()
                .unwrap_or("no message")
        );
    }
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        line = format!("{line}: {cause}");
        source = cause.source();
    }
    line
}
