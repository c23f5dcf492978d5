//! Who calls, and what lets them.

use model::{
    Code, Error, Held, Organization, Permission, Session, Timestamp, Token, User, UserRef,
};
use store::Stored;

/// Who calls, as they are at this moment.
#[derive(Clone, Debug)]
pub struct Identity {
    /// What they showed for it.
    pub credential: Credential,
    /// The signed-in user.
    pub user: User,
    /// The user's organization.
    pub organization: Stored<Organization>,
}

/// What a caller is known by.
#[derive(Clone, Debug)]
pub enum Credential {
    /// A session, as it was read or just extended.
    Session(Session),
    /// A token, as it was read.
    Token(Token),
}

impl Identity {
    /// The signed-in user, as what they write shows its author.
    #[must_use]
    pub fn as_author(&self) -> UserRef {
        UserRef::from(&self.user)
    }

    /// Whether the user holds the permission now, and the token, if it is one, lets them use it.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        let lets = match &self.credential {
            Credential::Session(_) => true,
            Credential::Token(token) => token.lets(permission),
        };
        lets && self.user.may(permission)
    }

    /// All that the caller may do, each once, in a fixed order.
    #[must_use]
    pub fn permissions(&self) -> Vec<Permission> {
        let mut held = self.user.permissions();
        held.retain(|permission| self.may(*permission));
        held
    }

    /// What the caller holds, and may give of.
    #[must_use]
    pub fn held(&self) -> Held {
        Held(self.permissions())
    }

    /// Whether nothing of what the user may do is out of reach.
    #[must_use]
    pub const fn is_unbounded(&self) -> bool {
        match &self.credential {
            Credential::Session(_) => true,
            Credential::Token(token) => token.permissions.is_none(),
        }
    }

    /// When the session ends, unless a request extends it before, or when the token does.
    #[must_use]
    pub fn ends_at(&self) -> Timestamp {
        match &self.credential {
            Credential::Session(session) => session.ends_at(),
            Credential::Token(token) => token.ends_at,
        }
    }

    /// The session; 403 with a token, which is for work and not for the account itself.
    pub fn session(&self) -> Result<&Session, Error> {
        match &self.credential {
            Credential::Session(session) => Ok(session),
            Credential::Token(_) => Err(Error::forbidden(
                Code::SessionRequired,
                "This needs a session: a token cannot do it, whatever its permissions.",
            )),
        }
    }
}
