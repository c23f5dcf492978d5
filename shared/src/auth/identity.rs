//! The caller, and the credential that identifies them.

use std::sync::Arc;

use model::{
    base::{Code, Error, Timestamp},
    people::{
        EntryCredential, Held, Organization, Permission, Scope, Session, SignInAge, Token, User,
    },
};
use store::{Stored, people::CallerRecords};

/// The caller, read with this request but for the organization.
#[derive(Clone, Debug)]
pub struct Identity {
    pub credential: Credential,
    pub user: User,
    /// The user's organization. It may be five seconds old.
    pub organization: Organization,
    /// The records that the user sees. It may be five seconds old, too, but for the user's own
    /// memberships.
    pub scope: Arc<Scope>,
    /// The instant of the request.
    pub at: Timestamp,
}

#[derive(Clone, Debug)]
pub enum Credential {
    /// A session, as it was read, or extended by this request.
    Session(Session),
    /// A token, as it was read.
    Token(Token),
}

impl Credential {
    /// The credential as the organization's journal has it.
    pub fn as_entry(&self) -> EntryCredential {
        match self {
            Self::Session(session) => session.into(),
            Self::Token(token) => token.into(),
        }
    }
}

impl Identity {
    /// The caller whose records were read at `at`.
    pub(super) fn of<C>(
        caller: CallerRecords<Stored<C>>,
        credential: fn(C) -> Credential,
        at: Timestamp,
    ) -> Self {
        Self {
            credential: credential(caller.credential.record),
            user: caller.user,
            organization: caller.organization,
            scope: Arc::new(caller.scope),
            at,
        }
    }

    /// Returns `true` when the user holds the permission, and the credential is a session or a
    /// token that has it too.
    pub fn may(&self, permission: Permission) -> bool {
        let lets = match &self.credential {
            Credential::Session(_) => true,
            Credential::Token(token) => token.lets(permission),
        };
        lets && self.user.may(permission)
    }

    /// Returns `true` if the user may see internal notes of tickets.
    pub fn sees_notes(&self) -> bool {
        self.may(Permission::ManageTickets) || self.may(Permission::ReplyTicket)
    }

    /// The permissions of the caller, each once, in a fixed order.
    pub fn permissions(&self) -> Vec<Permission> {
        let mut held = self.user.permissions();
        held.retain(|permission| self.may(*permission));
        held
    }

    /// The permissions of the caller, who may give no others.
    pub fn held(&self) -> Held {
        Held {
            permissions: self.permissions(),
            sign_in: SignInAge::of(self.credential.as_entry().signed_in_at, self.at),
        }
    }

    /// Returns `true` for a session, and for a token without named permissions: the caller may do
    /// all that the user may.
    pub const fn is_unbounded(&self) -> bool {
        match &self.credential {
            Credential::Session(_) => true,
            Credential::Token(token) => token.permissions.is_none(),
        }
    }

    /// The end of the session, unless a request extends it before, or the end of the token.
    pub fn ends_at(&self) -> Timestamp {
        match &self.credential {
            Credential::Session(session) => session.ends_at(),
            Credential::Token(token) => token.ends_at,
        }
    }

    /// Notes that the credential is used at `now`. Returns `true` when the table is to store the
    /// use: of a session after a tenth of its idle time, of a token once a day (UTC).
    pub(super) fn touch(&mut self, now: Timestamp) -> bool {
        match &mut self.credential {
            Credential::Session(session) => {
                let is_due = session.wants_touch(now);
                if is_due {
                    session.touched_at = now;
                }
                is_due
            }
            Credential::Token(token) => token.wants_touch(now),
        }
    }

    /// The session. 403 with a token, which cannot change the account itself.
    pub fn session(&self) -> Result<&Session, Error> {
        match &self.credential {
            Credential::Session(session) => Ok(session),
            Credential::Token(_) => Err(Error::forbidden(
                Code::SessionRequired,
                "This operation needs a session. A token cannot do it, whatever its permissions.",
            )),
        }
    }
}
