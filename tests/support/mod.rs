//! The harness: a world of two organizations on a table of its own, and callers who send requests
//! through the gateway's routes into the functions.

mod answer;
mod api;
mod caller;
mod counter;
mod engines;
mod gateway;

pub use answer::Answer;
pub use api::{Api, PASSWORD};
pub use caller::Caller;
pub use counter::{Counter, Used};
pub use gateway::{documents, routes_of_watch};
