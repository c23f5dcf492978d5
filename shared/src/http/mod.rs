//! The HTTP side of an operation: its arguments and answers, how they describe it, and how problems
//! are answered.

mod body;
mod client;
pub(crate) mod condition;
pub mod cors;
mod list;
pub mod operation;
mod path;
pub mod problem;
pub(crate) mod query;
pub mod refusal;
mod single;

pub use body::Body;
pub(crate) use body::MOST_BYTES;
pub use client::{ClientAddress, Trace, UserAgent};
pub use list::{Lines, Linked, Links, List, Pages, fitting};
pub use operation::{Done, NoContent, routes};
pub use path::{AccessTo, Path, PathId, PathParameters, denied};
pub use problem::ProblemDetails;
pub use query::Query;
pub use single::{Single, Versioned};
