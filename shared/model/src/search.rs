//! Looking for what a service request may refer to.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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

/// Orders of records that a service request may refer to; ties are broken by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ReferenceSort {
    /// The newest first.
    #[default]
    #[serde(rename = "-createdAt")]
    NewestFirst,
}
