//! Failed requests: retry, refusal or error.

use aws_sdk_dynamodb::{
    error::{ProvideErrorMetadata, SdkError},
    operation::transact_write_items::TransactWriteItemsError,
    types::CancellationReason,
};
use model::base::Error;

use crate::{Refused, attribute::Item};

/// The attribute that holds the [id](crate::new_write_id) of the last write. After a lost answer,
/// it tells a retry of our own write from a write of another client.
pub(crate) const WRITE_ID: &str = "writeId";

/// The failure of a write outside of a transaction.
pub(crate) enum Single {
    /// The condition failed. Holds the item that is there.
    Refused(Option<Item>),
    /// A transaction is writing the item; retry.
    Conflict(Error),
    Failed(Error),
}

/// Classifies the failure of a write outside of a transaction whose condition held.
pub(crate) fn single<E>(error: SdkError<E>) -> Single
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    match error.code() {
        Some("TransactionConflictException") => Single::Conflict(failure(error)),
        _ => Single::Failed(failure(error)),
    }
}

/// True if the item was written last by the write of this id.
pub(crate) fn wrote(item: Option<&Item>, write_id: &str) -> bool {
    let id = item.and_then(|item| item.get(WRITE_ID)?.as_s().ok());
    id.is_some_and(|id| id == write_id)
}

/// The codes of a cancelled transaction, one for each write.
fn codes(error: &SdkError<TransactWriteItemsError>) -> Option<Vec<Option<&str>>> {
    match error.as_service_error()? {
        TransactWriteItemsError::TransactionCanceledException(cancelled) => {
            let reasons = cancelled.cancellation_reasons().iter();
            Some(
                reasons
                    .map(CancellationReason::code)
                    .collect(),
            )
        }
        _ => None,
    }
}

/// The refused writes of a cancelled transaction. `None` if no condition failed.
pub(crate) fn refused(error: &SdkError<TransactWriteItemsError>) -> Option<Refused> {
    let refusals = codes(error)?.into_iter();
    let failed = refusals.map(|code| code == Some("ConditionalCheckFailed"));
    let failed: Vec<bool> = failed.collect();
    failed
        .contains(&true)
        .then_some(Refused { failed })
}

/// True if the transaction failed for a temporary reason, such as another write of the same items.
pub(crate) fn is_conflict(error: &SdkError<TransactWriteItemsError>) -> bool {
    let passing = [
        "None",
        "TransactionConflict",
        "ThrottlingError",
        "ProvisionedThroughputExceeded",
    ];
    match (error.as_service_error(), codes(error)) {
        (Some(TransactWriteItemsError::TransactionInProgressException(_)), _) => true,
        (_, Some(codes)) => {
            let mut codes = codes.into_iter();
            codes.all(|code| code.is_some_and(|code| passing.contains(&code)))
        }
        _ => false,
    }
}

/// True if a transaction failed because another one kept writing the item of the write at this
/// index, through all attempts.
pub fn is_conflict_at(error: &Error, index: usize) -> bool {
    let Error::Unavailable { source, .. } = error else {
        return false;
    };
    let codes = source.downcast_ref().and_then(codes);
    codes.is_some_and(|codes| codes.get(index) == Some(&Some("TransactionConflict")))
}

/// The error of a transaction that failed for good. Some reasons are our own fault and permanent:
/// those are internal errors.
pub(crate) fn cancelled(error: SdkError<TransactWriteItemsError>) -> Error {
    let ours = [
        Some("ItemCollectionSizeLimitExceeded"),
        Some("ValidationError"),
    ];
    if codes(&error).is_some_and(|codes| {
        codes
            .iter()
            .any(|code| ours.contains(code))
    }) {
        return Error::internal("writing to the table", error);
    }
    failure(error)
}

/// A request that the table denied as a whole, whatever it asks for: no permission, no such table.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Denied(model::base::Source);

/// True if the table refused a request for a reason outside of the request. The same request may
/// succeed later.
pub fn is_refusal(error: &Error) -> bool {
    match error {
        Error::Unavailable { .. } => true,
        Error::Internal { source, .. } => source.is::<Denied>(),
        _ => false,
    }
}

/// The error of a failed request: `Unavailable` for temporary reasons, else `Internal`.
pub(crate) fn failure<E>(error: SdkError<E>) -> Error
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
        SdkError::ServiceError(_)
            if !error
                .code()
                .is_some_and(|code| passing.contains(&code)) =>
        {
            if error.code() == Some("ValidationException") {
                return Error::internal("asking the table", error);
            }
            Error::internal("asking the table", Denied(error.into()))
        }
        SdkError::ConstructionFailure(_) => Error::internal("asking the table", error),
        _ => unavailable(error),
    }
}

/// The error while the table cannot serve requests.
pub fn unavailable(source: impl Into<model::base::Source>) -> Error {
    Error::Unavailable {
        what: "the database",
        source: source.into(),
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::{
        config::http::HttpResponse, error::ErrorMetadata,
        types::error::TransactionCanceledException,
    };

    use super::*;

    fn cancelled_for(reasons: &[&str]) -> Error {
        let reasons = reasons.iter().map(|code| {
            CancellationReason::builder()
                .code(*code)
                .build()
        });
        let exception = TransactionCanceledException::builder()
            .set_cancellation_reasons(Some(reasons.collect()))
            .meta(
                ErrorMetadata::builder()
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
        for (reasons, is_for_good) in [
            (["None", "ValidationError"], true),
            (["ItemCollectionSizeLimitExceeded", "None"], true),
            (["TransactionConflict", "ValidationError"], true),
            (["None", "TransactionConflict"], false),
            (["ThrottlingError", "None"], false),
            (["None", "ProvisionedThroughputExceeded"], false),
        ] {
            let is_internal = match cancelled_for(&reasons) {
                Error::Internal { .. } => true,
                Error::Unavailable { .. } => false,
                other => panic!("{other}"),
            };
            assert_eq!(is_internal, is_for_good, "{reasons:?}");
        }
    }
}
