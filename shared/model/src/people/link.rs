//! Links in mails, each of which is followed once.

use serde::{Deserialize, Serialize};

use crate::{
    base::{
        Code, Email, Error, FullName, InvitationId, LinkToken, LoginName, OrganizationId,
        Timestamp, UserId, Username, Window, input::one_of_two, span,
    },
    input,
    people::{LoginPassword, NewPassword, User, user::password_is_more_than_the_username},
};

/// A link that was sent by mail. The letter has its token.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// SHA-256 of the token, in hexadecimal.
    pub hash: String,
    pub organization_id: OrganizationId,
    pub purpose: LinkPurpose,
    pub ends_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkPurpose {
    Invitation(InvitationLink),
    PasswordReset(AccountLink),
    EmailConfirmation(AccountLink),
    /// None: it was written for an account that does not exist.
    Nothing,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InvitationLink {
    pub invitation_id: InvitationId,
    pub invited_by: UserId,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountLink {
    pub user_id: UserId,
    /// The address to which it was sent.
    pub email: Email,
    /// The user's [`User::token_epoch`] at that time. A new password ends all links of the account.
    pub epoch: i64,
}

impl Link {
    /// Milliseconds until an invitation ends.
    pub const INVITATION: i64 = 7 * span::DAY;
    /// Milliseconds until a link for a forgotten password ends.
    pub const PASSWORD_RESET: i64 = span::HOUR;
    /// Milliseconds until the link to a new address ends.
    pub const EMAIL_CONFIRMATION: i64 = span::DAY;
}

/// 429: the mails of a window of so many milliseconds are sent.
pub fn mail_limit(now: Timestamp, length: i64) -> Error {
    let left = Window::of(now, length).end.since(now);
    Error::MailLimit {
        retry_after: left.unsigned_abs().div_ceil(1_000),
    }
}

/// 403 for a dead link of an account, whatever is wrong with it.
pub fn refused_link() -> Error {
    let detail = "The link is not valid, or no longer. Ask for another one.";
    Error::forbidden(Code::LinkInvalid, detail)
}

impl AccountLink {
    pub fn new(user: &User, email: Email) -> Self {
        Self {
            user_id: user.id,
            email,
            epoch: user.token_epoch,
        }
    }

    /// Returns true if the user may confirm the address.
    pub fn confirms(&self, user: &User) -> bool {
        !user.disabled && user.token_epoch == self.epoch
    }

    /// Returns true if the link may set a new password: it [confirms](Self::confirms) its address,
    /// and this address is still the user's verified one.
    pub fn resets(&self, user: &User) -> bool {
        self.confirms(user) && user.verified_email() == Some(&self.email)
    }
}

input! {
    /// An invitation that its invitee accepts.
    pub struct InvitationAccept {
        /// The token of the link.
        token: LinkToken,
        /// Unique in the service without regard to case; never changes.
        username: Username,
        full_name: FullName,
        password: NewPassword,
    }
    check(username, password) password_is_more_than_the_username;
    example {
        "token": "Rk3vW8sQz1b4tLm7YxNcD2pFhJ6gKa9uE5oXiTqZwS0", "username": "noor",
        "fullName": "Noor Haddad", "password": "four words of your own",
    };

    /// An account whose password is forgotten: its address or its username.
    pub struct PasswordForgotten {
        /// The address of one or more accounts.
        email: Option<Email>,
        username: Option<LoginName>,
    }
    check(email, username)
        one_of_two("username", ["Send `email` or `username`.", "Send `email` or `username`, not both."]);
    schema any_given(email, username);
    example {"email": "ada@example.com"};

    pub struct PasswordReset {
        /// The token of the link.
        token: LinkToken,
        password: NewPassword,
    }
    example {
        "token": "Rk3vW8sQz1b4tLm7YxNcD2pFhJ6gKa9uE5oXiTqZwS0", "password": "four words of your own",
    };

    pub struct EmailChange {
        /// The new address, to which a link is sent.
        email: Email,
        password: LoginPassword,
    }
    example {"email": "ada@example.com", "password": "workdesk"};

    pub struct EmailConfirm {
        /// The token of the link.
        token: LinkToken,
    }
    example {"token": "Rk3vW8sQz1b4tLm7YxNcD2pFhJ6gKa9uE5oXiTqZwS0"};
}
