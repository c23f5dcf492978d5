//! The system of a record that an action changes.

use model::base::{OrOther, address};
use serde::{Deserialize, Serialize};

use crate::connection::{Connection, SystemKind};

/// The system of a record, as its connection named it at the proposal. Records of two systems may
/// have the same id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordSystem {
    pub kind: OrOther<SystemKind>,
    /// The scheme, the host and the port of its URL.
    pub origin: String,
    /// The account behind its connection; none if that is not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
}

impl RecordSystem {
    pub fn of(connection: &Connection) -> Self {
        let url = &*connection.base_url;
        let origin = address::split(url).map_or(url, |(origin, _)| origin);
        Self {
            kind: connection.kind.clone(),
            origin: origin.to_owned(),
            account: connection.account.clone(),
        }
    }

    /// True if both are certainly two systems: of one kind, with other accounts. If an account is
    /// not known, other hosts count. Systems of two kinds may know the same record.
    pub(crate) fn differs_from(&self, other: &Self) -> bool {
        let accounts = self
            .account
            .as_ref()
            .zip(other.account.as_ref());
        let differs = accounts.map_or(self.origin != other.origin, |(own, other)| own != other);
        self.kind == other.kind && differs
    }
}
