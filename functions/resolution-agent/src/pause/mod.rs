pub mod begin;
pub mod get;
pub mod resume;
pub mod view;
