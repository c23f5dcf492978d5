//! Views that several functions share: records as answers show them.

mod comment;
mod fields;
mod history;
mod service_request;
mod shown;

pub use comment::{ActivityComment, CommentView, ServiceRequestComment, TaskComment};
pub use history::HistoryEntryView;
pub use service_request::ServiceRequestView;
pub use shown::{Record, Shown};
