//! The names that most files use: `use crate::prelude::*;` imports them.

pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use utoipa::{PartialSchema, ToSchema};

pub(crate) use crate::{
    ActivityId, AgentSessionId, AlertId, AnyOf, Category, Cell, Code, CommentId, CommonPassword,
    Content, Cursor, Deletion, Demand, Description, Email, Error, Facts, Fault, FaultCode,
    FeedAction, FeedType, FieldChange, FullName, Held, HistoryOf, Id, Ids, Invitation,
    InvitationId, JournalSubject, JsonObject, JsonText, Link, LoginName, LoginPassword,
    MilestoneId, NewPassword, NotificationId, NotificationKind, NotificationSubject, OrNone,
    OrOther, Order, Organization, OrganizationId, OrganizationName, Path, Permission, Priority,
    ProjectId, ProviderSubject, QueueMessage, RecordId, RecordName, RecordType, ReferenceId,
    ReferenceType, Resolution, Role, SealedSecret, SearchText, SearchedType, SentSecret,
    ServiceRequestId, ServiceStatus, Session, Sid, SignInMethod, Slug, SubjectType, TagId, TagName,
    TaskId, Thread, TicketId, TicketMessageId, Timestamp, Title, Token, TokenId, TokenName, User,
    UserId, UserRef, Username, Webhook, WebhookId, Who, Whole, WrongText, address, digest, input,
    input::{
        Change, Component, Defaulted, Field, Fields, Form, Input, Json, List, Nullable, Patch,
        Place, Property, Reading, Schema, formatted, map_of, one_of_two, string,
    },
    names::{names, short_form},
    network, plain_text, random, span,
};
