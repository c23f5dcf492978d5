//! Mails: written with the change that causes them, sent by the mailer, found by the sweeper.

use model::{Error, Letter, Mail, MailMessage, OrganizationId, RecordType, Timestamp, UserId};

use crate::{
    due::{self, Shard},
    feed::UnlistedChange,
    key,
    page::{Page, Wanted},
    record::record,
    store::{Store, resource},
    table::{OrLeave, Readable, Stored, Write},
};

record! {
    mail: Mail = RecordType::Mail.name(),
    key: key::mail(mail.organization_id, &mail.id),
    gsi4: Some(key::due(mail.organization_id, mail.due_at?)),
    expires_at: Some(mail.created_at.plus(Self::KEPT).epoch_seconds() + 1),
}

resource! {
    /// Mails to users.
    pub Mails as mails
}

impl Store {
    /// The write of a mail. Belongs into the transaction of the change that causes it: the publisher then
    /// sends the message of the mail. `user` is the owner of the address; none for an invitation.
    pub fn mail_of(
        &self,
        tenant: OrganizationId,
        user: Option<UserId>,
        to: &str,
        letter: Letter,
    ) -> Result<Write, Error> {
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

impl Mails<'_> {
    /// Returns mails of a shard that are due without a message.
    pub async fn due(
        &self,
        shard: Shard,
        now: Timestamp,
        wanted: &Wanted,
    ) -> Result<Page<Stored<Mail>>, Error> {
        let due = due::page::<Mail, _>(&self.0.table, shard, now, wanted);
        Ok(due.await?.filter_map(Readable::yes))
    }

    pub async fn resent(&self, due: &Stored<Mail>) -> Result<(), Error> {
        let mut mail = due.clone();
        mail.resent(self.0.clock.now());
        // A refused write means that an attempt began meanwhile.
        let write = Write::replace(&mail)?;
        self.0.table.write(write).await?.or_leave();
        Ok(())
    }
}
