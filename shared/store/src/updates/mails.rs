//! Mails: written with the change that causes them, sent by the mailer, found by the sweeper.

use futures::future::OptionFuture;
use model::{
    base::{Id, OrganizationId, RecordType, Timestamp, UserId},
    people::{Organization, User},
    updates::{Letter, Mail, MailMessage, MailStatus, Outgoing},
};
use table::{Batch, Condition, OrLeave, OrNotFound, Record, Stored, UpdateExpression, Write};

use crate::{
    Result, Tenant,
    base::{
        Store,
        record::{any_keys, record},
        retry::try_retry,
        store::resource,
    },
    key::{self, Keyed},
    updates::{JoinedNotification, UnlistedChange},
};

/// The attribute of a user with the instant from which the address refuses mails.
const BOUNCED_AT: &str = "emailBouncedAt";

record! {
    mail: Mail = RecordType::Mail.name(),
    key: key::mail(mail.organization_id, &mail.id),
    gsi4: Some(key::due(mail.organization_id, mail.sending.due_at?)),
    expires_at: Some(mail.created_at.plus(Self::KEPT).epoch_seconds() + 1),
}

resource! { pub Mails as mails }

impl Store {
    /// The write of a mail. Belongs into the transaction of the change that causes it: the
    /// publisher then sends the message of the mail. `user` is the owner of the address; none for
    /// an invitation.
    pub fn mail_of(
        &self,
        tenant: Tenant,
        user: Option<UserId>,
        to: &str,
        letter: Letter,
    ) -> Result<Write> {
        let now = self.clock.now();
        Write::create(&Mail::new(tenant, user, to.to_owned(), letter, now))
    }
}

/// Returns the message of a new mail. `None` for other changes.
pub fn mail_of_unlisted(change: &UnlistedChange, now: Timestamp) -> Option<MailMessage> {
    if change.kind != RecordType::Mail || change.before::<Mail>().is_some() {
        return None;
    }
    change.after::<Mail>()?.message(now)
}

/// A mail that may be sent, with the records that its text is made of.
#[derive(Clone, Debug)]
pub struct MailAttempt {
    pub mail: Stored<Mail>,
    pub organization: Organization,
    pub user: Option<User>,
    /// The notifications of its minute, if the user still gets them at this address.
    pub notifications: Vec<JoinedNotification>,
}

/// The outcome of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailOutcome {
    /// The server accepted the mail.
    Sent,
    /// There is nothing to send.
    Unwanted,
    /// Failed by this problem, and may succeed later.
    Deferred(String),
    /// The server refused the mail for good, with this answer.
    Refused(String),
}

impl MailOutcome {
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Unwanted => "unwanted",
            Self::Deferred(_) => "deferred",
            Self::Refused(_) => "refused",
        }
    }

    pub fn problem(&self) -> Option<&str> {
        match self {
            Self::Deferred(problem) | Self::Refused(problem) => Some(problem),
            _ => None,
        }
    }
}

impl Mails<'_> {
    /// Begins an attempt. `None` if there is none to make: the mail ended, another attempt is
    /// running, it is not due yet, or its organization is suspended.
    pub async fn begin(&self, tenant: Tenant, id: &str) -> Result<Option<Box<MailAttempt>>> {
        let of_mail = key::mail(tenant, id);
        let of_organization = key::organization(tenant);
        let keys = any_keys![&of_mail, &of_organization];
        let read = || self.0.batch(keys.clone());
        let write = async |batch: Batch| {
            let now = self.0.now();
            let mail: Option<Stored<Mail>> = batch.get(&of_mail)?;
            let Some(mut mail) = mail.filter(|mail| mail.sending.may_begin(now)) else {
                return Ok(Some(None));
            };
            let organization = batch.named(&of_organization);
            let is_held = organization.is_some_and(|organization| organization.suspended.is_some());
            if is_held {
                // The sweeper asks again until the organization works.
                mail.sending.resent(now);
            } else {
                mail.sending.begin(Mail::LEASE, now);
            }
            if self
                .0
                .table
                .write(Write::replace(&mail)?)
                .await?
                .is_err()
            {
                return Ok(None);
            }
            Ok(Some((!is_held).then(|| (mail.replaced(), batch))))
        };
        // Without one, another attempt kept winning.
        let Some((mail, batch)) = try_retry(read().await?, read, write)
            .await?
            .flatten()
        else {
            return Ok(None);
        };
        let organization = batch.get(&of_organization)?;
        let organization = organization.or_not_found(OrganizationId::NOUN)?;
        let user = async |id: UserId| self.0.read(&id.key(tenant)).await;
        let user = OptionFuture::from(mail.user_id.map(user)).await;
        let user = user
            .transpose()?
            .flatten()
            .map(|user| user.record);
        let notifications = match (&mail.letter, &user) {
            (Letter::Notifications { minute }, Some(user))
                if user.mailed_at() == Some(&mail.to) =>
            {
                self.0
                    .notifications()
                    .of_minute(user, *minute)
                    .await?
            }
            _ => Vec::new(),
        };
        Ok(Some(Box::new(MailAttempt {
            mail,
            organization: organization.record,
            user,
            notifications,
        })))
    }

    /// Ends an attempt. Returns the message for the next one. Notes on the user if the address
    /// refuses mails.
    pub async fn end(
        &self,
        attempt: MailAttempt,
        outcome: MailOutcome,
    ) -> Result<Option<MailMessage>> {
        let MailAttempt { mut mail, user, .. } = attempt;
        let now = self.0.now();
        let bounced = user
            .as_ref()
            .and_then(|user| user.email_bounced_at);
        let is_refused = matches!(outcome, MailOutcome::Refused(_));
        match outcome {
            MailOutcome::Sent => mail.sent(),
            MailOutcome::Unwanted => mail.unwanted(),
            MailOutcome::Deferred(problem) => mail.defer(problem, now),
            MailOutcome::Refused(problem) => mail.fail(problem),
        }
        // A refused write means that the lease ended, and another attempt began.
        self.0.replace_or_leave(&mail).await?;
        let change = match mail.status {
            MailStatus::Failed if is_refused && bounced.is_none() => {
                UpdateExpression::default().set(BOUNCED_AT, now)
            }
            MailStatus::Sent if bounced.is_some() => UpdateExpression::default().remove(BOUNCED_AT),
            _ => return Ok(mail.message(now)),
        };
        if let Some(user) = user {
            // A refused write means that the user has another address by now.
            let is_the_same = Condition::default().equals("email", mail.to.as_str());
            let write = Write::update(user.key(), change, is_the_same);
            self.0
                .table
                .write(write)
                .await?
                .or_leave();
        }
        Ok(mail.message(now))
    }
}
