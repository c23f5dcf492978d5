//! Records as the API answers them, and bodies as it takes them, where more than one function does.

mod comment;
mod service_request;

pub use comment::{CommentView, CreateComment};
pub use service_request::ServiceRequestView;
