//! The stable names of problems and faults, which clients may rely on.

use super::names::names;

/// Problems by their codes.
pub trait Refusals {
    fn codes() -> Vec<Code>;
}

macro_rules! codes {
    ($($status:literal $title:literal {
        $($(#[doc = $when:literal])+ $name:ident,)+
    })+) => {
        names! {
            /// The stable name of a problem.
            pub enum Code as ProblemCode {
                $($($(#[doc = $when])+ $name,)+)+
            }
        }

        impl Code {
            /// The HTTP status of the problem.
            pub const fn status(self) -> u16 {
                match self {
                    $($(Self::$name)|+ => $status,)+
                }
            }

            /// The status in words.
            pub const fn title(self) -> &'static str {
                match self {
                    $($(Self::$name)|+ => $title,)+
                }
            }

            /// The case in which the problem is sent.
            pub const fn about(self) -> &'static str {
                match self {
                    $($(Self::$name => concat!($($when),+).trim_ascii(),)+)+
                }
            }
        }

        /// A type for each code.
        pub(crate) mod types {
            $($(
                #[doc = concat!("[`Code::", stringify!($name), "`](super::Code).")]
                #[derive(Debug)]
                pub struct $name;

                impl super::Refusals for $name {
                    fn codes() -> Vec<super::Code> {
                        vec![super::Code::$name]
                    }
                }
            )+)+
        }
    };
}

// The only place that lists the codes: by status and title, with the case in which each is sent.
codes! {
    400 "Validation error" {
        /// The request does not fit the operation; see `errors`.
        ValidationError,
    }
    401 "Not authenticated" {
        /// There is no session, or it has ended.
        Unauthenticated,
        /// The username or the password is wrong; which of them is not said.
        InvalidCredentials,
    }
    403 "Permission denied" {
        /// The caller lacks a permission.
        PermissionDenied,
        /// The operator of the service suspended the organization.
        OrganizationSuspended,
        /// The organization's plan does not include the feature.
        PlanFeatureUnavailable,
        /// The caller has no access to this record.
        AccessDenied,
        /// The operation needs a session: a token is not enough.
        SessionRequired,
        /// A page of another site uses the session.
        CrossSite,
        /// The organization's policy asks for another approver.
        ApproverNotAllowed,
        /// The organization's policy asks for a newer sign-in; sign in again.
        SignInAgain,
        /// The user signs in by the organization's provider alone.
        PasswordSignInOff,
        /// The link of the invitation is not valid, or no longer.
        InvitationInvalid,
        /// The link is not valid, or no longer.
        LinkInvalid,
    }
    404 "Not found" {
        /// The record does not exist or belongs to another organization.
        NotFound,
    }
    405 "Method not allowed" {
        /// The path does not take this method; see `Allow`.
        MethodNotAllowed,
    }
    409 "Conflict" {
        /// Other requests kept changing the record at the same time; read it and try again.
        ConcurrentChange,
        /// A request with the same idempotency key is under way; see `Retry-After`.
        RequestUnderWay,
        /// The state of the record does not allow the change.
        InvalidTransition,
        /// The user holds as many tokens as a user may; delete one.
        TooManyTokens,
        /// The organization has as many connections as it may; delete one.
        TooManyConnections,
        /// The organization has as many webhooks as it may; delete one.
        TooManyWebhooks,
        /// The webhook is disabled; enable it first.
        WebhookDisabled,
        /// Another user of the service has this username.
        UsernameTaken,
        /// Another user of the organization has this address.
        EmailTaken,
        /// Another tag of the organization has this name.
        NameTaken,
        /// The organization would be left without an admin who is not disabled.
        LastAdmin,
        /// The deployment sends no mail, which the operation needs.
        MailNotConfigured,
        /// No admin has signed in by the organization's provider.
        NoAdminSignedIn,
        /// The project is archived and takes no new work.
        ProjectArchived,
        /// The alert is resolved; open it again if its matter is not settled.
        AlertResolved,
        /// The records of the list have no room between their orders; give them new ones.
        NoRoom,
        /// The ticket is closed and takes no more replies.
        TicketClosed,
        /// The record carries as many tags as it can.
        TooManyTags,
        /// The actions were proposed again since; approve the new ones.
        ProposalSuperseded,
        /// The proposal expired; open another session.
        SessionExpired,
        /// Another session was opened on the alert since; go on there.
        SessionSuperseded,
        /// The analysis took too long; open another session.
        AnalysisInterrupted,
        /// The outcome of an action is unknown; check the target system.
        OutcomeUnknown,
        /// The outcome of the automated action is known, or there is none yet.
        OutcomeKnown,
        /// The action's call may be under way; settle the action as not done after its next check.
        UnderWay,
        /// The agent executes the action; only manual ones are handed over.
        ActionAutomated,
        /// The manual action was settled or handed over before.
        AlreadyHandled,
        /// Only actions that failed or were skipped can be executed again.
        ActionNotFailed,
        /// The session executes or executed another list of actions.
        OtherActionsApproved,
        /// An action differs from the one that was read; read the session again.
        ContentChanged,
        /// The organization's policy allows no user to approve the action.
        PolicyDenied,
        /// The action exceeds a daily cap of the organization's policy.
        CapReached,
    }
    410 "Gone" {
        /// The cursor is too old; read the lists again, and begin the feed without it.
        CursorExpired,
    }
    412 "Precondition failed" {
        /// The record has another version than `If-Match` names, or one that `If-None-Match` excludes; read it again.
        PreconditionFailed,
    }
    413 "Body too large" {
        /// The body is over 256 KiB.
        BodyTooLarge,
    }
    415 "Unsupported media type" {
        /// The body is not declared as JSON.
        UnsupportedMediaType,
    }
    422 "Idempotency key reused" {
        /// The idempotency key was used for another path or body; send another key.
        IdempotencyKeyReused,
    }
    429 "Too many attempts" {
        /// Too many failed attempts; see `Retry-After`.
        TooManyAttempts,
    }
    429 "Too many requests" {
        /// The user, the token or the organization used all of its table units, or all mails of the day; see `RateLimit` and `Retry-After`.
        RateLimited,
    }
    500 "Server error" {
        /// The service failed.
        InternalError,
    }
    503 "Unavailable" {
        /// The operator paused the service: reads are answered, and nothing is written.
        Paused,
        /// The service cannot answer at the moment; see `Retry-After`.
        Unavailable,
    }
}

names! {
    /// The stable name of a fault: one thing that is wrong with a request.
    pub enum FaultCode {
        /// The body is not JSON.
        Json,
        /// The number has more digits than 64 bits hold, or is too large for them.
        Precision,
        /// The body could not be read to its end.
        Unreadable,
        /// The field has to be sent.
        Required,
        /// The value has another type.
        Type,
        /// The field cannot be null.
        Null,
        /// The text holds nothing but white space.
        Blank,
        /// The text or the list is too long or too short.
        Length,
        /// The number is too large or too small.
        Range,
        /// The name is not one of those that the field takes.
        Value,
        /// The text does not have the form of the field.
        Pattern,
        /// The text is not a date-time of RFC 3339.
        DateTime,
        /// The object is nested too deep.
        Depth,
        /// The instant is too early or too late.
        Period,
        /// The value is in the wrong order with another.
        Order,
        /// The value does not go together with the rest of the request.
        Combination,
        /// The value was sent twice.
        Repeated,
        /// The value names a record that does not exist or is not the caller's.
        Unknown,
        /// The value names a record of another project.
        Project,
        /// The password is not the current one.
        Incorrect,
        /// The password is common: one of a list, a run, or little more than a name.
        Common,
        /// The action is manual: a person has to do it.
        Manual,
        /// Two actions of the list exclude each other.
        Exclusive,
        /// The operation cannot change the field, and the record has another value.
        Unchangeable,
        /// The operation takes no such query parameter or header.
        UnknownParameter,
        /// The parameter is not percent-encoded UTF-8.
        Encoding,
    }
}
