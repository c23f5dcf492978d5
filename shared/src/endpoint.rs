//! The names that endpoints use. The file of each handler begins with `use shared::endpoint::*;`,
//! or with a prelude of its crate that has them.
//!
//! Contains the arguments and answers of handlers, and the records with their ids and bodies. A
//! name of two crates is listed beside the `*` of the crate whose type it means here.

pub use std::{sync::Arc, time::Duration};

pub use ::http::{HeaderMap, StatusCode, header, request::Parts};
pub use agent::{
    action::{Progress, *},
    alert::*,
    check::{Facts, *},
    connection::*,
    journal::*,
    policy::*,
    session::*,
};
pub use axum::{
    Json,
    extract::{FromRef, FromRequestParts, State},
    response::{IntoResponse, Response},
};
pub use model::*;
pub use runtime::{
    FromStart, Start,
    telemetry::{self, Metric},
};
pub use serde::Serialize;
pub use store::*;
pub use utoipa::{ToSchema, openapi::path::ParameterIn};

pub use crate::{
    App, Problem,
    auth::{
        Caller, ForgetCookie, Identity, OwnPage, Redirect, RenewCookie, SetCookie,
        need::{self, Need},
        password,
    },
    detail::Detail,
    http::{
        Accepted, AccessTo, Body, Changed, ClientAddress, Conditional, DoneAt, Lines, Linked,
        Links, List, NoContent, Pages, Path, PathId, PathName, Query, Single, ToPage, UserAgent,
        denied, fitting,
        operation::{Answer, Argument, Description},
        refusal::*,
    },
    versioned, view,
    view::ServiceRequestView,
};
