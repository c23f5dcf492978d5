//! The names that handlers use. The file of each handler begins with `use shared::endpoint::*;`.
//!
//! Contains the arguments, the answers and the common refusals of handlers. A file imports by name
//! what it needs beside them.

pub use axum::{Json, extract::State};
pub use model::base::{
    Error, Fault, FaultCode, Id, Listing, OrganizationId, Timestamp, UserId,
    refusal::{ConcurrentChange, InvalidTransition, SignInAgain},
};
pub use serde::Serialize;
pub use store::{
    Stored,
    base::{Shown, Versioned},
};
pub use utoipa::ToSchema;

pub use crate::{
    App, Problem,
    auth::{
        Caller,
        need::{self, Need},
    },
    http::{
        Accepted, Body, Changed, Conditional, Linked, List, NoContent, Pages, Path, PathId,
        PathName, Query, Single,
    },
    versioned, view,
};
