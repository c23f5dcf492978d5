//! The HTTP side of an operation: its arguments and answers, how they describe it, and how problems
//! are answered.

mod body;
mod client;
pub(crate) mod condition;
pub mod cors;
mod list;
pub mod operation;
mod path;
pub mod prefer;
pub mod problem;
pub(crate) mod query;
mod routes;
mod single;
mod to_page;

pub use body::Body;
pub(crate) use body::{MOST_BYTES, Rest};
pub use client::{ClientAddress, Trace, UserAgent};
pub use condition::Conditional;
pub use list::{Lines, Linked, List, PageLinks, Pages, fitting};
pub use model::base::refusal;
pub(crate) use operation::with_article;
pub use operation::{Accepted, DoneAt, NoContent};
pub use path::{AccessTo, Path, PathId, PathName, PathParameters, denied};
pub use problem::ProblemDetails;
pub use query::Query;
pub use routes::{Endpoint, Routes};
pub use single::{Changed, Single, describe_if_none_match};
pub use store::base::Versioned;
pub use to_page::ToPage;
