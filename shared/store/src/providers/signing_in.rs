//! A sign-in by a provider: its user is found by the subject, bound by a verified address, or made.

use serde_json::{Value, json};

use super::Providers;
use crate::{
    NewUser, directory::count_admins, fields::is_same, prelude::*, sessions::end_all,
    sign_in_journal::signed_in,
};

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
}

#[derive(Clone, Debug)]
pub struct SignInClient {
    pub address: String,
    pub user_agent: Option<String>,
    /// The session that the sign-in replaces, if it is of the same user.
    pub replaces: Option<Sid>,
    /// True to tell a user who is bound by mail.
    pub sends_mail: bool,
}

struct Known {
    /// False for a suspended organization.
    works: bool,
    /// True if the subject led to the user, false if the address did.
    by_subject: bool,
    user: Option<Stored<User>>,
    listed: Option<Stored<ListedProvider>>,
    head: ReadHead,
}

/// The user of a sign-in, and the writes that find, bind or make them.
struct Found {
    user: User,
    /// Users made and users bound.
    counts: [i64; 2],
    writes: Writes,
}

impl Providers<'_> {
    /// Signs a user in: finds them by the subject, binds the one of the address, or makes one. Sets the role by
    /// the groups. Returns the id of the session; none if the sign-in is not allowed.
    pub async fn sign_in(
        &self,
        provider: &SignInProvider,
        who: &ProviderUser,
        client: &SignInClient,
    ) -> Result<Option<Sid>> {
        let read = || self.known(provider, who);
        let write = |known: Known| async move {
            let known = &known;
            let sign_in = |keeps_role| self.signed_in(provider, who, client, known, keeps_role);
            match sign_in(false).await {
                Err(error) if is_conflict(&error, Code::LastAdmin) => sign_in(true).await,
                done => done,
            }
        };
        retry(read().await?, read, write).await
    }

    async fn known(&self, provider: &SignInProvider, who: &ProviderUser) -> Result<Known> {
        let tenant = provider.organization_id;
        let of_subject = key::subject_holder(tenant, &hash(&provider.issuer, &who.sub));
        let email = who.email.as_ref().map(Email::key);
        let of_email = email.map(|email| key::email_holder(tenant, &email));
        let (of_listed, organization) = (key::listed_provider(tenant), key::organization(tenant));
        let mut keys = vec![
            AnyKey::from(&of_subject),
            (&of_listed).into(),
            (&organization).into(),
            key::organization_head(tenant).into(),
        ];
        keys.extend(of_email.iter().map(AnyKey::from));
        let batch = self.0.batch(keys).await?;
        let (organization, by_subject) = (batch.get(&organization)?, batch.get(&of_subject)?);
        let by_email = of_email.as_ref().and_then(|key| batch.get(key).transpose());
        let by_email = by_email.transpose()?.map(|holder| holder.user_id);
        let id = by_subject.as_ref().map(|holder| holder.user_id);
        let user = match id.or(by_email) {
            Some(id) => self.0.read(&id.key(tenant)).await?,
            None => None,
        };
        Ok(Known {
            works: organization.is_some_and(|one| one.works().is_ok()),
            by_subject: by_subject.is_some(),
            user,
            listed: batch.get(&of_listed)?,
            head: head_in(&batch, tenant)?,
        })
    }

    /// Writes a sign-in: `Some(None)` for one that is not allowed, `None` if records changed meanwhile.
    async fn signed_in(
        &self,
        provider: &SignInProvider,
        who: &ProviderUser,
        client: &SignInClient,
        known: &Known,
        keeps_role: bool,
    ) -> Result<Option<Option<Sid>>> {
        let context = WriteContext::from(provider.organization_id).with_head(known.head.clone());
        let of_groups = provider.role_of(&who.groups);
        let found = match &known.user {
            _ if !known.works => return Ok(Some(None)),
            Some(user) if user.disabled => return Ok(Some(None)),
            Some(user) if known.by_subject => {
                let subject = user.provider_subject.as_ref();
                let is_by_group = subject.is_some_and(|one| one.by_group);
                if is_by_group && !provider.roles.0.is_empty() && of_groups.is_none() {
                    return self.end_sessions(&context, user).await;
                }
                Some(self.changed(user, of_groups, None, (client, keeps_role))?)
            }
            Some(user) => {
                let may_bind = who.email_verified && user.email_verified_at.is_some();
                if !may_bind || provider.is_of(user) {
                    return Ok(Some(None));
                }
                let subject = subject(provider, who, false);
                Some(self.changed(user, of_groups, Some(subject), (client, keeps_role))?)
            }
            None => None,
        };
        if let Some(found) = found {
            return self.begin(&context, known, client, found).await;
        }
        let Some(role) = of_groups.or(provider.default_role) else {
            return Ok(Some(None));
        };
        let subject = subject(provider, who, of_groups.is_some());
        let id = self.0.next_id().await?.used();
        for username in usernames(who) {
            let found = self.made(&context, id, who, (&username, role, &subject))?;
            match self.begin(&context, known, client, found).await {
                Err(error) if is_conflict(&error, Code::UsernameTaken) => {}
                // Another request gave the address to a user.
                Err(error) if is_conflict(&error, Code::EmailTaken) => return Ok(None),
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
        let (tenant, now) = (user.organization_id, self.0.now());
        let mut after = user.clone();
        let mut writes = Writes::default();
        let counts = [0, i64::from(subject.is_some())];
        if let Some(new) = subject {
            if let Some(old) = &user.provider_subject {
                let old = key::subject_holder(tenant, &hash(&old.issuer, &old.sub));
                writes.push(Write::delete(old, Condition::default()));
            }
            writes.push(Write::create(&holder(user, &new))?);
            let account = key::account(&unique_name::folded(&user.username));
            let issuer = Change::default().set("issuer", new.issuer.as_str());
            writes.push(Write::update(account, issuer, Condition::exists()));
            let subject = json!({"issuer": new.issuer, "sub": new.sub});
            writes.note(sign_in_changed(user.id, [Value::Null, subject]));
            if let Some(email) = user.email.as_ref().filter(|_| client.sends_mail) {
                let letter = Letter::ProviderChanged(AccountChange {
                    username: user.username.clone(),
                    at: now,
                    network: network::shown(&client.address),
                });
                writes.push(self.0.mail_of(tenant, Some(user.id), email, letter)?);
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
        if after.differs_in_access(user) {
            after.access_changed_at = Some(now);
        }
        let (was, is) = (user.is_enabled_admin(), after.is_enabled_admin());
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
        context: &WriteContext,
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
        let (mut user, mut writes) = self.0.directory().new_user(context.tenant, id, new, None)?;
        // The provider's administrators may act through it.
        user.access_changed_at = Some(now);
        user.note_provider_sign_in(now);
        writes.push(Write::create(&user)?);
        writes.push(Write::create(&holder(&user, subject))?);
        writes.note(user.entry_of_new());
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
        known: &Known,
        client: &SignInClient,
        found: Found,
    ) -> Result<Option<Option<Sid>>> {
        let (user, [made, bound], mut writes) = (found.user, found.counts, found.writes);
        let (tenant, now) = (context.tenant, self.0.now());
        let sid = Sid::generate(&self.0.cell, tenant, user.id, now);
        let session = Session::begin(&sid, &user, now)
            .from(client.address.clone(), client.user_agent.clone())
            .by(SignInMethod::Oidc);
        writes.push(Write::create(&session)?);
        writes.push(signed_in(&session, SignInMethod::Oidc)?);
        let replaced = client.replaces.as_ref();
        if let Some(old) = replaced.filter(|old| (old.organization, old.user) == (tenant, user.id))
        {
            let old = key::session(tenant, user.id, &old.hash());
            writes.push(Write::delete(old, Condition::default()));
        }
        if let Some(listed) = &known.listed {
            let admin = user.is_enabled_admin() && listed.admin != Some(user.id);
            let mut change = Change::default().add("users", made).add("bound", bound);
            if admin {
                change = change.set("admin", user.id);
            }
            if admin || bound > 0 {
                let key = key::listed_provider(tenant);
                writes.push(Write::update(key, change, Condition::exists()));
            }
        }
        let done = self.0.commit(context, writes, Some(sid)).await?;
        done.map(Created::not_replayed).transpose()
    }

    /// Ends the sessions and tokens of a user who lost the groups that made the account.
    async fn end_sessions(
        self,
        context: &WriteContext,
        user: &Stored<User>,
    ) -> Result<Option<Option<Sid>>> {
        let as_read = Condition::version(user.version);
        let ended = Write::update(user.key(), end_all(Change::default()), as_read);
        let event = OrganizationEvent::SessionsEnded;
        let why = json!({"reason": "no group of the user leads to a role"});
        let subjects = model::Journaled::subjects(&user.record);
        let entry = EntryContent::noted(event, subjects, [Value::Null, why]);
        let writes = Writes::from(ended).noting(entry);
        let done = self.0.commit(context, writes, None).await?;
        done.map(Created::not_replayed).transpose()
    }
}

/// The hash of a subject, by which its user is found.
pub(crate) fn hash(issuer: &str, sub: &str) -> String {
    digest(&format!("{issuer}\n{sub}"))
}

fn subject(provider: &SignInProvider, who: &ProviderUser, by_group: bool) -> ProviderSubject {
    ProviderSubject {
        issuer: provider.issuer.to_string(),
        sub: who.sub.clone(),
        by_group,
        signed_in_at: None,
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
    own.retain(|one| one.is_ascii_alphanumeric());
    let own = Username::try_from(format!("user-{own}"));
    who.usernames.iter().cloned().chain(own).collect()
}

fn sign_in_changed(user: UserId, change: [Value; 2]) -> EntryContent {
    let subjects = vec![model::journal::subject::user(user)];
    EntryContent::noted(OrganizationEvent::SignInChanged, subjects, change)
}

fn is_conflict(error: &Error, of: Code) -> bool {
    matches!(error, Error::Conflict { code, .. } if *code == of)
}
