//! The HTTP side of an operation: its arguments and answers, how they describe it, and how problems
//! are answered.

mod body;
mod client;
mod list;
pub mod operation;
mod path;
pub mod problem;
pub(crate) mod query;
pub mod refusal;

pub use body::Body;
pub use client::{ClientAddress, Trace};
pub use list::{Links, List, Pages, fitting};
pub use operation::{Done, NoContent, routes};
pub use path::{AccessTo, Path, PathId, denied};
pub use problem::ProblemDetails;
pub use query::Query;
