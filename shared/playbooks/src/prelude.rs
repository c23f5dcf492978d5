//! The names of the crate's files: `use crate::prelude::*;` imports them.

pub(crate) use std::collections::{BTreeMap, BTreeSet};

pub(crate) use ::agent::check::{Derived, Expectation, Facts, ListFact, Sum, WholeList};
pub(crate) use ::agent::{
    action::*, alert::*, check::*, connection::*, journal::*, pattern::*, session::*,
};
pub(crate) use ::model::*;
pub(crate) use serde::Deserialize;
pub(crate) use serde_json::Value;

pub(crate) use crate::template::{quoted, *};
