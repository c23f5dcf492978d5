//! `/api/docs`

mod file;
mod page;
