//! Orders of lists by time; ties are broken by id.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Orders of service requests and tickets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum CreatedSort {
    /// The newest first.
    #[default]
    #[serde(rename = "-createdAt")]
    NewestFirst,
    /// The oldest first.
    #[serde(rename = "createdAt")]
    OldestFirst,
}

/// Orders of comments and messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ThreadSort {
    /// As they were written.
    #[default]
    #[serde(rename = "createdAt")]
    OldestFirst,
    /// The newest first.
    #[serde(rename = "-createdAt")]
    NewestFirst,
}

/// Orders of activities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ActivitySort {
    /// What happened last comes first.
    #[default]
    #[serde(rename = "-timestamp")]
    NewestFirst,
    /// What happened first comes first.
    #[serde(rename = "timestamp")]
    OldestFirst,
}

macro_rules! by_time {
    ($($name:ident),*) => {$(
        impl $name {
            /// Whether the newest comes first.
            #[must_use]
            pub fn is_descending(self) -> bool {
                self == Self::NewestFirst
            }
        }
    )*};
}

by_time!(CreatedSort, ThreadSort, ActivitySort);
