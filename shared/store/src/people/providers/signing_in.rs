//! A sign-in by a provider: its user is found by the subject, bound from the user's own session, or
//! made.

use model::{
    base::{
        Code, Email, Error, FullName, OrganizationId, Timestamp, UserId, Username, network, random,
        unique_name,
    },
    people::{
        EntryContent, OrganizationEvent, PasswordHash, ProviderSubject, Role, Session, Sid,
        SignInFault, SignInMethod, SignInProvider, User, digest,
    },
    updates::{AccountChange, Letter},
};
use serde_json::{Value, json};
use table::{AnyKey, Condition, Record, Stored, UpdateExpression, Write};

use crate::{
    Result, Tenant,
    base::{
        WriteContext,
        fields::is_same,
        idempotency::Created,
        records::{ListedProvider, ReadHead, SubjectHolder},
        retry::retry,
        tracked::Tracked,
        writes::Writes,
    },
    key::{self, Keyed},
    people::{
        Accepted, NewUser, OpenInvitation, directory::count_admins, journal::head_in,
        sessions::end_all, sign_in_journal::signed_in,
    },
};

use super::Providers;

/// A user as a provider names them.
#[derive(Clone, Debug)]
pub struct ProviderUser {
    pub sub: String,
    pub email: Option<Email>,
    /// True if the provider verified the address.
    pub email_verified: bool,
    pub full_name: Option<FullName>,
    /// Usernames of a new user, the best first.
    pub usernames: Vec<Username>,
    pub groups: Vec<String>,
    /// When the user showed credentials, as far as the provider says so.
    pub signed_in_at: Option<Timestamp>,
}

/// The purpose of a sign-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignInPurpose {
    /// To begin a session.
    Session,
    /// To bind this user, whose session began the sign-in.
    Connect(UserId),
    /// To accept the invitation of this token.
    Invitation(String),
}

#[derive(Clone, Debug)]
pub struct SignInClient {
    pub address: String,
    pub user_agent: Option<String>,
    /// The valid session of the browser.
    pub session: Option<BrowserSession>,
    /// True if the new session replaces the browser's.
    pub replaces: bool,
    /// True to tell a user who is bound by mail.
    pub sends_mail: bool,
}

/// The session that a browser holds already.
#[derive(Clone, Debug)]
pub struct BrowserSession {
    pub organization: OrganizationId,
    pub user: UserId,
    pub sid_hash: String,
}

struct Known {
    /// False for a suspended organization.
    works: bool,
    /// The user of the subject.
    of_subject: Option<Stored<User>>,
    /// The user who binds the own account.
    connecting: Option<Stored<User>>,
    /// The invitation that the user accepts.
    invitation: Option<OpenInvitation>,
    /// True if a user of the organization has the address.
    has_address: bool,
    listed: Option<Stored<ListedProvider>>,
    head: ReadHead,
}

/// The session of a sign-in, or the reason why there is none.
type SignInResult = Result<Sid, SignInFault>;

/// The result of an attempt to write a sign-in. None if records changed meanwhile.
type Attempt = Result<Option<SignInResult>>;

/// The user of a sign-in, and the writes that find, bind or make them.
struct Found {
    user: User,
    /// Users made and users bound.
    counts: [i64; 2],
    writes: Writes,
}

impl SignInClient {
    /// True if the browser has a session of another user. It would be replaced without a word to
    /// its user.
    fn is_of_another(&self, tenant: Tenant, user: Option<UserId>) -> bool {
        let session = self.session.as_ref();
        session.is_some_and(|session| (session.organization, Some(session.user)) != (tenant, user))
    }
}

impl Providers<'_> {
    /// Signs a user in: finds them by the subject, binds the one whose session began it, or makes
    /// one. Sets the role by the groups. Returns the id of the session, or the reason why the
    /// sign-in is refused.
    pub async fn sign_in(
        &self,
        provider: &SignInProvider,
        who: &ProviderUser,
        purpose: &SignInPurpose,
        client: &SignInClient,
    ) -> Result<SignInResult> {
        let read = || self.known(provider, who, purpose);
        let write = |records: Known| async move {
            let records = &records;
            let sign_in = |keeps_role| {
                let client = (client, keeps_role);
                self.signed_in(provider, who, purpose, client, records)
            };
            match sign_in(false).await {
                Err(error) if is_conflict(&error, Code::LastAdmin) => sign_in(true).await,
                done => done,
            }
        };
        retry(read().await?, read, write).await
    }

    async fn known(
        &self,
        provider: &SignInProvider,
        who: &ProviderUser,
        purpose: &SignInPurpose,
    ) -> Result<Known> {
        let tenant = provider.organization_id;
        let of_subject = key::subject_holder(tenant, &hash(&provider.issuer, &who.sub));
        let email = who.email.as_ref().map(Email::key);
        let of_email = email.map(|email| key::email_holder(tenant, &email));
        let of_listed = key::listed_provider(tenant);
        let organization = key::organization(tenant);
        let mut keys = vec![
            AnyKey::from(&of_subject),
            (&of_listed).into(),
            (&organization).into(),
            key::organization_head(tenant).into(),
        ];
        keys.extend(of_email.iter().map(AnyKey::from));
        let batch = self.0.batch(keys).await?;
        let organization = batch.get(&organization)?;
        let holder = batch.get(&of_subject)?;
        let has_address = match &of_email {
            Some(of_email) => batch.get(of_email)?.is_some(),
            None => false,
        };
        let user = async |id: Option<UserId>| match id {
            Some(id) => self.0.read(&id.key(tenant)).await,
            None => Ok(None),
        };
        let connecting = match purpose {
            SignInPurpose::Connect(user) => Some(*user),
            _ => None,
        };
        let (of_subject, connecting, invitation) = tokio::try_join!(
            user(holder.map(|holder| holder.user_id)),
            user(connecting),
            self.invitation(tenant, purpose),
        )?;
        Ok(Known {
            works: organization.is_some_and(|organization| organization.works().is_ok()),
            of_subject,
            connecting,
            invitation,
            has_address,
            listed: batch.get(&of_listed)?,
            head: head_in(&batch, tenant)?,
        })
    }

    /// Returns the invitation that a sign-in accepts. None for a dead one.
    async fn invitation(
        &self,
        tenant: Tenant,
        purpose: &SignInPurpose,
    ) -> Result<Option<OpenInvitation>> {
        let SignInPurpose::Invitation(token) = purpose else {
            return Ok(None);
        };
        match self
            .0
            .invitations()
            .open_of(tenant, token)
            .await
        {
            Ok(open) => Ok(Some(open)),
            Err(Error::Forbidden { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a sign-in.
    async fn signed_in(
        &self,
        provider: &SignInProvider,
        who: &ProviderUser,
        purpose: &SignInPurpose,
        (client, keeps_role): (&SignInClient, bool),
        records: &Known,
    ) -> Attempt {
        let tenant = provider.organization_id;
        let context = WriteContext::from(tenant).with_head(records.head.clone());
        let refused = |fault| Ok(Some(Err(fault)));
        let not_allowed = || refused(SignInFault::SignInNotAllowed);
        if !records.works {
            return not_allowed();
        }
        let now = self.0.now();
        let of_groups = provider.role_of(&who.groups);
        if let Some(user) = &records.of_subject {
            let is_wanted = match purpose {
                SignInPurpose::Session => true,
                SignInPurpose::Connect(wanted) => *wanted == user.id,
                SignInPurpose::Invitation(_) => false,
            };
            if user.disabled || !is_wanted {
                return not_allowed();
            }
            if client.is_of_another(tenant, Some(user.id)) {
                return refused(SignInFault::OtherUser);
            }
            let subject = user.provider_subject.as_ref();
            let is_by_group = subject.is_some_and(|subject| subject.by_group);
            if is_by_group && !provider.roles.0.is_empty() && of_groups.is_none() {
                return self.end_sessions(&context, user).await;
            }
            let user_change = self.changed(user, of_groups, None, (client, keeps_role))?;
            return self
                .begin(&context, records, (who, client), user_change)
                .await;
        }
        match purpose {
            SignInPurpose::Connect(_) => {
                let user = records.connecting.as_ref();
                let user = user.filter(|user| !user.disabled && !provider.is_of(user));
                let Some(user) = user else {
                    return not_allowed();
                };
                if client.is_of_another(tenant, Some(user.id)) {
                    return refused(SignInFault::OtherUser);
                }
                let subject = subject(provider, who, false, now);
                let user_change =
                    self.changed(user, of_groups, Some(subject), (client, keeps_role))?;
                self.begin(&context, records, (who, client), user_change)
                    .await
            }
            _ if client.is_of_another(tenant, None) => refused(SignInFault::OtherUser),
            SignInPurpose::Invitation(_) => {
                let Some(invitation) = &records.invitation else {
                    return not_allowed();
                };
                let subject = subject(provider, who, false, now);
                let make = |id, username: &Username| {
                    self.invited(invitation, id, who, (username, &subject))
                };
                self.begin_new(&context, records, (who, client), make)
                    .await
            }
            SignInPurpose::Session => {
                let role = of_groups.or(provider.default_role);
                let Some(role) = role.filter(|_| !records.has_address) else {
                    return not_allowed();
                };
                let subject = subject(provider, who, of_groups.is_some(), now);
                let make = |id, username: &Username| {
                    self.made(tenant, id, who, (username, role, &subject))
                };
                self.begin_new(&context, records, (who, client), make)
                    .await
            }
        }
    }

    /// Makes a user under the first username that is free, and begins the session.
    async fn begin_new(
        &self,
        context: &WriteContext,
        records: &Known,
        (who, client): (&ProviderUser, &SignInClient),
        make: impl Fn(UserId, &Username) -> Result<Found>,
    ) -> Attempt {
        let id = self.0.next_id().await?.used();
        for username in usernames(who) {
            let user_change = make(id, &username)?;
            match self
                .begin(context, records, (who, client), user_change)
                .await
            {
                Err(error) if is_conflict(&error, Code::UsernameTaken) => {}
                // Another user has the address of the token, or that of the invitation.
                Err(error) if is_conflict(&error, Code::EmailTaken) => {
                    return Ok(Some(Err(SignInFault::SignInNotAllowed)));
                }
                Err(Error::Forbidden { .. }) => return Ok(None),
                done => return done,
            }
        }
        Ok(None)
    }

    /// A user who was there, with the role of their groups, and bound to a subject if it is new.
    fn changed(
        self,
        user: &Stored<User>,
        of_groups: Option<Role>,
        subject: Option<ProviderSubject>,
        (client, keeps_role): (&SignInClient, bool),
    ) -> Result<Found> {
        let tenant = user.organization_id;
        let now = self.0.now();
        let mut after = user.clone();
        let mut writes = Writes::default();
        let binds = subject.is_some();
        let counts = [0, i64::from(binds)];
        if let Some(new) = subject {
            if let Some(old) = &user.provider_subject {
                let old = key::subject_holder(tenant, &hash(&old.issuer, &old.sub));
                writes.push(Write::delete(old, Condition::default()));
            }
            writes.push(Write::create(&holder(user, &new))?);
            let account = key::account(&unique_name::key(&user.username));
            let issuer = UpdateExpression::default().set("issuer", new.issuer.as_str());
            writes.push(Write::update(account, issuer, Condition::exists()));
            let subject = json!({"issuer": new.issuer, "sub": new.sub});
            writes.note(sign_in_changed(user.id, [Value::Null, subject]));
            if let Some(email) = user
                .email
                .as_ref()
                .filter(|_| client.sends_mail)
            {
                let letter = Letter::ProviderChanged(AccountChange {
                    username: user.username.clone(),
                    at: now,
                    network: network::shown(&client.address),
                });
                writes.push(
                    self.0
                        .mail_of(tenant, Some(user.id), email, letter)?,
                );
            }
            after.provider_subject = Some(new);
        }
        match of_groups {
            Some(role) if keeps_role => {
                let before = json!({"role": user.role, "roleOfGroups": role});
                let after = json!({"role": user.role, "reason": "the last admin keeps the role"});
                writes.note(sign_in_changed(user.id, [before, after]));
            }
            Some(role) => after.role = role.into(),
            None => {}
        }
        // Whoever controls the provider may act through a bound account.
        if binds || after.differs_in_access(user) {
            after.access_changed_at = Some(now);
        }
        let was = user.is_enabled_admin();
        let is = after.is_enabled_admin();
        writes.append(count_admins(tenant, was, is));
        writes.note(User::entry_of_change(user, &after));
        let has_changed = !is_same(&user.record, &after.record)?;
        if has_changed {
            after.updated_at = now;
        }
        if after.note_provider_sign_in(now) || has_changed {
            writes.push(Write::replace(&after)?);
        }
        Ok(Found {
            user: after.record,
            counts,
            writes,
        })
    }

    fn made(
        self,
        tenant: Tenant,
        id: UserId,
        who: &ProviderUser,
        (username, role, subject): (&Username, Role, &ProviderSubject),
    ) -> Result<Found> {
        let now = self.0.now();
        let full_name = who.full_name.clone().map(String::from);
        let new = NewUser {
            username: username.to_string(),
            full_name: full_name.unwrap_or_else(|| username.to_string()),
            email: who.email.clone(),
            email_verified_at: who.email_verified.then_some(now),
            role,
            extra_permissions: Vec::new(),
            password_hash: PasswordHash::unusable(),
            provider_subject: Some(subject.clone()),
        };
        let (mut user, mut writes) = self
            .0
            .directory()
            .new_user(tenant, id, new, None)?;
        // The provider's administrators may act through it.
        user.access_changed_at = Some(now);
        writes.push(Write::create(&user)?);
        writes.push(Write::create(&holder(&user, subject))?);
        writes.note(user.entry_of_new());
        Ok(Found {
            user,
            counts: [1, 1],
            writes,
        })
    }

    /// A user who accepts an invitation, with its role and address, and the names of the token.
    fn invited(
        self,
        invitation: &OpenInvitation,
        id: UserId,
        who: &ProviderUser,
        (username, subject): (&Username, &ProviderSubject),
    ) -> Result<Found> {
        let of_invitation = || invitation.invitation.full_name.clone();
        let full_name = who
            .full_name
            .clone()
            .or_else(of_invitation);
        let full_name = full_name.or_else(|| FullName::try_from(username.to_string()).ok());
        let account = Accepted {
            username: username.clone(),
            full_name: full_name.ok_or_else(|| Error::internal("naming a user", "no name"))?,
            password_hash: PasswordHash::unusable(),
            provider_subject: Some(subject.clone()),
        };
        let invitations = self.0.invitations();
        let (user, mut writes) = invitations.account(invitation, id, &account, self.0.now())?;
        writes.push(Write::create(&holder(&user, subject))?);
        Ok(Found {
            user,
            counts: [1, 1],
            writes,
        })
    }

    /// Begins the session of a user, with what was found.
    async fn begin(
        self,
        context: &WriteContext,
        records: &Known,
        (who, client): (&ProviderUser, &SignInClient),
        user_change: Found,
    ) -> Attempt {
        let user = user_change.user;
        let [made, bound] = user_change.counts;
        let mut writes = user_change.writes;
        let tenant = context.tenant;
        let now = self.0.now();
        let sid = Sid::generate(&self.0.cell, tenant, user.id, now);
        let session = Session::begin(&sid, &user, now)
            .from(client.address.clone(), client.user_agent.clone())
            .by_provider(who.signed_in_at);
        writes.push(Write::create(&session)?);
        writes.push(signed_in(&session, SignInMethod::Oidc)?);
        if let Some(old) = client
            .session
            .as_ref()
            .filter(|_| client.replaces)
        {
            let old = key::session(tenant, user.id, &old.sid_hash);
            writes.push(Write::delete(old, Condition::default()));
        }
        if records.listed.is_some() && bound > 0 {
            let change = UpdateExpression::default()
                .add("users", made)
                .add("bound", bound);
            let key = key::listed_provider(tenant);
            writes.push(Write::update(key, change, Condition::exists()));
        }
        let done = self
            .0
            .commit(context, writes, Ok(sid))
            .await?;
        done.map(Created::not_replayed)
            .transpose()
    }

    /// Ends the sessions and tokens of a user who lost the groups that made the account.
    async fn end_sessions(self, context: &WriteContext, user: &Stored<User>) -> Attempt {
        let as_read = Condition::version(user.version);
        let ended = Write::update(user.key(), end_all(UpdateExpression::default()), as_read);
        let event = OrganizationEvent::SessionsEnded;
        let why = json!({"reason": "no group of the user leads to a role"});
        let subjects = model::people::Journaled::subjects(&user.record);
        let entry = EntryContent::noted(event, subjects, [Value::Null, why]);
        let writes = Writes::from(ended).noting(entry);
        let refused = Err(SignInFault::SignInNotAllowed);
        let done = self
            .0
            .commit(context, writes, refused)
            .await?;
        done.map(Created::not_replayed)
            .transpose()
    }
}

/// The hash of a subject, by which its user is found.
pub(crate) fn hash(issuer: &str, sub: &str) -> String {
    digest(&format!("{issuer}\n{sub}"))
}

fn subject(
    provider: &SignInProvider,
    who: &ProviderUser,
    by_group: bool,
    now: Timestamp,
) -> ProviderSubject {
    ProviderSubject {
        issuer: provider.issuer.to_string(),
        sub: who.sub.clone(),
        by_group,
        signed_in_at: Some(now),
    }
}

fn holder(user: &User, subject: &ProviderSubject) -> SubjectHolder {
    SubjectHolder {
        organization_id: user.organization_id,
        hash: hash(&subject.issuer, &subject.sub),
        user_id: user.id,
    }
}

/// The usernames of a new user: those of the provider, then a random one.
fn usernames(who: &ProviderUser) -> Vec<Username> {
    let mut own = random::token().to_ascii_lowercase();
    own.retain(|character| character.is_ascii_alphanumeric());
    let own = Username::try_from(format!("user-{own}"));
    who.usernames
        .iter()
        .cloned()
        .chain(own)
        .collect()
}

fn sign_in_changed(user: UserId, change: [Value; 2]) -> EntryContent {
    let subjects = vec![model::people::journal::subject::user(user)];
    EntryContent::noted(OrganizationEvent::SignInChanged, subjects, change)
}

fn is_conflict(error: &Error, of: Code) -> bool {
    matches!(error, Error::Conflict { code, .. } if *code == of)
}
