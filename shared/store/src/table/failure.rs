//! What a failed request of the table means.

use aws_sdk_dynamodb::{
    error::{ProvideErrorMetadata, SdkError},
    operation::transact_write_items::TransactWriteItemsError,
};
use model::Error;

use super::{Refused, item::Item};

/// The attribute that tells a write of ours, repeated after a lost answer, from somebody else's.
pub(super) const WRITE_ID: &str = "writeId";

/// Why a single write was not done.
pub(super) enum Single {
    Refused(Option<Item>),
    Conflict(Error),
    Failed(Error),
}

pub(super) fn single<E>(error: SdkError<E>, item: Option<Item>) -> Single
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    match error.code() {
        Some("ConditionalCheckFailedException") => Single::Refused(item),
        Some("TransactionConflictException") => Single::Conflict(failure(error)),
        _ => Single::Failed(failure(error)),
    }
}

pub(super) fn wrote(item: Option<&Item>, write_id: &str) -> bool {
    item.and_then(|item| item.get(WRITE_ID))
        .and_then(|value| value.as_s().ok())
        .is_some_and(|id| id == write_id)
}

/// The refused writes of a cancelled transaction; `None` when it was cancelled by no condition.
pub(super) fn refused(error: &SdkError<TransactWriteItemsError>) -> Option<Refused> {
    let Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) =
        error.as_service_error()
    else {
        return None;
    };
    let reasons = cancelled.cancellation_reasons();
    let failed: Vec<bool> = reasons
        .iter()
        .map(|reason| reason.code() == Some("ConditionalCheckFailed"))
        .collect();
    failed.contains(&true).then_some(Refused { failed })
}

/// Whether another write of the same items stood in the way, which passes.
pub(super) fn is_conflict(error: &SdkError<TransactWriteItemsError>) -> bool {
    match error.as_service_error() {
        Some(TransactWriteItemsError::TransactionInProgressException(_)) => true,
        Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
            let passing = [
                "None",
                "TransactionConflict",
                "ThrottlingError",
                "ProvisionedThroughputExceeded",
            ];
            cancelled
                .cancellation_reasons()
                .iter()
                .all(|reason| reason.code().is_some_and(|code| passing.contains(&code)))
        }
        _ => false,
    }
}

/// Whether a transaction failed because another one was writing what stands at this place in it, for
/// as long as it was tried.
pub(crate) fn is_conflict_at(error: &Error, place: usize) -> bool {
    let Error::Unavailable { source, .. } = error else {
        return false;
    };
    let Some(SdkError::ServiceError(failed)) =
        source.downcast_ref::<SdkError<TransactWriteItemsError>>()
    else {
        return false;
    };
    let TransactWriteItemsError::TransactionCanceledException(cancelled) = failed.err() else {
        return false;
    };
    let reason = cancelled.cancellation_reasons().get(place);
    reason.is_some_and(|reason| reason.code() == Some("TransactionConflict"))
}

/// What a transaction that failed for good means to the one who asked: some reasons to cancel it are
/// ours, and do not pass.
pub(super) fn cancelled(error: SdkError<TransactWriteItemsError>) -> Error {
    let ours = ["ItemCollectionSizeLimitExceeded", "ValidationError"];
    if let Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) =
        error.as_service_error()
        && cancelled
            .cancellation_reasons()
            .iter()
            .any(|reason| reason.code().is_some_and(|code| ours.contains(&code)))
    {
        return Error::internal("writing to the table", error);
    }
    failure(error)
}

/// What a failed request of the table means to the one who asked.
pub(super) fn failure<E>(error: SdkError<E>) -> Error
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    let passing = [
        "InternalServerError",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ServiceUnavailable",
        "ThrottlingException",
        "TransactionCanceledException",
        "TransactionConflictException",
        "TransactionInProgressException",
    ];
    match &error {
        SdkError::ServiceError(_) if !error.code().is_some_and(|code| passing.contains(&code)) => {
            Error::internal("asking the table", error)
        }
        SdkError::ConstructionFailure(_) => Error::internal("asking the table", error),
        _ => unavailable(error),
    }
}

pub(super) fn unavailable(source: impl Into<model::Source>) -> Error {
    Error::Unavailable {
        what: "the database",
        source: source.into(),
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::{
        config::http::HttpResponse,
        types::{CancellationReason, error::TransactionCanceledException},
    };

    use super::*;

    fn cancelled_for(reasons: &[&str]) -> Error {
        let reasons = reasons
            .iter()
            .map(|code| CancellationReason::builder().code(*code).build());
        let exception = TransactionCanceledException::builder()
            .set_cancellation_reasons(Some(reasons.collect()))
            .meta(
                aws_sdk_dynamodb::error::ErrorMetadata::builder()
                    .code("TransactionCanceledException")
                    .build(),
            )
            .build();
        let response = HttpResponse::new(400.try_into().unwrap(), "".into());
        let error = TransactWriteItemsError::TransactionCanceledException(exception);
        cancelled(SdkError::service_error(error, response))
    }

    #[test]
    fn a_transaction_that_can_never_be_done_is_not_to_be_tried_again() {
        for reasons in [
            ["None", "ValidationError"],
            ["ItemCollectionSizeLimitExceeded", "None"],
            ["TransactionConflict", "ValidationError"],
        ] {
            let error = cancelled_for(&reasons);
            assert!(matches!(error, Error::Internal { .. }), "{reasons:?}");
        }
        for reasons in [
            ["None", "TransactionConflict"],
            ["ThrottlingError", "None"],
            ["None", "ProvisionedThroughputExceeded"],
        ] {
            let error = cancelled_for(&reasons);
            assert!(matches!(error, Error::Unavailable { .. }), "{reasons:?}");
        }
    }
}
