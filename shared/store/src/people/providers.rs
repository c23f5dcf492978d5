//! The providers by which organizations' users sign in, and these sign-ins.

use model::{
    base::{Code, Error, OrganizationId, SealedSecret, SentSecret, Timestamp, UserId},
    people::{
        EntryContent, Held, OrganizationEvent, PasswordSignIn, ProviderDiscovery, SignInMethod,
        SignInProvider, SignInPut, User, digest,
    },
};
use table::{AnyKey, Condition, Record, Stored, UpdateExpression, Write, attribute};
use tokio::sync::OnceCell;

use crate::{
    Result, Tenant,
    base::{
        Pending, WriteContext,
        record::{any_keys, record},
        records::{ListedProvider, ReadHead, SubjectHolder, UsedState},
        retry::retry,
        store::resource,
        writes::Writes,
    },
    key::{self, Keyed},
    people::journal::head_in,
};

mod discovery;
mod signing_in;

pub use discovery::SignInSettings;
pub(crate) use signing_in::hash as subject_hash;
pub use signing_in::{BrowserSession, ProviderUser, SignInClient, SignInPurpose};

resource! { pub Providers as providers }

record! {
    provider: SignInProvider = "sign_in_provider",
    key: key::sign_in_provider(provider.organization_id),
    hidden: ["organizationId", "clientSecret", "discovery", "identitySetBy", "leaversSince"],
}

record! {
    holder: SubjectHolder = "subject_holder",
    key: key::subject_holder(holder.organization_id, &holder.hash),
}

record! {
    listed: ListedProvider = "listed_provider",
    key: key::listed_provider(listed.organization_id),
}

record! {
    state: UsedState = "used_state",
    key: key::used_state(&state.hash),
    expires_at: Some(state.ends_at.epoch_seconds() + 1),
}

/// The ways in which a username may sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignInWays {
    pub passwords: bool,
    pub provider: Option<OrganizationId>,
    /// False for the ways of a username that does not exist. No answer says so.
    pub is_real: bool,
}

type Found = (
    Option<Stored<SignInProvider>>,
    Option<Stored<ListedProvider>>,
    ReadHead,
);

impl Providers<'_> {
    /// Returns an organization's provider. 404 without one.
    pub async fn get(&self, tenant: Tenant) -> Result<Stored<SignInProvider>> {
        let key = key::sign_in_provider(tenant);
        self.0
            .one(&key, SignInProvider::NOUN)
            .await
    }

    /// Returns the organization's provider for a test. 404 without one. A replay tests again.
    pub async fn to_test(&self, pending: impl Pending) -> Result<Stored<SignInProvider>> {
        let (pending, tenant) = pending.with_tenant();
        self.0
            .read_only(pending, || self.get(tenant))
            .await
    }

    /// Returns true if the organization's provider has this issuer, and its discovery document is
    /// stored.
    pub async fn has_discovery_of(&self, tenant: Tenant, issuer: &str) -> Result<bool> {
        let provider = self
            .0
            .read(&key::sign_in_provider(tenant))
            .await?;
        let provider = provider.filter(|provider| *provider.issuer == *issuer);
        Ok(provider.is_some_and(|provider| provider.discovery().is_some()))
    }

    /// Checks that the user may have a password. 403 `password_sign_in_off` otherwise.
    pub async fn check_password(&self, user: &User) -> Result<()> {
        let provider_key = key::sign_in_provider(user.organization_id);
        let provider = self.0.read(&provider_key).await?;
        if provider.is_some_and(|provider| provider.forbids_password(user)) {
            return Err(passwords_are_off());
        }
        Ok(())
    }

    /// Returns true if new users of the organization have no password.
    pub async fn are_passwords_off(&self, tenant: Tenant) -> Result<bool> {
        let provider = self
            .0
            .read(&key::sign_in_provider(tenant))
            .await?;
        Ok(provider.is_some_and(|provider| provider.passwords == PasswordSignIn::Off))
    }

    /// As [`check_password`](Self::check_password), of a new user.
    pub async fn check_new_password(&self, tenant: Tenant) -> Result<()> {
        if self.are_passwords_off(tenant).await? {
            return Err(passwords_are_off());
        }
        Ok(())
    }

    async fn found(&self, tenant: Tenant) -> Result<Found> {
        let provider = key::sign_in_provider(tenant);
        let listed = key::listed_provider(tenant);
        let keys = any_keys![&provider, &listed, key::organization_head(tenant)];
        let batch = self.0.batch(keys).await?;
        let head = head_in(&batch, tenant)?;
        Ok((batch.get(&provider)?, batch.get(&listed)?, head))
    }

    /// Sets the organization's provider on behalf of one with the permissions `by`. `discovery` is
    /// none if the provider gave no answer, and then the stored one stays. `seal` encrypts a new
    /// secret, once, when the write is authorized. 403 for a role above the caller's. 404 if there
    /// is none and the request expects a version. 409 if passwords are to be off before an admin
    /// signed in by the provider.
    pub async fn put<S, H>(
        &self,
        pending: impl Pending,
        put: &SignInPut,
        discovery: Option<ProviderDiscovery>,
        by: impl Fn() -> H,
        seal: impl Fn(SentSecret) -> S,
    ) -> Result<Stored<SignInProvider>>
    where
        S: Future<Output = Result<String>>,
        H: Future<Output = Result<Held>>,
    {
        let (pending, tenant) = pending.with_tenant();
        // A write that starts over keeps its ciphertext.
        let sealed = OnceCell::new();
        let sealed = async |set_at| {
            let Some(secret) = put.client_secret.clone() else {
                return Ok::<_, Error>(None);
            };
            let ciphertext = sealed
                .get_or_try_init(|| seal(secret))
                .await?
                .clone();
            Ok(Some(SealedSecret { ciphertext, set_at }))
        };
        let read = || async { tokio::try_join!(self.found(tenant), by()) };
        let write = async |context: WriteContext, ((stored, listed, head), by): (Found, Held)| {
            for role in put.given() {
                by.may_give(role, &[])?;
            }
            let context = context.with_head(head);
            let stored = match stored {
                None if context.conditions.if_match.is_none() => None,
                stored => Some(context.current(stored, SignInProvider::NOUN)?),
            };
            let now = self.0.now();
            let before = stored.as_deref();
            let secret = sealed(now).await?;
            let set = (context.actor, now);
            let provider = put.applied_to(before, tenant, secret, discovery.clone(), set);
            let provider = provider.map_err(Error::invalid)?;
            self.check_password_admins(&provider)
                .await?;
            if provider.passwords == PasswordSignIn::Off {
                self.check_caller(&provider, &context)
                    .await?;
            }
            let event = OrganizationEvent::SignInChanged;
            let changed = |before| EntryContent::changed(event, before, &provider);
            let created = || Some(EntryContent::created(event, &provider));
            let entry = before.map_or_else(created, changed);
            let mut writes = Writes::default();
            let is_read_anew = before.is_none_or(|before| before.discovery != provider.discovery);
            if entry.is_some() || is_read_anew {
                let discovered_at = discovery.as_ref().map(|_| now);
                writes.push(
                    self.listing(&provider, listed, discovered_at)
                        .await?,
                );
            }
            if entry.is_some() {
                let leavers = attribute(&provider.leavers())?;
                let leavers = UpdateExpression::default().set_attribute("leavers", leavers);
                writes.push(Write::update(
                    key::organization(tenant),
                    leavers,
                    Condition::exists(),
                ));
            }
            let writes = writes.noting(entry);
            let stored = stored.unwrap_or_else(|| Stored::unwritten(provider.clone()));
            let after = stored.clone().map(|_| provider);
            self.0
                .commit_change(&context, stored, after, writes)
                .await
        };
        self.0
            .write(pending, read, write)
            .await?
            .not_replayed()
    }

    /// Checks that each admin who keeps a password is one. 400 otherwise.
    async fn check_password_admins(&self, provider: &SignInProvider) -> Result<()> {
        let key = |id: UserId| id.key(provider.organization_id);
        let admins = self.0.batch(
            provider
                .password_admins
                .iter()
                .map(|id| AnyKey::from(key(*id))),
        );
        let admins = admins.await?;
        for id in &provider.password_admins {
            let admin = admins.named(&key(*id));
            if !admin.is_some_and(|admin| admin.is_enabled_admin()) {
                return Err(Error::invalid(SignInPut::no_password_admin(*id)));
            }
        }
        Ok(())
    }

    /// Checks that the caller signed in by the provider. 409 otherwise.
    async fn check_caller(&self, provider: &SignInProvider, context: &WriteContext) -> Result<()> {
        let credential = context.credential.as_deref();
        let method = credential.and_then(|credential| credential.method);
        if let (Some(SignInMethod::Oidc), Some(caller)) = (method, context.actor) {
            let caller = self
                .0
                .read(&caller.key(provider.organization_id))
                .await?;
            if caller.is_some_and(|caller| provider.is_of(&caller)) {
                return Ok(());
            }
        }
        let detail = "Sign in by the provider first, so that it is known to work.";
        Err(Error::conflict(Code::NoAdminSignedIn, detail))
    }

    async fn listing(
        &self,
        provider: &SignInProvider,
        before: Option<Stored<ListedProvider>>,
        discovered_at: Option<Timestamp>,
    ) -> Result<Write> {
        let tenant = provider.organization_id;
        let users = self
            .0
            .table
            .list(key::users(tenant).places())
            .await?
            .len();
        let same = before.as_deref();
        let same = same.filter(|listed| listed.issuer == *provider.issuer);
        let listed = ListedProvider {
            organization_id: tenant,
            issuer: provider.issuer.to_string(),
            passwords: provider.passwords,
            password_admins: provider.password_admins.clone(),
            users: i64::try_from(users).unwrap_or(i64::MAX),
            bound: same.map_or(0, |listed| listed.bound),
            discovered_at: discovered_at.or(same.and_then(|listed| listed.discovered_at)),
            discovery_tried_at: None,
            silent_until: None,
        };
        Write::create_or_replace(before, listed)
    }

    /// Deletes the provider. Its users keep their sessions, and sign in by password again. 404
    /// without one.
    pub async fn delete(&self, pending: impl Pending) -> Result<()> {
        let (pending, tenant) = pending.with_tenant();
        let read = || self.found(tenant);
        let write = async |context: WriteContext, (stored, _, head): Found| {
            let context = context.with_head(head);
            let provider = context.current(stored, SignInProvider::NOUN)?;
            let writes = Writes::from(vec![
                Write::delete(provider.key(), Condition::version(provider.version)),
                Write::delete(key::listed_provider(tenant), Condition::default()),
                Write::update(
                    key::organization(tenant),
                    UpdateExpression::default().remove("leavers"),
                    Condition::exists(),
                ),
            ]);
            let entry = EntryContent::deleted(OrganizationEvent::SignInChanged, &provider.record);
            self.0
                .commit(&context, writes.noting(entry), ())
                .await
        };
        self.0
            .write(pending, read, write)
            .await?
            .not_replayed()
    }

    /// Allows passwords beside the provider again, on behalf of the operator. 404 without a
    /// provider.
    pub async fn allow_passwords(&self, tenant: Tenant) -> Result<()> {
        let read = || self.found(tenant);
        let write = |(stored, listed, head): Found| async move {
            let context = WriteContext::of_operator(tenant).with_head(head);
            let before = context.current(stored, SignInProvider::NOUN)?;
            let mut after = before.clone();
            after.passwords = PasswordSignIn::Allowed;
            let event = OrganizationEvent::SignInChanged;
            let entry = EntryContent::changed(event, &before.record, &after.record);
            let mut writes = Writes::default().noting(entry);
            if let Some(mut listed) = listed {
                listed.passwords = PasswordSignIn::Allowed;
                writes.push(Write::replace(&listed)?);
            }
            self.0
                .commit_change(&context, before, after, writes)
                .await
        };
        let done = retry(read().await?, read, write).await?;
        done.not_replayed()
            .map(|_: Stored<SignInProvider>| ())
    }

    /// Notes that a state was used. Returns false if it was used before.
    pub async fn use_state(&self, state: &str, ends_at: Timestamp) -> Result<bool> {
        let hash = digest(state);
        let used = Write::create(&UsedState { hash, ends_at })?;
        Ok(self.0.table.write(used).await?.is_ok())
    }

    /// Returns the ways in which an invitation of the organization is accepted.
    pub async fn ways_of_invitation(&self, tenant: Tenant) -> Result<SignInWays> {
        let listed = self
            .0
            .read(&key::listed_provider(tenant))
            .await?;
        let passwords = listed
            .as_ref()
            .map(|listed| listed.passwords);
        Ok(SignInWays {
            passwords: passwords.unwrap_or_default() == PasswordSignIn::Allowed,
            provider: listed.map(|listed| listed.organization_id),
            is_real: true,
        })
    }

    /// Returns the ways in which a username signs in. An unknown one has the way of `decoy`, its
    /// number, in the proportion of users.
    pub async fn ways_of(&self, username: &str, decoy: u64) -> Result<SignInWays> {
        let (account, last, listed) = tokio::try_join!(
            async { self.0.sign_in().account(username).await },
            self.0.last_id::<UserId>(),
            self.0
                .table
                .list(key::listed_providers()),
        )?;
        let Some(account) = account else {
            return Ok(decoy_among(&listed, last, decoy));
        };
        let mut listed = listed.iter();
        let own = listed.find(|provider| provider.organization_id == account.organization_id);
        Ok(SignInWays {
            passwords: own.is_none_or(|own| {
                let is_named = own
                    .password_admins
                    .contains(&account.user_id);
                own.passwords == PasswordSignIn::Allowed || is_named
            }),
            provider: own.map(|own| own.organization_id),
            is_real: true,
        })
    }
}

fn passwords_are_off() -> Error {
    let detail = "The organization has passwords off. Its users sign in by its provider.";
    Error::forbidden(Code::PasswordSignInOff, detail)
}

/// Returns the way of a username that does not exist. Its number falls among the users of the
/// deployment: those of each provider, those who sign in by it first, and those without.
fn decoy_among(listed: &[ListedProvider], users: i64, decoy: u64) -> SignInWays {
    let of_providers: i64 = listed
        .iter()
        .map(|provider| provider.users)
        .sum();
    let all_users = users.max(of_providers).max(1);
    let place = i128::from(decoy) * i128::from(all_users) / (i128::from(u64::MAX) + 1);
    let mut left = i64::try_from(place).unwrap_or_default();
    let of_place = listed.iter().find(|provider| {
        left -= provider.users;
        left < 0
    });
    SignInWays {
        passwords: of_place.is_none_or(|provider| {
            let is_named = usize::try_from(left + provider.users)
                .is_ok_and(|place| place < provider.password_admins.len());
            provider.passwords == PasswordSignIn::Allowed || is_named
        }),
        provider: of_place.map(|provider| provider.organization_id),
        is_real: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::base::Id;

    fn listed(id: i64, users: i64, bound: i64, passwords: PasswordSignIn) -> ListedProvider {
        ListedProvider {
            organization_id: OrganizationId::new(id).unwrap(),
            issuer: "https://login.example.com".to_owned(),
            passwords,
            password_admins: UserId::new(id).into_iter().collect(),
            users,
            bound,
            discovered_at: None,
            discovery_tried_at: None,
            silent_until: None,
        }
    }

    #[test]
    fn names_that_do_not_exist_have_the_ways_of_users_in_their_proportion() {
        let providers = [
            listed(1, 30, 20, PasswordSignIn::Off),
            listed(2, 10, 10, PasswordSignIn::Allowed),
        ];
        let mut counts = [0; 4];
        for number in 0..100_u64 {
            let decoy = number * (u64::MAX / 100 + 1);
            let ways = decoy_among(&providers, 100, decoy);
            let provider = ways.provider.map(OrganizationId::get);
            counts[match (provider, ways.passwords) {
                (Some(1), false) => 0,
                (Some(1), true) => 1,
                (Some(2), true) => 2,
                (None, true) => 3,
                other => panic!("{other:?}"),
            }] += 1;
        }
        assert_eq!(counts, [29, 1, 10, 60]);
        // A count that lags hides no provider.
        assert!(
            decoy_among(&providers, 5, u64::MAX)
                .provider
                .is_some()
        );
        let expected = SignInWays {
            passwords: true,
            provider: None,
            is_real: false,
        };
        assert_eq!(decoy_among(&[], 0, 7), expected);
    }
}
