use serde::{Deserialize, Serialize};

use crate::{
    base::{LoginName, OrganizationId, Timestamp, UserId, span},
    input, names,
    people::{LoginPassword, NewPassword, Sid, User, digest},
};

/// A session of a signed-in user. It ends after 24 hours without a request, and after 7 days at the
/// latest. A logout, a disabled user or a changed password ends it at once.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// SHA-256 of the session id, in hexadecimal. The table never holds the id itself.
    pub sid_hash: String,
    pub organization_id: OrganizationId,
    pub user_id: UserId,
    /// The user's [`User::session_epoch`] at sign-in.
    pub epoch: i64,
    pub created_at: Timestamp,
    /// When the session was last extended.
    pub touched_at: Timestamp,
    /// The address of the client at sign-in, from the gateway.
    pub address: Option<String>,
    /// The `User-Agent` of the client at sign-in.
    pub user_agent: Option<String>,
    #[serde(default)]
    pub method: SignInMethod,
    /// The time at which the user showed credentials, as the provider states it. None unless that
    /// was before the session began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials_at: Option<Timestamp>,
}

names! {
    /// The method of a sign-in.
    #[derive(Default)]
    pub enum SignInMethod {
        Password = default: "By password.",
        Oidc: "By the organization's provider.",
    }
}

input! {
    pub struct Login {
        username: LoginName,
        password: LoginPassword,
    }
    example {"username": "ada", "password": "workdesk"};

    pub struct PasswordChange {
        current_password: LoginPassword,
        new_password: NewPassword,
    }
    example {"currentPassword": "workdesk", "newPassword": "four words of your own"};
}

impl Session {
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
            method: SignInMethod::Password,
            credentials_at: None,
        }
    }

    /// Adds the address and `User-Agent` of its client.
    #[must_use]
    pub fn from(mut self, address: String, user_agent: Option<String>) -> Self {
        self.address = Some(address).filter(|address| !address.is_empty());
        self.user_agent = user_agent;
        self
    }

    /// Makes it a session by the organization's provider. `credentials_at` is when the user showed
    /// credentials there, as far as the provider says so.
    #[must_use]
    pub fn by_provider(self, credentials_at: Option<Timestamp>) -> Self {
        let credentials_at = credentials_at.filter(|at| *at < self.created_at);
        Self {
            method: SignInMethod::Oidc,
            credentials_at,
            ..self
        }
    }

    /// Returns when the user showed credentials: at the start of the session, unless the provider
    /// states an earlier instant.
    pub fn signed_in_at(&self) -> Timestamp {
        self.credentials_at
            .unwrap_or(self.created_at)
    }

    /// The id that the user sees. It reveals neither the session id nor its hash.
    pub fn public_id(&self) -> String {
        let mut id = digest(&self.sid_hash);
        id.truncate(16);
        id
    }

    const IDLE: i64 = 24 * span::HOUR;

    /// The instant at which it ends, unless a request extends it.
    pub fn ends_at(&self) -> Timestamp {
        self.touched_at
            .plus(Self::IDLE)
            .min(self.latest_end())
    }

    pub const fn latest_end(&self) -> Timestamp {
        self.created_at.plus(Sid::LONGEST)
    }

    /// Returns true if the session is still valid for this user.
    pub fn holds(&self, user: &User, now: Timestamp) -> bool {
        let kept = user.kept_session.as_ref() == Some(&self.sid_hash);
        now < self.ends_at() && !user.disabled && (user.session_epoch == self.epoch || kept)
    }

    /// Returns true if a tenth of the idle time has passed, so that extending it is worth a write.
    pub const fn wants_touch(&self, now: Timestamp) -> bool {
        now.since(self.touched_at) >= Self::IDLE / 10
    }
}
