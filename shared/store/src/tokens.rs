//! Access tokens.
//!
//! A token is random and says nothing of whose it is, so its hash leads to an item of the service,
//! not of a tenant, which names the owner. The token itself is among its owner's records, and takes
//! one of [`Token::MOST`] places there: that is how many a user may hold, whoever creates some at
//! the same time. A token that has ended leaves its place to the next one.

use model::{
    Code, Error, Id, Organization, OrganizationId, Timestamp, Token, TokenCreate, TokenId,
    TokenSecret, User, UserId, random,
};
use serde::{Deserialize, Serialize};

use super::{
    Given, Permit, Store,
    key::{self, AnyKey, Key},
    once::id_of,
    rewrite::rewrite,
    table::{Change, Condition, IntoAttribute, OrLeave, OrNotFound, Read, Record, Stored, Write},
};

/// Access tokens.
#[derive(Clone, Copy, Debug)]
pub struct Tokens<'a>(pub(super) &'a Store);

/// Where the hash of a token leads: the one item that is read without knowing the organization.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenHolder {
    /// SHA-256 of the token.
    hash: String,
    /// The owner's organization.
    pub organization_id: OrganizationId,
    /// The owner.
    pub user_id: UserId,
    /// The token's place among the owner's.
    place: i64,
    ends_at: Timestamp,
}

impl Record for Token {
    const KIND: &'static str = "token";

    fn key(&self) -> Key<Self> {
        key::token(self.organization_id, self.user_id, self.place)
    }

    fn expires_at(&self) -> Option<i64> {
        Some(self.ends_at.epoch_seconds() + 1)
    }
}

impl Record for TokenHolder {
    const KIND: &'static str = "token_holder";

    fn key(&self) -> Key<Self> {
        key::token_holder(&self.hash)
    }

    fn expires_at(&self) -> Option<i64> {
        Some(self.ends_at.epoch_seconds() + 1)
    }
}

impl Tokens<'_> {
    /// Whose token has that hash, if it is anybody's.
    pub async fn holder(&self, secret: &TokenSecret) -> Result<Option<TokenHolder>, Error> {
        let key = key::token_holder(&secret.hash());
        let holder = self.0.table.get(&key, Read::Consistent).await?;
        Ok(holder.map(|stored| stored.record))
    }

    /// The caller behind a token: the token, its owner and the organization, all as they are now.
    /// `None` when any of them is missing.
    pub async fn caller(
        &self,
        holder: &TokenHolder,
    ) -> Result<Option<(Token, User, Stored<Organization>)>, Error> {
        let (tenant, user) = (holder.organization_id, holder.user_id);
        let token_key = key::token(tenant, user, holder.place);
        let user_key = key::user(tenant, user);
        let organization_key = key::organization(tenant);
        let keys = [
            AnyKey::from(&token_key),
            AnyKey::from(&user_key),
            AnyKey::from(&organization_key),
        ];
        let batch = self.0.table.batch_get(keys, Read::Consistent).await?;
        let (Some(token), Some(user), Some(organization)) = (
            batch.get(&token_key)?,
            batch.get(&user_key)?,
            batch.get(&organization_key)?,
        ) else {
            return Ok(None);
        };
        // Another token may have taken the place of one that ended.
        let same = token.hash == holder.hash;
        Ok(same.then_some((token.record, user.record, organization)))
    }

    /// A user's tokens, those that have ended among them.
    pub async fn all(
        &self,
        tenant: OrganizationId,
        user: UserId,
    ) -> Result<Vec<Stored<Token>>, Error> {
        let all = key::tokens(tenant, user).consistent();
        self.0.table.list_stored(all).await
    }

    /// Creates a token of a user, who is known, and known to hold what it names, once `owner` is;
    /// answers it with its secret, of which only a hash is kept: none for a request that was done
    /// before. 409 when the user holds as many as a user may.
    pub async fn create(
        &self,
        permit: impl Into<Permit>,
        user: UserId,
        owner: impl Future<Output = Result<User, Error>>,
        sent: TokenCreate,
    ) -> Result<(Stored<Token>, Option<TokenSecret>), Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let create = async |permit: Permit| {
            let others = self.all(tenant, user);
            let read = async { tokio::try_join!(self.0.next_id(), others, owner) };
            let (given, (id, others, owner)) = permit.beside(read).await?;
            let secret = TokenSecret::generate();
            let token = self.create_new(&given, id, &owner, others, sent, &secret);
            Ok((token.await?, Some(secret)))
        };
        let again = async |made| {
            let id: TokenId = id_of(made)?;
            let mut all = self.all(tenant, user).await?.into_iter();
            let token = all.find(|token| token.id == id);
            Ok((token.or_not_found(TokenId::NOUN)?, None))
        };
        permit.once(create, again).await
    }

    async fn create_new(
        &self,
        given: &Given,
        id: TokenId,
        owner: &User,
        others: Vec<Stored<Token>>,
        sent: TokenCreate,
        secret: &TokenSecret,
    ) -> Result<Stored<Token>, Error> {
        let now = self.0.clock.now();
        let mut token = Token {
            id,
            organization_id: owner.organization_id,
            user_id: owner.id,
            place: 0,
            permissions: sent.named(),
            ends_at: sent.ends_at(now)?,
            name: sent.name,
            hash: secret.hash(),
            epoch: owner.token_epoch,
            created_at: now,
            last_used_at: None,
        };
        let read = || self.all(owner.organization_id, owner.id);
        let write = |others: Vec<Stored<Token>>| {
            let token = token.clone();
            async move { self.take_place(given, owner, others, token).await }
        };
        token.place = rewrite(others, read, write).await?;
        Ok(Stored::created(token))
    }

    /// Writes a token to a place where no other of the owner's stands, and answers the place;
    /// `None` when somebody else took it meanwhile.
    async fn take_place(
        &self,
        given: &Given,
        owner: &User,
        others: Vec<Stored<Token>>,
        mut token: Token,
    ) -> Result<Option<i64>, Error> {
        let now = self.0.clock.now();
        let (held, ended): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(|other| other.holds(owner, now));
        let mut free: Vec<i64> = (0..Token::MOST).collect();
        free.retain(|place| held.iter().all(|other| other.place != *place));
        // Any of them, so that creates at the same time seldom meet.
        let chosen = random::below(free.len() as u64);
        let chosen = usize::try_from(chosen).unwrap_or_default();
        let Some(place) = free.get(chosen) else {
            return Err(too_many());
        };
        token.place = *place;
        let id = token.id.get();
        let holder = TokenHolder {
            hash: token.hash.clone(),
            organization_id: token.organization_id,
            user_id: token.user_id,
            place: token.place,
            ends_at: token.ends_at,
        };
        let before = ended.into_iter().find(|other| other.place == token.place);
        let expected = match before {
            Some(before) => Condition::version(before.version).equals("id", before.id),
            None => Condition::absent(),
        };
        let writes = vec![Write::put_where(&token, expected)?, Write::create(&holder)?];
        let done = self.0.commit(given, writes, Some(id)).await?;
        Ok(done.is_ok().then_some(holder.place))
    }

    /// Deletes a token of a user; 404 when the user has none of that id.
    pub async fn delete(
        &self,
        permit: impl Into<Permit>,
        user: UserId,
        id: TokenId,
    ) -> Result<(), Error> {
        let permit = permit.into();
        let all = self.all(permit.tenant(), user);
        let (given, all) = permit.beside(all).await?;
        let token = all.into_iter().find(|token| token.id == id);
        let token = given.current(token, TokenId::NOUN)?;
        let still = Condition::default().equals("id", id);
        let writes = vec![
            Write::delete(token.key(), still),
            Write::delete(key::token_holder(&token.hash), Condition::default()),
        ];
        let done = self.0.table.transact(writes).await?;
        done.or_not_found(TokenId::NOUN)
    }

    /// Notes the day on which a token that is still there is used.
    pub async fn touch(&self, token: &Token, now: Timestamp) -> Result<(), Error> {
        let today = now.start_of_day();
        let earlier = "(attribute_not_exists(#) OR # < :)";
        let condition = Condition::default().equals("id", token.id);
        let write = Write::update(
            token.key(),
            Change::default().set("lastUsedAt", today),
            condition.and(earlier, "lastUsedAt", [today.into_attribute()]),
        );
        // Refused means that it was deleted, or that another request noted it.
        self.0.table.write(write).await?.or_leave();
        Ok(())
    }
}

fn too_many() -> Error {
    let detail = format!("You hold {} tokens; delete one first.", Token::MOST);
    Error::conflict(Code::TooManyTokens, detail)
}
