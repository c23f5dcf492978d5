//! Records as the API answers them, where more than one function does.

mod comment;
mod history;
mod service_request;

pub use comment::{ActivityComment, CommentView, ServiceRequestComment, TaskComment};
pub use history::HistoryEntryView;
pub use service_request::ServiceRequestView;
