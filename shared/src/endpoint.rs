//! The names that endpoints use: `use shared::endpoint::*;` begins the file of each handler.
//!
//! Contains the arguments and answers of handlers, and the records with their ids and bodies. A name of two crates
//! is listed beside the `*` of the crate whose type it means here.

pub use agent::{
    action::{Progress, *},
    alert::*,
    check::{Facts, *},
    connection::*,
    journal::*,
    policy::*,
    session::*,
};
pub use axum::{Json, extract::State};
pub use model::*;
pub use serde::Serialize;
pub use store::*;
pub use utoipa::ToSchema;

pub use crate::{
    App, Problem,
    auth::{
        Caller, ForgetCookie, Identity, OwnPage, Redirect, RenewCookie, SetCookie, need, password,
    },
    http::{
        Accepted, AccessTo, Body, Changed, ClientAddress, Conditional, DoneAt, Lines, Linked,
        Links, List, NoContent, Pages, Path, PathId, PathName, Query, Single, UserAgent, denied,
        fitting, refusal::*,
    },
    versioned,
    view::ServiceRequestView,
};
