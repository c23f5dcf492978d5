//! The stable names of what can go wrong, which clients may rely on.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};
use utoipa::ToSchema;

/// Which problem it is.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    ToSchema,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schema(as = ProblemCode)]
pub enum Code {
    /// What was sent does not fit the operation; see `errors`.
    ValidationError,
    /// There is no session, or it has ended.
    Unauthenticated,
    /// The username or the password is wrong; which of them stays unsaid.
    InvalidCredentials,
    /// The caller lacks a permission.
    PermissionDenied,
    /// The organization's plan does not include it.
    PlanFeatureUnavailable,
    /// The caller has no access to this record.
    AccessDenied,
    /// The operation takes a session: a token is not enough.
    SessionRequired,
    /// Another site's page uses the session.
    CrossSite,
    /// There is no such record, or it is another organization's, which is the same.
    NotFound,
    /// The path does not take this method; see Allow.
    MethodNotAllowed,
    /// Others kept changing the record at the same time; read it and try again.
    ConcurrentChange,
    /// A request with the same idempotency key is under way; see Retry-After.
    RequestUnderWay,
    /// The record has another version than If-Match names; read it again.
    PreconditionFailed,
    /// The idempotency key was used for another path or body; send another key.
    IdempotencyKeyReused,
    /// The state of the record does not allow it.
    InvalidTransition,
    /// The user holds as many tokens as a user may; delete one.
    TooManyTokens,
    /// The organization has as many connections as it may; delete one.
    TooManyConnections,
    /// Another user of the service has this username.
    UsernameTaken,
    /// Another tag of the organization has this name.
    NameTaken,
    /// The organization would be left without an admin who is not disabled.
    LastAdmin,
    /// The project is archived and takes no new work.
    ProjectArchived,
    /// The ticket is closed and takes no more replies.
    TicketClosed,
    /// The record carries as many tags as it can.
    TooManyTags,
    /// The actions were proposed again since; approve the new ones.
    ProposalSuperseded,
    /// The proposal expired; open another session.
    SessionExpired,
    /// The analysis took too long; open another session.
    AnalysisInterrupted,
    /// It is not known whether an action took effect; check the target system.
    OutcomeUnknown,
    /// The outcome of the action is known, or there is none yet: it takes no verdict.
    OutcomeKnown,
    /// The agent executes the action; only manual ones are done, waived or handed over.
    ActionAutomated,
    /// Somebody took care of the manual action before.
    AlreadyHandled,
    /// Only actions that failed or were skipped can be executed again.
    ActionNotFailed,
    /// Another session was opened on the alert since; go on there.
    SessionSuperseded,
    /// The session executes another list of actions, or did.
    OtherActionsApproved,
    /// An action is not what was looked at; read the session again.
    ContentChanged,
    /// The organization's policy allows nobody to approve it.
    PolicyDenied,
    /// The organization's policy asks for another approver.
    ApproverNotAllowed,
    /// It is above what the organization's policy allows for a day.
    CapReached,
    /// The body is over 256 KiB.
    BodyTooLarge,
    /// The body is not declared as JSON.
    UnsupportedMediaType,
    /// Too many failed attempts; see Retry-After.
    TooManyAttempts,
    /// The service cannot answer at the moment; see Retry-After.
    Unavailable,
    /// Something went wrong on the service's side.
    InternalError,
}

/// What is wrong with a part of what was sent.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum FaultCode {
    /// The body is not JSON.
    Json,
    /// A number of the body has more digits than JSON's readers keep, or is too large for them.
    Precision,
    /// The body could not be read to its end.
    Unreadable,
    /// It has to be sent.
    Required,
    /// It has another type.
    Type,
    /// It cannot be null.
    Null,
    /// It holds nothing but white space.
    Blank,
    /// It is too long or too short.
    Length,
    /// The number is too large or too small.
    Range,
    /// It is not one of the names that are known here.
    Value,
    /// It does not have the form that is asked for.
    Pattern,
    /// It is not a date-time of RFC 3339.
    DateTime,
    /// It is nested too deep.
    Depth,
    /// The instant is too early or too late.
    Period,
    /// It comes in the wrong order with another.
    Order,
    /// It does not go together with the rest of what was sent.
    Combination,
    /// It stands there twice.
    Repeated,
    /// It names a record that does not exist or is not the caller's.
    Unknown,
    /// It names a record of another project.
    Project,
    /// It is not the password that is set.
    Incorrect,
    /// It can be guessed: a password is not the username.
    Guessable,
    /// The action is manual: a person has to do it.
    Manual,
    /// The action and another one of the list exclude each other.
    Exclusive,
    /// The operation has no such query parameter.
    UnknownParameter,
    /// It is not percent-encoded UTF-8.
    Encoding,
}

impl Code {
    /// The name as the API writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_what_serde_writes() {
        for code in Code::VARIANTS {
            assert_eq!(json!(code), json!(code.name()));
        }
        for code in FaultCode::VARIANTS {
            let name: &str = code.into();
            assert_eq!(json!(code), json!(name));
        }
    }
}
