//! The search for records that a service request may refer to.

use super::{ReferenceType, SearchText};
use crate::input;

input! {
    /// A search among the records that a service request may refer to.
    pub struct ReferenceSearch {
        /// Words, each of which must begin a word of the title, without regard to case. Without any
        /// word, the 20 most recent records are listed.
        query: Option<SearchText>,
        /// Only records of this type.
        r#type: Option<ReferenceType>,
    }
}
