//! The names of this crate's files: those of all endpoints, and its own.

pub(crate) use shared::endpoint::*;

pub(crate) use crate::{
    Updates,
    webhooks::view::{WebhookView, WebhookWithSecret, without_deliveries},
};
