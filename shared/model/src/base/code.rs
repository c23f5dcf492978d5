//! The stable names of problems and faults, which clients may rely on.

use crate::base::names::names;

/// Problems by their codes.
pub trait Refusals {
    fn codes() -> Vec<Code>;
}

macro_rules! codes {
    ($($status:literal $title:literal {
        $($name:ident: $when:literal,)+
    })+) => {
        names! {
            /// The stable name of a problem.
            pub enum Code as ProblemCode {
                $($($name: $when,)+)+
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
                    $($(Self::$name => $when,)+)+
                }
            }
        }

        /// The problems of an operation that do not follow from its arguments, as types.
        ///
        /// A handler whose error is `Problem<ConcurrentChange>` or
        /// `Problem<(NotFound, ConcurrentChange)>` is documented with these codes. The tests
        /// compare every answer with the document.
        pub mod refusal {
            pub use super::Refusals;

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
        ValidationError: "The request does not fit the operation; see `errors`.",
    }
    401 "Not authenticated" {
        Unauthenticated: "There is no session, or it has ended.",
        InvalidCredentials: "The username or the password is wrong; which of them is not said.",
    }
    403 "Permission denied" {
        PermissionDenied: "The caller lacks a permission.",
        OrganizationSuspended: "The operator of the service suspended the organization.",
        PlanFeatureUnavailable: "The organization's plan does not include the feature.",
        AccessDenied: "The caller has no access to this record.",
        SessionRequired: "The operation needs a session: a token is not enough.",
        CrossSite: "A page of another site uses the session.",
        ApproverNotAllowed: "The organization's policy asks for another approver.",
        SignInAgain: "The operation, or the organization's policy, asks for a newer sign-in; sign in again.",
        PasswordSignInOff: "The organization has passwords off: its users sign in by its provider.",
        InvitationInvalid: "The link of the invitation is not valid, or no longer.",
        LinkInvalid: "The link is not valid, or no longer.",
    }
    404 "Not found" {
        NotFound: "The record does not exist or belongs to another organization.",
    }
    405 "Method not allowed" {
        MethodNotAllowed: "The path does not take this method; see `Allow`.",
    }
    409 "Conflict" {
        OtherUser: "The session or token is another user's than `Workdesk-User` names; read the session again.",
        ConcurrentChange: "Other requests kept changing the record at the same time; read it and try again.",
        RequestUnderWay: "A request with the same idempotency key is under way; see `Retry-After`.",
        InvalidTransition: "The state of the record does not allow the change.",
        TooManyTokens: "The user holds as many tokens as a user may; delete one.",
        TooManyConnections: "The organization has as many connections as it may; delete one.",
        TooManyWebhooks: "The organization has as many webhooks as it may; delete one.",
        WebhookDisabled: "The webhook is disabled; enable it first.",
        UsernameTaken: "Another user of the service has this username.",
        EmailTaken: "Another user of the organization has this address.",
        NameTaken: "Another tag or customer of the organization has this name.",
        DomainTaken: "Another customer of the organization has this domain.",
        CustomerArchived: "The customer is archived and gets no new records.",
        TooManyCustomers: "The organization has as many customers as it may.",
        TooManyMembers: "The project has as many members as it may; remove one.",
        TooManyMemberships: "The user is a member of as many projects as a user may be.",
        TooManyRestrictedProjects:
            "The organization has as many projects for their members alone as it may.",
        LastAdmin: "The organization would be left without an admin who is not disabled.",
        MailNotConfigured: "The deployment sends no mail, which the operation needs.",
        NoAdminSignedIn: "The caller has not signed in by the organization's provider.",
        ProjectArchived: "The project is archived and takes no new work.",
        AlertResolved: "The alert is resolved; open it again if its matter is not settled.",
        NoRoom: "The records of the list have no room between their orders; give them new ones.",
        TicketClosed: "The ticket is closed and takes no more replies.",
        MessageFinal: "The message is older than five minutes, or a reply follows it; send another message.",
        TooManyTags: "The record carries as many tags as it can.",
        ProposalSuperseded: "The actions were proposed again since; approve the new ones.",
        SessionExpired: "The proposal expired; open another session.",
        SessionSuperseded: "Another session was opened on the alert since; go on there.",
        AnalysisInterrupted: "The analysis took too long; open another session.",
        OutcomeUnknown: "The outcome of an action is unknown; check the target system.",
        OutcomeKnown: "The outcome of the automated action is known, or there is none yet.",
        UnderWay: "The action's call may be under way; settle the action as not done after its next check.",
        ActionAutomated: "The agent executes the action; only manual ones are handed over.",
        AlreadyHandled: "The manual action was settled or handed over before.",
        ActionNotFailed: "Only actions that failed or were skipped can be executed again.",
        OtherActionsApproved: "The session executes or executed another list of actions.",
        ContentChanged: "An action differs from the one that was read; read the session again.",
        PolicyDenied: "The organization's policy allows no user to approve the action.",
        CapReached: "The action exceeds a daily cap of the organization's policy.",
    }
    410 "Gone" {
        CursorExpired: "The cursor is too old; read the lists again, and begin the feed without it.",
    }
    412 "Precondition failed" {
        PreconditionFailed:
            "The record has another version than `If-Match` names, or one that `If-None-Match` excludes; read it again.",
    }
    413 "Body too large" {
        BodyTooLarge: "The body is over 256 KiB.",
    }
    415 "Unsupported media type" {
        UnsupportedMediaType: "The body is not declared as JSON.",
    }
    422 "Idempotency key reused" {
        IdempotencyKeyReused: "The idempotency key was used for another path or body; send another key.",
    }
    429 "Too many attempts" {
        TooManyAttempts: "Too many failed attempts; see `Retry-After`.",
    }
    429 "Too many requests" {
        RateLimited:
            "The user, the token or the organization used all of its table units, or all mails of the day; see `RateLimit` and `Retry-After`.",
    }
    500 "Server error" {
        InternalError: "The service failed.",
    }
    503 "Unavailable" {
        Paused: "The operator paused the service: reads are answered, and nothing is written.",
        Unavailable: "The service cannot answer at the moment; see `Retry-After`.",
    }
}

macro_rules! several {
    ($($first:ident $($name:ident)*)?) => {
        impl$(<$first: Refusals, $($name: Refusals),*>)? Refusals for ($($first, $($name,)*)?) {
            fn codes() -> Vec<Code> {
                let codes: &[Vec<Code>] = &[$($first::codes(), $($name::codes()),*)?];
                codes.concat()
            }
        }

        $(several!($($name)*);)?
    };
}

several!(A B C D E F G H);

names! {
    /// The stable name of a fault: one thing that is wrong with a request.
    pub enum FaultCode {
        Json: "The body is not JSON.",
        Precision: "The number has more digits than 64 bits hold, or is too large for them.",
        Unreadable: "The body could not be read to its end.",
        Required: "The field has to be sent.",
        Type: "The value has another type.",
        Null: "The field cannot be null.",
        Blank: "The text holds nothing but white space.",
        Length: "The text or the list is too long or too short.",
        Range: "The number is too large or too small.",
        Value: "The name is not one of those that the field takes.",
        Pattern: "The text does not have the form of the field.",
        DateTime: "The text is not a date-time of RFC 3339.",
        Depth: "The object is nested too deep.",
        Period: "The instant is too early or too late.",
        Order: "The value is in the wrong order with another.",
        Combination: "The value does not go together with the rest of the request.",
        Repeated: "The value was sent twice.",
        Unknown: "The value names a record that does not exist or is not the caller's.",
        Project: "The value names a record of another project.",
        Incorrect: "The password is not the current one.",
        Common: "The password is common: one of a list, a run, or little more than a name.",
        Manual: "The action is manual: a person has to do it.",
        Exclusive: "Two actions of the list exclude each other.",
        Unchangeable: "The operation cannot change the field, and the record has another value.",
        UnknownParameter: "The operation takes no such query parameter or header.",
        UnknownMember: "The operation reads no such member of the body, and the request has `Prefer: handling=strict`.",
        Encoding: "The parameter is not percent-encoded UTF-8.",
    }
}
