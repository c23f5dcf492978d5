//! The names of this crate's files: those of all endpoints, and its own.

pub(crate) use shared::endpoint::*;

pub(crate) use crate::{
    Auth,
    view::{OrganizationView, SignInView, TokenView, UserView},
};
