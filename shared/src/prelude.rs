//! The names of this crate's files: `use crate::prelude::*;` imports them.
//!
//! Contains the names of the endpoints.

pub(crate) use std::{marker::PhantomData, sync::Mutex};

pub(crate) use ::http::{HeaderName, HeaderValue, Method, Uri};
pub(crate) use ::model::input::{Field, Fields, Input};
pub(crate) use axum::{extract::Request, middleware::Next};

pub(crate) use crate::{
    auth::SessionCookie,
    endpoint::*,
    http::{
        operation::{about, text},
        problem::invalid,
    },
    problem::Cause,
};
