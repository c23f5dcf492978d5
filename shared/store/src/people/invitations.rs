//! Invitations, and the accounts that they make.

use std::collections::HashMap;

use model::{
    base::{Code, Email, Error, FullName, Id, InvitationId, Timestamp, UserId, Username, span},
    people::{
        EntryContent, Held, Invitation, InvitationCreate, InvitationLink, Link, LinkPurpose,
        Organization, OrganizationEvent, PasswordHash, ProviderSubject, Session, Sid, User,
        UserRef, digest, mail_limit,
    },
    updates::{Letter, MailedLink},
};
use table::{
    AnyKey, Condition, Key, Read, Record, Stored, Write,
    page::{Page, PageRequest},
};
use tokio::sync::OnceCell;

use crate::{
    Result, Tenant,
    base::{
        Pending, WriteContext,
        idempotency::id_of,
        ids::Reserved,
        record::{any_keys, record},
        records::{EmailHolder, InvitedAddress, ReadHead},
        retry::retry,
        store::resource,
        tracked::Tracked,
        writes::Writes,
    },
    key::{self, Keyed},
    people::{NewUser, directory::email_taken, journal::head_in, links::MailLimit},
};

resource! { pub Invitations as invitations }

record! {
    invitation: Invitation, id: InvitationId,
    gsi1: Some(key::invitation_in_list(invitation)),
    hidden: ["organizationId", "invitedBy", "linkHash", "sentAgain", "version"],
}

record! {
    address: InvitedAddress = "invited_address",
    key: key::invited_address(address.organization_id, &address.hash),
    expires_at: Some(address.ends_at.epoch_seconds() + 1),
}

impl Tracked for Invitation {
    const IS_JOURNALED: bool = true;

    fn entry_of_new(&self) -> Option<EntryContent> {
        let event = OrganizationEvent::InvitationCreated;
        Some(EntryContent::created(event, self))
    }
}

/// A user who sends an invitation.
#[derive(Clone, Debug)]
pub struct Inviter {
    pub user: User,
    pub held: Held,
    /// The most invitations that the organization sends in a day.
    pub most: u32,
}

/// An invitation with its link, as they were read.
#[derive(Clone, Debug)]
pub struct OpenInvitation {
    pub invitation: Stored<Invitation>,
    pub organization: Organization,
    inviter: Stored<User>,
    head: ReadHead,
}

/// The newest invitation of an address, as it was read.
#[derive(Clone, Debug, Default)]
struct Invited {
    address: Option<Stored<InvitedAddress>>,
    /// The invitation, unless it was deleted since.
    invitation: Option<Stored<Invitation>>,
}

/// The account that an invitee asks for.
#[derive(Clone, Debug)]
pub struct Accepted {
    pub username: Username,
    pub full_name: FullName,
    pub password_hash: PasswordHash,
    /// The identity at the organization's provider, by which the invitee accepts.
    pub provider_subject: Option<ProviderSubject>,
}

/// The records that creating an invitation reads.
type ToCreate = (Reserved<InvitationId>, Inviter, Invited, ReadHead);

/// The records that sending an invitation again reads.
type ToSend = (Option<Stored<Invitation>>, Inviter, Invited);

impl Invitations<'_> {
    /// The organization's invitations, open ones first, then the newest. Each has the user who sent
    /// it. An address that a user has since has no open one.
    pub async fn list(
        &self,
        tenant: Tenant,
        wanted: &PageRequest,
    ) -> Result<Page<(Stored<Invitation>, Option<UserRef>)>> {
        let invitations = key::invitations(tenant).descending();
        let page: Page<Stored<Invitation>> = self
            .0
            .table
            .page(invitations, wanted)
            .await?;
        let open = page
            .records()
            .filter(|invitation| invitation.accepted_at.is_none());
        let holders = open.map(|invitation| key::email_holder(tenant, &invitation.email.key()));
        let holders: Vec<Key<EmailHolder>> = holders.collect();
        let batch = self
            .0
            .table
            .batch_get(holders.iter().map(AnyKey::from), Read::Eventual)
            .await?;
        let is_open = |invitation: &Invitation| {
            let holder = key::email_holder(tenant, &invitation.email.key());
            invitation.accepted_at.is_some() || batch.named(&holder).is_none()
        };
        let page = page.filter_map(|invitation| is_open(&invitation).then_some(invitation));
        let inviters: Vec<UserId> = page
            .records()
            .map(|invitation| invitation.invited_by)
            .collect();
        let inviters = inviters.iter().copied();
        let inviters: HashMap<UserId, UserRef> = self.0.users(tenant, inviters).await?;
        Ok(page.map(|invitation| {
            let by = inviters
                .get(&invitation.invited_by)
                .cloned();
            (invitation, by)
        }))
    }

    /// Invites a person, by mail, and ends an earlier invitation of the address. 403 for a role
    /// beyond the inviter, 409 if a user has the address, 429 if the day's invitations are sent.
    pub async fn create<H: Future<Output = Result<Inviter>>>(
        &self,
        pending: impl Pending,
        by: impl Fn() -> H,
        new: &InvitationCreate,
        mailed: MailedLink,
    ) -> Result<Stored<Invitation>> {
        let (pending, tenant) = pending.with_tenant();
        let id = OnceCell::new();
        let read = || async {
            let invited = self.invited(tenant, &new.email);
            let head = self.0.head(tenant);
            // All end, also after an error, so that no id is lost on its way.
            let (id, by, invited, head) =
                tokio::join!(self.0.id_once(&id), by(), invited, Box::pin(head));
            Ok((id?, by?, invited?, head?))
        };
        let write = async |context: WriteContext, (id, by, invited, head): ToCreate| {
            let context = context.with_head(head);
            let id = id.used();
            let now = self.0.now();
            let invitation = Invitation {
                id,
                organization_id: tenant,
                email: new.email.clone(),
                role: new.role.into(),
                full_name: new.full_name.clone(),
                invited_by: by.user.id,
                link_hash: mailed.hash.clone(),
                sent_again: 0,
                created_at: now,
                sent_at: now,
                accepted_at: None,
            };
            let mut writes = self.sending(&invitation, &by, mailed.clone(), now)?;
            writes.append(invited.replaced_by(&invitation)?);
            writes.note(invitation.entry_of_new());
            writes.push(Write::create(&invitation)?);
            let created = Stored::created(invitation);
            self.0
                .commit(&context, writes.making(id), created)
                .await
        };
        let created = self
            .0
            .write(pending, read, write)
            .await?;
        let load = async |made| {
            self.0
                .get::<InvitationId>(tenant, id_of(made)?)
                .await
        };
        created.or_load(load).await
    }

    /// Returns the newest invitation of an address.
    async fn invited(self, tenant: Tenant, email: &Email) -> Result<Invited> {
        let key = key::invited_address(tenant, &address_hash(email));
        let address = self.0.read(&key).await?;
        let invitation = match &address {
            Some(address) => {
                self.0
                    .read(&address.invitation_id.key(tenant))
                    .await?
            }
            None => None,
        };
        Ok(Invited {
            address,
            invitation,
        })
    }

    /// Sends an invitation again, with another link. 404 if it is another tenant's. Else as
    /// [`create`](Self::create); 409 if it was accepted.
    pub async fn send<H: Future<Output = Result<Inviter>>>(
        &self,
        pending: impl Pending,
        id: InvitationId,
        by: impl Fn() -> H,
        mailed: MailedLink,
    ) -> Result<Stored<Invitation>> {
        let pending = pending.into();
        let key = id.key(pending.tenant());
        let read = || async {
            let (invitation, by) = tokio::try_join!(self.0.read(&key), by())?;
            let invitation: Option<Stored<Invitation>> = invitation;
            let invited = match &invitation {
                Some(invitation) => {
                    self.invited(invitation.organization_id, &invitation.email)
                        .await?
                }
                None => Invited::default(),
            };
            Ok((invitation, by, invited))
        };
        let write = async |context: WriteContext, (invitation, by, invited): ToSend| {
            let before = context.current(invitation, InvitationId::NOUN)?;
            before.may_be_sent_by(&by.held)?;
            let context = context.demanding(before.demand(), &by.held)?;
            let mut after = before.clone();
            let now = self.0.now();
            after.send_again(by.user.id, &mailed.hash, now)?;
            let mut writes = self.sending(&after, &by, mailed.clone(), now)?;
            writes.push(ended(&before, Condition::default()));
            writes.push(Write::replace(&after)?);
            writes.append(invited.replaced_by(&after)?);
            writes.note(EntryContent::invitation_sent(&before, &after));
            let writes = writes.making(id);
            let after = after.replaced();
            self.0
                .commit(&context, writes, after)
                .await
        };
        let sent = self
            .0
            .write(pending, read, write)
            .await?;
        let load = async |_| {
            self.0
                .one(&key, InvitationId::NOUN)
                .await
        };
        sent.or_load(load).await
    }

    /// The writes that send an invitation, with its link.
    fn sending(
        self,
        invitation: &Invitation,
        by: &Inviter,
        mailed: MailedLink,
        now: Timestamp,
    ) -> Result<Writes> {
        let tenant = invitation.organization_id;
        let email = &invitation.email;
        invitation.may_be_sent_by(&by.held)?;
        let link = Link {
            hash: mailed.hash.clone(),
            organization_id: tenant,
            purpose: LinkPurpose::Invitation(InvitationLink {
                invitation_id: invitation.id,
                invited_by: by.user.id,
            }),
            ends_at: invitation.ends_at(),
        };
        let letter = Letter::Invitation {
            invited_by: by.user.full_name.clone(),
            role: invitation.role.clone(),
            link: mailed,
            expires_at: link.ends_at,
        };
        let mut writes = Writes::from(Write::create(&link)?);
        writes.push(
            self.0
                .mail_of(tenant, None, email, letter)?,
        );
        let is_free = Write::check(key::email_holder(tenant, &email.key()), Condition::absent());
        writes.push_or(is_free, email_taken());
        let limit = MailLimit {
            of: format!("invitations\n{tenant}"),
            period: span::DAY,
            most: by.most.into(),
        };
        writes.push_or(limit.counted(now), mail_limit(now, limit.period));
        Ok(writes)
    }

    /// Deletes an invitation with its link. 404 if it is another tenant's, 403 for a role beyond
    /// the caller.
    pub async fn delete<H: Future<Output = Result<Held>>>(
        &self,
        pending: impl Pending,
        id: InvitationId,
        by: impl Fn() -> H,
    ) -> Result<()> {
        let pending = pending.into();
        let key = id.key(pending.tenant());
        let read = || async { tokio::try_join!(self.0.read(&key), by()) };
        let write = async |context: WriteContext, (invitation, held): (Option<_>, Held)| {
            let invitation: Stored<Invitation> = context.current(invitation, InvitationId::NOUN)?;
            invitation.may_be_sent_by(&held)?;
            let link = ended(&invitation, Condition::default());
            let writes = vec![Write::forget(&invitation), link];
            self.0
                .commit(&context, writes, ())
                .await
        };
        self.0
            .write(pending, read, write)
            .await?
            .not_replayed()
    }

    /// The invitation of a link. 403 for a dead one.
    pub async fn open(&self, token: &str) -> Result<OpenInvitation> {
        let followed = self
            .0
            .followed(token)
            .await?
            .ok_or_else(refused)?;
        let LinkPurpose::Invitation(link) = followed.purpose else {
            return Err(refused());
        };
        let tenant = followed.organization_id;
        let invitation = link.invitation_id.key(tenant);
        let inviter = link.invited_by.key(tenant);
        let organization = key::organization(tenant);
        let head = key::organization_head(tenant);
        let keys = any_keys![&invitation, &inviter, &organization, head];
        let batch = self.0.batch(keys).await?;
        let open = OpenInvitation {
            invitation: batch
                .get(&invitation)?
                .ok_or_else(refused)?,
            organization: batch
                .get(&organization)?
                .ok_or_else(refused)?
                .record,
            inviter: batch
                .get(&inviter)?
                .ok_or_else(refused)?,
            head: head_in(&batch, tenant)?,
        };
        if !open
            .invitation
            .is_open(&digest(token), &open.inviter)
        {
            return Err(refused());
        }
        // An invitation of an earlier version may have been replaced, and is still there.
        let email = &open.invitation.email;
        let newest_key = key::invited_address(tenant, &address_hash(email));
        let newest = self.0.read(&newest_key).await?;
        if newest.is_some_and(|newest| newest.invitation_id != open.invitation.id) {
            return Err(refused());
        }
        open.organization.works()?;
        Ok(open)
    }

    /// The invitation of a link, as [`open`](Self::open). 403 for one of another organization, too.
    pub async fn open_of(&self, tenant: Tenant, token: &str) -> Result<OpenInvitation> {
        let open = self.open(token).await?;
        let is_own = open.invitation.organization_id == tenant;
        is_own
            .then_some(open)
            .ok_or_else(refused)
    }

    /// Makes the account of an invitation, and begins a session of its user. 403 for a dead
    /// invitation, 409 when the username or the address is taken.
    pub async fn accept(
        &self,
        open: OpenInvitation,
        token: &str,
        new: &Accepted,
        begun: impl Fn(&Sid, &User) -> Session,
    ) -> Result<(Sid, User)> {
        let id = OnceCell::new();
        let begun = &begun;
        let first: Reserved<UserId> = self.0.id_once(&id).await?;
        let read = || async { Ok((first.clone(), self.open(token).await?)) };
        let write = |(id, open): (Reserved<UserId>, OpenInvitation)| async move {
            let id = id.used();
            let now = self.0.now();
            let tenant = open.invitation.organization_id;
            let (user, mut writes) = self.account(&open, id, new, now)?;
            let sid = Sid::generate(&self.0.cell, tenant, id, now);
            writes.push(Write::create(&begun(&sid, &user))?);
            let mut context = WriteContext::from(tenant).with_head(open.head);
            context.actor = Some(id);
            self.0
                .commit(&context, writes, (sid, user))
                .await
        };
        let accepted = retry((first.clone(), open), read, write).await?;
        accepted.not_replayed()
    }

    /// The user of an accepted invitation, and the writes. The account is fresh: the inviter made
    /// it.
    pub(crate) fn account(
        self,
        open: &OpenInvitation,
        id: UserId,
        new: &Accepted,
        now: Timestamp,
    ) -> Result<(User, Writes)> {
        let invitation = &open.invitation;
        let inviter = &open.inviter;
        let new = NewUser {
            username: new.username.clone().into(),
            full_name: new.full_name.clone().into(),
            email: Some(invitation.email.clone()),
            email_verified_at: Some(now),
            role: invitation
                .role
                .known()
                .ok_or_else(refused)?,
            extra_permissions: Vec::new(),
            password_hash: new.password_hash.clone(),
            provider_subject: new.provider_subject.clone(),
        };
        let directory = self.0.directory();
        let tenant = invitation.organization_id;
        let (user, mut writes) = directory.new_user(tenant, id, new, Some(inviter.id))?;
        writes.push(Write::create(&user)?);
        writes.push_or(ended(invitation, Condition::exists()), refused());
        let mut accepted = invitation.clone();
        accepted.accepted_at = Some(now);
        writes.push(Write::replace(&accepted)?);
        let as_read = Condition::version(inviter.version);
        writes.push(Write::check(inviter.key(), as_read));
        writes.note(user.entry_of_new());
        writes.note(EntryContent::accepted(invitation, &user));
        Ok((user, writes))
    }
}

impl Invited {
    /// The writes by which an invitation becomes the newest of its address. The one before it ends.
    fn replaced_by(self, invitation: &Invitation) -> Result<Writes> {
        let address = InvitedAddress {
            organization_id: invitation.organization_id,
            hash: address_hash(&invitation.email),
            invitation_id: invitation.id,
            ends_at: invitation.ends_at(),
        };
        let mut writes = Writes::default();
        writes.push(Write::create_or_replace(self.address, address)?);
        let before = self
            .invitation
            .filter(|before| before.id != invitation.id);
        if let Some(before) = before.filter(|before| before.accepted_at.is_none()) {
            writes.push(ended(&before, Condition::default()));
            writes.push(Write::forget(&before));
        }
        Ok(writes)
    }
}

/// The key of an invited address.
pub(crate) fn address_hash(email: &Email) -> String {
    digest(&email.key())
}

/// Ends the link of an invitation.
fn ended(invitation: &Invitation, expected: Condition) -> Write {
    Write::delete(key::link(&invitation.link_hash), expected)
}

/// 403, whatever is wrong with the link.
fn refused() -> Error {
    let detail = "The invitation is not valid, or no longer. Ask for another one.";
    Error::forbidden(Code::InvitationInvalid, detail)
}
