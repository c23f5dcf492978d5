//! Mails to users: letters, and the record of each mail until it is sent.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    base::{OrOther, OrganizationId, QueueMessage, Timestamp, UserId, random, span},
    names,
    people::Role,
};

use super::{Outgoing, SendAttempts};

/// The pauses after the first and each further failed attempt, in milliseconds.
const PAUSES: [i64; 9] = [
    30 * span::SECOND,
    2 * span::MINUTE,
    10 * span::MINUTE,
    30 * span::MINUTE,
    2 * span::HOUR,
    5 * span::HOUR,
    10 * span::HOUR,
    14 * span::HOUR,
    24 * span::HOUR,
];

/// The milliseconds after a minute by which the index shows its notifications.
const SETTLED: i64 = 5 * span::SECOND;

/// A mail to one address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mail {
    /// Unique in the organization. `Message-ID` is made from it.
    pub id: String,
    pub organization_id: OrganizationId,
    /// The user of the address; none for an invitation.
    pub user_id: Option<UserId>,
    pub to: String,
    pub letter: Letter,
    pub status: MailStatus,
    #[serde(flatten)]
    pub sending: SendAttempts,
    pub created_at: Timestamp,
}

names! {
    /// The status of a mail.
    pub enum MailStatus = "a status" {
        Pending: "An attempt is to come.",
        Sent: "The server accepted it.",
        Dropped: "There was nothing left to say, or the address is no longer the user's.",
        Failed: "No further attempt is to come.",
    }
}

/// The content of a mail. The mailer writes its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Letter {
    Invitation {
        /// The full name of the user who invites.
        invited_by: String,
        role: OrOther<Role>,
        link: MailedLink,
        expires_at: Timestamp,
    },
    PasswordReset {
        username: String,
        link: MailedLink,
        expires_at: Timestamp,
    },
    /// The confirmation of a new address. It goes to that address.
    EmailConfirmation {
        username: String,
        link: MailedLink,
        expires_at: Timestamp,
    },
    PasswordChanged(AccountChange),
    /// A notice to the old address.
    EmailChanged(AccountChange),
    /// The account was bound to the company's provider, or to another one.
    ProviderChanged(AccountChange),
    /// The notifications of a minute.
    Notifications {
        /// The beginning of the minute.
        minute: Timestamp,
    },
}

/// A change of an account, for its notice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountChange {
    pub username: String,
    pub at: Timestamp,
    /// The network of the client; none for the operator.
    pub network: Option<String>,
}

/// The link of a letter. The table has a hash of its token. The token follows from the seed and a
/// secret of the deployment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MailedLink {
    pub seed: String,
    /// SHA-256 of the token, in hexadecimal.
    pub hash: String,
}

impl Letter {
    /// The username of the account that it is about; none for an invitation and for notifications.
    pub fn username(&self) -> Option<&str> {
        match self {
            Self::PasswordReset { username, .. } | Self::EmailConfirmation { username, .. } => {
                Some(username)
            }
            Self::PasswordChanged(change)
            | Self::EmailChanged(change)
            | Self::ProviderChanged(change) => Some(&change.username),
            Self::Invitation { .. } | Self::Notifications { .. } => None,
        }
    }

    /// Returns its link, and the instant from which the letter is of no use.
    pub const fn link(&self) -> Option<(&MailedLink, Timestamp)> {
        match self {
            Self::Invitation {
                link, expires_at, ..
            }
            | Self::PasswordReset {
                link, expires_at, ..
            }
            | Self::EmailConfirmation {
                link, expires_at, ..
            } => Some((link, *expires_at)),
            _ => None,
        }
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.link()?.1)
    }

    /// Returns the earliest instant of the first attempt. The notifications of a minute wait for
    /// its end.
    fn earliest(&self, now: Timestamp) -> Timestamp {
        match self {
            Self::Notifications { minute } => minute
                .plus(span::MINUTE + SETTLED)
                .max(now),
            _ => now,
        }
    }
}

impl Mail {
    /// Milliseconds for which a mail is kept.
    pub const KEPT: i64 = 7 * span::DAY;

    /// The milliseconds of an attempt. Longer than a server may take, so that no two attempts
    /// overlap.
    pub const LEASE: i64 = 2 * span::MINUTE;

    /// Returns true if the link of its letter is dead.
    pub fn is_late(&self, now: Timestamp) -> bool {
        self.letter
            .expires_at()
            .is_some_and(|end| end <= now)
    }

    /// Creates a mail that is to be sent at once. The mail of a minute's notifications is the same
    /// for all of them, and waits for the end of the minute.
    pub fn new(
        tenant: OrganizationId,
        user: Option<UserId>,
        to: String,
        letter: Letter,
        now: Timestamp,
    ) -> Self {
        let id = match (&letter, user) {
            (Letter::Notifications { minute }, Some(user)) => format!("{user}-{}", minute.millis()),
            _ => random::token(),
        };
        let first = letter.earliest(now);
        Self {
            id,
            organization_id: tenant,
            user_id: user,
            to,
            letter,
            status: MailStatus::Pending,
            sending: SendAttempts::new(first),
            created_at: now,
        }
    }

    /// Ends an attempt: the server accepted the mail.
    pub fn sent(&mut self) {
        self.status = MailStatus::Sent;
        self.sending.end(None);
    }

    /// Ends an attempt with nothing to send.
    pub fn unwanted(&mut self) {
        self.status = MailStatus::Dropped;
        let problem = self.sending.last_error.take();
        self.sending.end(problem);
    }

    /// Ends an attempt that may succeed later. Plans the next one, unless it was the last or the
    /// letter is of no use by then.
    pub fn defer(&mut self, problem: String, now: Timestamp) {
        let next = self
            .sending
            .pause(&PAUSES)
            .map(|pause| now.plus(pause));
        let end = self.letter.expires_at();
        let Some(next) = next.filter(|next| end.is_none_or(|end| *next < end)) else {
            return self.fail(problem);
        };
        self.sending.retry(problem, next, now);
    }

    /// Ends the mail unsent.
    pub fn fail(&mut self, problem: String) {
        self.status = MailStatus::Failed;
        self.sending.end(Some(problem));
    }
}

impl Outgoing for Mail {
    type Message = MailMessage;

    fn attempts(&mut self) -> &mut SendAttempts {
        &mut self.sending
    }

    fn message(&self, now: Timestamp) -> Option<MailMessage> {
        Some(MailMessage {
            organization_id: self.organization_id,
            mail_id: self.id.clone(),
            delay: self.sending.delay(now)?,
        })
    }
}

/// A message of the mail queue: the mail to send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MailMessage {
    pub organization_id: OrganizationId,
    pub mail_id: String,
    /// The time for which the queue holds the message back.
    #[serde(skip)]
    pub delay: Duration,
}

impl QueueMessage for MailMessage {
    fn group(&self) -> Option<String> {
        Some(self.organization_id.to_string())
    }

    fn delay(&self) -> Duration {
        self.delay
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{
        super::outbox::{LONGEST_DELAY, SKEW},
        *,
    };
    use crate::base::Id;

    fn mail(letter: Letter, now: Timestamp) -> Mail {
        let tenant = OrganizationId::new(1).unwrap();
        let to = "mia@example.com".to_owned();
        Mail::new(tenant, UserId::new(4), to, letter, now)
    }

    fn changed() -> Letter {
        Letter::PasswordChanged(AccountChange {
            username: "mia".to_owned(),
            at: Timestamp::from_millis(0),
            network: None,
        })
    }

    #[test]
    fn attempts_come_after_the_pauses_and_end_with_the_last() {
        let mut now = Timestamp::from_millis(0);
        let mut mail = mail(changed(), now);
        for pause in PAUSES {
            assert!(mail.sending.may_begin(now));
            mail.sending.begin(Mail::LEASE, now);
            assert!(!mail.sending.may_begin(now));
            mail.defer("busy".to_owned(), now);
            assert_eq!(mail.message(now).is_some(), pause <= LONGEST_DELAY);
            assert!(
                !mail
                    .sending
                    .may_begin(now.plus(pause - 2 * SKEW))
            );
            now = now.plus(pause);
        }
        mail.sending.begin(Mail::LEASE, now);
        mail.defer("busy".to_owned(), now);
        assert_eq!(
            (mail.status, mail.sending.due_at),
            (MailStatus::Failed, None)
        );
        assert!(mail.message(now).is_none() && !mail.sending.may_begin(now));
    }

    #[test]
    fn a_lost_attempt_is_due_after_its_lease() {
        let now = Timestamp::from_millis(0);
        let mut mail = mail(changed(), now);
        mail.sending.begin(Mail::LEASE, now);
        assert_eq!(mail.sending.due_at, Some(now.plus(Mail::LEASE)));
        assert!(
            mail.sending
                .may_begin(now.plus(Mail::LEASE))
        );
        mail.sent();
        assert!(
            !mail
                .sending
                .may_begin(now.plus(span::DAY))
        );
    }

    #[test]
    fn a_letter_with_a_dead_link_is_not_tried_again() {
        let now = Timestamp::from_millis(0);
        let reset = json!({
            "type": "password_reset", "username": "mia", "link": {"seed": "seed", "hash": "hash"},
            "expiresAt": now.plus(span::MINUTE),
        });
        let mut mail = mail(serde_json::from_value(reset).unwrap(), now);
        mail.sending.begin(Mail::LEASE, now);
        mail.defer("busy".to_owned(), now);
        assert_eq!(mail.status, MailStatus::Pending);
        mail.sending.begin(Mail::LEASE, now);
        mail.defer("busy".to_owned(), now);
        assert_eq!(mail.status, MailStatus::Failed);
    }

    #[test]
    fn the_notifications_of_a_minute_are_one_mail_after_it() {
        let minute = Timestamp::from_millis(60_000);
        let letter = Letter::Notifications { minute };
        let first = minute.plus(1);
        let second = minute.plus(59_000);
        let at = |now| mail(letter.clone(), now);
        assert_eq!(at(first).id, at(second).id);
        assert!(
            !at(first)
                .sending
                .may_begin(minute.plus(59_000))
        );
        assert!(
            at(first)
                .sending
                .may_begin(minute.plus(span::MINUTE + SETTLED))
        );
        assert_ne!(mail(changed(), first).id, mail(changed(), first).id);
    }

    #[test]
    fn letters_and_messages_read_as_they_were_written() {
        let now = Timestamp::from_millis(0);
        let mail = mail(changed(), now);
        assert_eq!(json!(mail)["letter"]["type"], "password_changed");
        let read: Mail = serde_json::from_value(json!(mail)).unwrap();
        assert_eq!(read, mail);
        let message = mail.message(now).unwrap();
        let read = MailMessage::from_text(&message.to_text().unwrap());
        assert_eq!(read.unwrap(), message);
    }
}
