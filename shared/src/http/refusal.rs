//! What an operation may refuse for reasons that its arguments do not tell, as types: a handler
//! whose error is `Problem<ConcurrentChange>` or `Problem<(NotFound, ConcurrentChange)>` is
//! described so, and every answer of the tests is held against the description.

use model::Code;

/// Problems by their codes.
pub trait Refusals {
    /// The codes.
    fn codes() -> Vec<Code>;
}

impl Refusals for () {
    fn codes() -> Vec<Code> {
        Vec::new()
    }
}

macro_rules! refusals {
    ($($name:ident),* $(,)?) => {$(
        #[doc = concat!("[`Code::", stringify!($name), "`].")]
        #[derive(Debug)]
        pub struct $name;

        impl Refusals for $name {
            fn codes() -> Vec<Code> {
                vec![Code::$name]
            }
        }
    )*};
}

refusals! {
    AccessDenied,
    ActionAutomated,
    ActionNotFailed,
    AlreadyHandled,
    AnalysisInterrupted,
    ApproverNotAllowed,
    CapReached,
    ConcurrentChange,
    ContentChanged,
    InvalidCredentials,
    InvalidTransition,
    LastAdmin,
    NameTaken,
    NotFound,
    OtherActionsApproved,
    OutcomeKnown,
    OutcomeUnknown,
    PermissionDenied,
    PolicyDenied,
    ProjectArchived,
    ProposalSuperseded,
    SessionExpired,
    SessionSuperseded,
    TicketClosed,
    TooManyAttempts,
    TooManyConnections,
    TooManyTokens,
    TooManyTags,
    UsernameTaken,
}

macro_rules! several {
    ($($name:ident)+) => {
        impl<$($name: Refusals),+> Refusals for ($($name,)+) {
            fn codes() -> Vec<Code> {
                let mut codes = Vec::new();
                $(codes.extend($name::codes());)+
                codes
            }
        }
    };
}

several!(A B);
several!(A B C);
several!(A B C D);
several!(A B C D E);
several!(A B C D E F);
several!(A B C D E F G);
several!(A B C D E F G H);
