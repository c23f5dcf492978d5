//! The desk: a client of the API for people.

pub(crate) mod file;
pub(crate) mod page;
