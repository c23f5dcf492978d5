//! The account behind a connection: read when the connection is put, and before an action's calls.

use model::{base::input::BoundedList, input};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::connection::{AccountPointer, CallPath};

input! {
    /// The read of the account behind a connection.
    pub struct IdentityPut {
        /// The path of a GET that `allow` contains.
        path: CallPath,
        /// Positions in its answer. The values there name the account.
        at: BoundedList<AccountPointer, 1, 3>,
    }
    example {"path": "/account", "at": ["/id", "/livemode"]};
}

/// The read of the account behind a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConnectionIdentity {
    /// The path of the GET that is read.
    pub path: CallPath,
    /// Positions in its answer. The values there name the account.
    pub at: Vec<AccountPointer>,
}

impl From<IdentityPut> for ConnectionIdentity {
    fn from(put: IdentityPut) -> Self {
        Self {
            path: put.path,
            at: put.at.0,
        }
    }
}
