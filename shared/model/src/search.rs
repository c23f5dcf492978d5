//! Looking for what a service request may refer to.

use super::{ReferenceType, SearchText};
use crate::input;

input! {
    /// What to look for among the records that a service request may refer to.
    pub struct ReferenceSearch {
        /// Each of its words must begin a word of the title, without regard to case. Without a
        /// word in it, the 20 most recent are listed.
        query: Option<SearchText>,
        /// Only records of this type.
        r#type: Option<ReferenceType>,
    }
}
