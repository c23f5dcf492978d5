//! Invitations to an organization.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    base::{
        Code, Email, Error, FullName, InvitationId, OrOther, OrganizationId, Timestamp, UserId,
        span,
    },
    input,
    people::{Demand, Held, Link, Role, User, mail_limit},
};

/// An invitation of a person without an account. Its link makes the account.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Invitation {
    pub id: InvitationId,
    pub organization_id: OrganizationId,
    pub email: Email,
    /// Role of the account that its link makes.
    #[schema(value_type = Role)]
    pub role: OrOther<Role>,
    /// Name of the person, as the inviter knows it.
    pub full_name: Option<FullName>,
    /// The user who sent it last. The link is dead once they could not give the role.
    pub invited_by: UserId,
    /// The hash of the [link](Link) that was sent last. All earlier ones are dead.
    pub link_hash: String,
    /// The number of times it was sent again on the day (UTC) of `sent_at`.
    pub sent_again: i64,
    pub created_at: Timestamp,
    /// Instant at which it was sent last.
    pub sent_at: Timestamp,
    /// Instant at which its link made an account; null as long as it has not.
    pub accepted_at: Option<Timestamp>,
}

input! {
    pub struct InvitationCreate {
        /// An address that no user of the organization has.
        email: Email,
        /// A role whose permissions the caller holds.
        role: Role,
        /// The person's name, to begin with.
        full_name: Option<FullName>,
    }
    example {"email": "noor@example.com", "role": "member", "fullName": "Noor Haddad"};
}

impl InvitationCreate {
    /// Returns what the invitation demands of its sender.
    pub fn demand(&self) -> Demand {
        let Self {
            email: _,
            role,
            full_name: _,
        } = self;
        Demand::of_account(*role, &[])
    }
}

impl Invitation {
    /// Returns what sending it again demands of its sender. An unknown role may be an admin's.
    pub fn demand(&self) -> Demand {
        let role = self.role.known().unwrap_or(Role::Admin);
        Demand::of_account(role, &[])
    }

    pub const fn ends_at(&self) -> Timestamp {
        self.sent_at.plus(Link::INVITATION)
    }

    /// Checks that a user with these permissions may give the role. 403 otherwise, also for an
    /// unknown role.
    pub fn may_be_sent_by(&self, held: &Held) -> Result<(), Error> {
        let unknown = || {
            let detail = "This version of the service does not know the role.";
            Error::forbidden(Code::PermissionDenied, detail)
        };
        held.may_give(self.role.known().ok_or_else(unknown)?, &[])
    }

    /// Returns true if the link with that hash makes an account. `inviter` is the user who sent it.
    pub fn is_open(&self, link_hash: &str, inviter: &User) -> bool {
        self.accepted_at.is_none()
            && self.link_hash == link_hash
            && self.invited_by == inviter.id
            && !inviter.disabled
            && self
                .may_be_sent_by(&Held::newly(inviter))
                .is_ok()
    }

    /// Sends it again, with another link. 409 if it was accepted, 429 after five times in a day
    /// (UTC).
    pub fn send_again(&mut self, by: UserId, link_hash: &str, now: Timestamp) -> Result<(), Error> {
        if self.accepted_at.is_some() {
            let detail = "The invitation was accepted. Its user can sign in.";
            return Err(Error::conflict(Code::InvalidTransition, detail));
        }
        let is_same_day = self.sent_at.start_of_day() == now.start_of_day();
        let before = if is_same_day { self.sent_again } else { 0 };
        if before >= 5 {
            return Err(mail_limit(now, span::DAY));
        }
        self.sent_again = before + 1;
        self.sent_at = now;
        self.invited_by = by;
        link_hash.clone_into(&mut self.link_hash);
        Ok(())
    }
}
