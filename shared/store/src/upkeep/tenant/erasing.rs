//! The erasure of a user: names, addresses and credentials go, and the texts of others stay.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    base::{Email, Error, Id, UserId, unique_name},
    people::{
        EntryContent, Invitation, OrganizationEntry, OrganizationEvent, User,
        journal::{ErasedBy, subject},
    },
    updates::{Letter, Mail},
};
use table::{
    AnyKey, Condition, IntoAttribute, Key, OrLeave, OrNotFound, RawItem, Record, Stored, Write,
};

use crate::{
    Result, Tenant,
    base::{
        Account, WriteContext,
        records::{FailureCount, ReadHead},
        retry::retry,
    },
    key::{self, Keyed},
    people::{
        directory::{count_admins, take_email},
        invitations::address_hash,
        providers::subject_hash,
    },
};

use super::Tenants;

/// The most entries of a journal that are read about a user.
const MOST: usize = 1_000_000;

/// An erased user.
#[derive(Clone, Debug)]
pub struct Erased {
    pub user: User,
    /// Sessions, tokens, notifications and other items that were deleted.
    pub items: usize,
    /// Entries of the organization's journal that lost the user's names.
    pub entries: usize,
}

/// A user, the user's account, and the head of the journal, as read.
type ToErase = (Stored<User>, Option<Key<Account>>, ReadHead);

/// The names that the user has, and those of before, as far as the journal has them.
struct KnownNames {
    usernames: BTreeSet<String>,
    full_names: BTreeSet<String>,
    /// In lower case.
    emails: BTreeSet<String>,
}

impl KnownNames {
    fn of(user: &User, entries: &[Stored<OrganizationEntry>]) -> Self {
        let texts = |member: &'static str| {
            let texts = entries
                .iter()
                .flat_map(move |entry| entry.texts_of(member));
            texts.map(str::to_owned)
        };
        let username = std::iter::once(user.username.clone());
        let full_name = std::iter::once(user.full_name.clone());
        let email = user.email.as_ref().map(Email::key);
        let emails = texts("email").map(|email| email.to_ascii_lowercase());
        Self {
            usernames: username
                .chain(texts("username"))
                .collect(),
            full_names: full_name
                .chain(texts("fullName"))
                .collect(),
            emails: email
                .into_iter()
                .chain(emails)
                .collect(),
        }
    }

    /// Returns true for a mail to the user, about the account, or in the user's name.
    fn are_in(&self, mail: &Mail, id: UserId) -> bool {
        let is_sender = match &mail.letter {
            Letter::Invitation { invited_by, .. } => self.full_names.contains(invited_by),
            letter => {
                let username = letter.username();
                username.is_some_and(|username| self.usernames.contains(username))
            }
        };
        let is_to = self
            .emails
            .contains(&mail.to.to_ascii_lowercase());
        is_to || is_sender || mail.user_id == Some(id)
    }
}

impl Tenants<'_> {
    /// Erases a user, who is disabled from then on. Can begin again after an interruption. 404 when
    /// the user is not the tenant's, 409 for the last admin.
    pub async fn erase_user(&self, tenant: Tenant, id: UserId) -> Result<Erased> {
        let invited = self
            .erase_invitations(tenant, id)
            .await?;
        let entries = self
            .entries_of(tenant, &subject::user(id))
            .await?;
        let (user, ..) = self.read_user(tenant, id).await?;
        let names = KnownNames::of(&user, &entries);
        // Before the user loses the names by which mails and counts are found.
        let mut items = self
            .erase_mails(tenant, id, &names)
            .await?;
        items += self
            .delete_sign_in_counts(tenant, id, &names)
            .await?;
        let rests = entries
            .into_iter()
            .filter_map(|mut entry| {
                let rest = entry.erase_names()?;
                Some((entry.seq.to_string(), rest))
            });
        let user = self
            .erase_names(tenant, id, &rests.collect())
            .await?;
        let entries = self
            .erase_entries(tenant, &subject::user(id))
            .await?
            + invited;
        self.0
            .webhooks()
            .erase_actor(&user)
            .await?;
        // Mails that were written meanwhile.
        items += self
            .erase_mails(tenant, id, &names)
            .await?;
        items += self.delete_of_user(tenant, id).await?;
        Ok(Erased {
            user,
            items,
            entries,
        })
    }

    /// Deletes the invitations to the user's address. Returns the number of entries that lost it.
    async fn erase_invitations(&self, tenant: Tenant, id: UserId) -> Result<usize> {
        let (user, ..) = self.read_user(tenant, id).await?;
        let invitation_list = key::invitations(tenant).limit(MOST);
        let mut invitations: Vec<Invitation> = self
            .0
            .table
            .list(invitation_list)
            .await?;
        let email = user.email.as_ref().map(Email::key);
        invitations.retain(|invitation| Some(invitation.email.key()) == email);
        let mut entries = 0;
        for invitation in invitations {
            let subject = subject::invitation(invitation.id);
            entries += self
                .erase_entries(tenant, &subject)
                .await?;
            let address = key::invited_address(tenant, &address_hash(&invitation.email));
            let writes = vec![
                Write::delete(invitation.key(), Condition::default()),
                Write::delete(key::link(&invitation.link_hash), Condition::default()),
                Write::delete(address, Condition::default()),
            ];
            self.0
                .table
                .transact(writes)
                .await?
                .or_leave();
        }
        Ok(entries)
    }

    /// Gives the user another name, frees the username, and notes the erasure.
    async fn erase_names(
        &self,
        tenant: Tenant,
        id: UserId,
        rests: &BTreeMap<String, String>,
    ) -> Result<User> {
        let read = || self.read_user(tenant, id);
        let write = async |(user, account, head): ToErase| {
            let mut after = user.clone();
            after.erase(self.0.now());
            let was = user.is_enabled_admin();
            let is = after.is_enabled_admin();
            let mut writes = count_admins(tenant, was, is);
            writes.append(take_email(&after, user.email.as_ref())?);
            writes.push(Write::replace(&after)?);
            if let Some(subject) = &user.provider_subject {
                let hash = subject_hash(&subject.issuer, &subject.sub);
                let holder = key::subject_holder(tenant, &hash);
                writes.push(Write::delete(holder, Condition::default()));
            }
            writes.extend(account.map(|account| Write::delete(account, Condition::default())));
            writes.note(EntryContent::user_erased(id, rests.clone()));
            let context = WriteContext::of_operator(tenant).with_head(head);
            self.0
                .commit(&context, writes, after.record)
                .await
        };
        retry(read().await?, read, write)
            .await?
            .not_replayed()
    }

    async fn read_user(&self, tenant: Tenant, id: UserId) -> Result<ToErase> {
        let (user, head) = self
            .0
            .with_head(&id.key(tenant), tenant)
            .await?;
        let user: Stored<User> = user.or_not_found(UserId::NOUN)?;
        let key = key::account(&unique_name::key(&user.username));
        let account = self.0.readable(&key).await?;
        let is_own = account
            .is_some_and(|account| (account.organization_id, account.user_id) == (tenant, id));
        Ok((user, is_own.then_some(key), head))
    }

    /// The entries of the organization's journal about a subject.
    async fn entries_of(&self, tenant: Tenant, of: &str) -> Result<Vec<Stored<OrganizationEntry>>> {
        let about = Condition::default().and("contains(#, :)", "subjects", [of.into_attribute()]);
        let entries = key::organization_journal(tenant)
            .consistent()
            .limit(MOST);
        let about = entries.filter(about).reading(MOST);
        self.0.table.list_stored(about).await
    }

    /// Erases the user's names beside the entries, and in the chain of those that earlier releases
    /// wrote.
    async fn erase_entries(&self, tenant: Tenant, subject: &str) -> Result<usize> {
        let entries = self.entries_of(tenant, subject).await?;
        let erasures = entries.iter();
        let erasures = erasures.filter(|entry| entry.event == OrganizationEvent::UserErased);
        let mut erased_by = BTreeMap::new();
        for OrganizationEntry { seq, at, after, .. } in erasures.map(|entry| &entry.record) {
            let place = ErasedBy { seq: *seq, at: *at };
            let named = after
                .iter()
                .flat_map(|after| after.0.0.keys().cloned());
            erased_by.extend(named.map(|seq| (seq, place)));
        }
        let mut changed = 0;
        for before in &entries {
            let mut entry = before.clone();
            if entry.erase_names().is_some() {
                entry.erased_by = erased_by
                    .get(&entry.seq.to_string())
                    .copied();
            }
            if entry.record != before.record {
                let done = self
                    .0
                    .table
                    .write(Write::replace(&entry)?)
                    .await?;
                done.map_err(|_| Error::contended())?;
                changed += 1;
            }
        }
        Ok(changed)
    }

    /// Deletes the mails to the user and about the account, with their links. Invitations that the
    /// user sent to others stay, without the user's name. Returns the number of mails.
    async fn erase_mails(&self, tenant: Tenant, id: UserId, names: &KnownNames) -> Result<usize> {
        let mail_list = key::mails(tenant)
            .consistent()
            .limit(MOST);
        let mut mails: Vec<Stored<Mail>> = self
            .0
            .table
            .list_stored(mail_list)
            .await?;
        mails.retain(|mail| names.are_in(mail, id));
        for mail in &mut mails {
            if let Letter::Invitation { invited_by, .. } = &mut mail.record.letter
                && names.full_names.contains(invited_by)
                && !names
                    .emails
                    .contains(&mail.record.to.to_ascii_lowercase())
            {
                *invited_by = User::erased_name(id);
                let done = self
                    .0
                    .table
                    .write(Write::replace(mail)?)
                    .await?;
                // The mailer wrote it meanwhile: the erasure starts again.
                done.map_err(|_| Error::contended())?;
                continue;
            }
            let link = mail.letter.link();
            let link = link.map(|(link, _)| key::link(&link.hash).into());
            let keys = [Some(AnyKey::from(mail.key())), link]
                .into_iter()
                .flatten();
            let writes = keys.map(|key| Write::delete(key, Condition::default()));
            self.0
                .table
                .transact(writes.collect())
                .await?
                .or_leave();
        }
        Ok(mails.len())
    }

    /// Deletes the counts of failed sign-ins under the user's usernames. Those of a network with an
    /// account have a hash of both as their key: nothing leads to them, and they expire.
    async fn delete_sign_in_counts(
        &self,
        tenant: Tenant,
        id: UserId,
        names: &KnownNames,
    ) -> Result<usize> {
        let mut deletes = Vec::new();
        for username in &names.usernames {
            let count_list = key::sign_in_counts(&key::sign_in_account(username)).limit(MOST);
            let mut counts: Vec<FailureCount> = self.0.table.list(count_list).await?;
            let owner = Some((tenant, id));
            counts.retain(|count| count.organization_id.zip(count.user_id) == owner);
            let keys = counts.iter().map(Record::key);
            deletes.extend(keys.map(|key| Write::delete(key, Condition::default())));
        }
        let items = deletes.len();
        self.0
            .table
            .write_batch(deletes)
            .await?;
        Ok(items)
    }

    /// Deletes the user's sessions, tokens, notifications and idempotency keys.
    async fn delete_of_user(&self, tenant: Tenant, id: UserId) -> Result<usize> {
        let own = key::partitions_of_user(tenant, id);
        let mut count = 0;
        let mut delete = async |items: Vec<RawItem>| {
            count += self.delete(&items, &[]).await?;
            Ok(())
        };
        self.walk(tenant, own, &mut delete)
            .await?;
        Ok(count)
    }
}
