//! The records and their rules, without AWS and HTTP.
//!
//! The table stores a record under the field names of the API. Where an answer has other fields
//! than the record, the function has a view for it.

pub mod base;
pub mod people;
pub mod updates;
pub mod work;
