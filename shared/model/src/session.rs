//! A user's sign-in.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    LoginName, LoginPassword, NewPassword, OrganizationId, Sid, Timestamp, User, UserId, digest,
    span,
};
use crate::input;

/// A signed-in session. It ends after 24 hours without a request, after 7 days at the latest, and
/// at once with a logout, a disabled user or a changed password.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// SHA-256 of the session id, in hexadecimal: the table never holds what the cookie carries.
    pub sid_hash: String,
    /// The user's organization.
    pub organization_id: OrganizationId,
    /// Who signed in.
    pub user_id: UserId,
    /// The user's [`User::session_epoch`] at sign-in.
    pub epoch: i64,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last extended.
    pub touched_at: Timestamp,
    /// The address that it was begun from, as the gateway saw it.
    pub address: Option<String>,
    /// What the client that began it calls itself.
    pub user_agent: Option<String>,
}

input! {
    /// Who signs in.
    pub struct Login {
        username: LoginName,
        password: LoginPassword,
    }
}

input! {
    /// What somebody sends to change their own password.
    pub struct PasswordChange {
        current_password: LoginPassword,
        new_password: NewPassword,
    }
}

/// Orders of sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum SessionSort {
    /// The newest first.
    #[default]
    #[serde(rename = "-createdAt")]
    NewestFirst,
}

impl Session {
    /// A session of that user which begins now.
    #[must_use]
    pub fn begin(sid: &Sid, user: &User, now: Timestamp) -> Self {
        Self {
            sid_hash: sid.hash(),
            organization_id: user.organization_id,
            user_id: user.id,
            epoch: user.session_epoch,
            created_at: now,
            touched_at: now,
            address: None,
            user_agent: None,
        }
    }

    /// The same session, begun by that client.
    #[must_use]
    pub fn from(mut self, address: String, user_agent: Option<String>) -> Self {
        self.address = Some(address).filter(|address| !address.is_empty());
        self.user_agent = user_agent;
        self
    }

    /// Names it to its user, who learns nothing from it of the session id or its hash.
    #[must_use]
    pub fn public_id(&self) -> String {
        let mut id = digest(&self.sid_hash);
        id.truncate(16);
        id
    }

    const IDLE: i64 = 24 * span::HOUR;
    const ABSOLUTE: i64 = 7 * span::DAY;

    /// When it ends, unless a request extends it before.
    #[must_use]
    pub fn ends_at(&self) -> Timestamp {
        self.touched_at.plus(Self::IDLE).min(self.latest_end())
    }

    /// When it ends whatever happens.
    #[must_use]
    pub const fn latest_end(&self) -> Timestamp {
        self.created_at.plus(Self::ABSOLUTE)
    }

    /// Whether it is still a session of this user.
    #[must_use]
    pub fn holds(&self, user: &User, now: Timestamp) -> bool {
        let kept = user.kept_session.as_ref() == Some(&self.sid_hash);
        now < self.ends_at() && !user.disabled && (user.session_epoch == self.epoch || kept)
    }

    /// Whether a tenth of the idle time went by, so that extending it is worth a write.
    #[must_use]
    pub const fn wants_touch(&self, now: Timestamp) -> bool {
        now.since(self.touched_at) >= Self::IDLE / 10
    }
}
