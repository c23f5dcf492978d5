#![doc = include_str!("../README.md")]

pub mod agent;
pub mod base;
pub mod key;
pub mod people;
pub mod updates;
pub mod upkeep;
pub mod work;

use model::base::{Error, OrganizationId};

pub use ::table::{
    Stored, Used, bounded, is_refusal, metered, of_request,
    page::{ListPosition, Page, PageRequest, Row},
    stop_reading, units_so_far, warm_up,
};

pub(crate) use ::table;

/// The result of an operation of the store.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// The organization whose records an operation reads and writes.
pub(crate) type Tenant = OrganizationId;
