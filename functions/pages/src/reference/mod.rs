//! The page that shows the document.

pub(crate) mod file;
pub(crate) mod page;
