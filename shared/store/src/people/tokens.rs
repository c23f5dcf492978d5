//! Access tokens.
//!
//! A token is random and names no user. So its hash is the key of an item outside of all tenants,
//! which names the holder. The token itself is one of its owner's records, in one of
//! [`Token::MOST`] places. The places limit the tokens of a user, also when several requests create
//! some at the same time. A token that has ended leaves its place to the next one.

use model::{
    base::{Code, Error, Id, OrOther, RecordType, Timestamp, TokenId, UserId, random},
    people::{EntryContent, Held, OrganizationEvent, Token, TokenCreate, TokenSecret, User},
};
use table::{Condition, OrLeave, OrNotFound, Record, Stored, UpdateExpression, Write};
use tokio::sync::OnceCell;

use crate::{
    Result, Tenant,
    base::{
        Pending, TokenHolder, WriteContext,
        idempotency::{Created, id_of},
        ids::Reserved,
        record::record,
        records::ReadHead,
        store::{resource, too_many},
        writes::Writes,
    },
    key::{self, Keyed},
    people::CallerRecords,
};

resource! { pub Tokens as tokens }

record! {
    token: Token = RecordType::Token.name(),
    key: key::token(token.organization_id, token.user_id, token.place),
    expires_at: Some(token.ends_at.epoch_seconds() + 1),
}

record! {
    holder: TokenHolder = "token_holder",
    key: key::token_holder(&holder.hash),
    expires_at: Some(holder.ends_at.epoch_seconds() + 1),
}

impl Tokens<'_> {
    /// The holder of a token; `None` for an unknown token.
    pub async fn holder(&self, secret: &TokenSecret) -> Result<Option<TokenHolder>> {
        let holder = self
            .0
            .read(&key::token_holder(&secret.hash()))
            .await?;
        Ok(holder.map(|stored| stored.record))
    }

    /// A token with its owner and the organization, all as they are now. `None` when any is
    /// missing.
    pub async fn caller(
        &self,
        owner: &TokenHolder,
    ) -> Result<Option<CallerRecords<Stored<Token>>>> {
        let tenant = owner.organization_id;
        let user = owner.user_id;
        let key = key::token(tenant, user, owner.place);
        let caller = self
            .0
            .caller(&key, tenant, user)
            .await?;
        // Another token may have taken the place of one that ended.
        Ok(caller.filter(|caller| caller.credential.hash == owner.hash))
    }

    /// A user's tokens, including those that have ended.
    pub async fn all(&self, tenant: Tenant, user: UserId) -> Result<Vec<Stored<Token>>> {
        let tokens = key::tokens(tenant, user).consistent();
        self.0.table.list_stored(tokens).await
    }

    /// Creates a token of a user, and returns it with its secret, of which the table stores only a
    /// hash. A replay has no secret. `owner` returns the user, or refuses: 403. 409 at the most
    /// tokens of a user.
    pub async fn create<O: Future<Output = Result<User>>>(
        &self,
        pending: impl Pending,
        user: UserId,
        owner: impl Fn() -> O,
        sent: TokenCreate,
    ) -> Result<(Stored<Token>, Option<TokenSecret>)> {
        let (pending, tenant) = pending.with_tenant();
        let secret = TokenSecret::generate(&self.0.cell);
        let id = OnceCell::new();
        let read = || async {
            let others = self.all(tenant, user);
            let head = self.0.head(tenant);
            let id = self.0.id_once(&id);
            // All end, also after an error, so that no id is lost on its way.
            let (id, others, owner, head) = tokio::join!(id, others, owner(), head);
            Ok((id?, others?, owner?, head?))
        };
        let write = async |context: WriteContext, read: (Reserved<_>, _, User, _)| {
            let (id, others, owner, head) = read;
            let now = self.0.now();
            let context = context.with_head(head);
            let named = sent.named();
            let token = Token {
                id: id.used(),
                organization_id: owner.organization_id,
                user_id: owner.id,
                place: 0,
                permissions: named.map(|permissions| {
                    permissions
                        .into_iter()
                        .map(OrOther::from)
                        .collect()
                }),
                ends_at: sent.ends_at(now)?,
                name: sent.name.clone(),
                hash: secret.hash(),
                epoch: owner.token_epoch,
                created_at: now,
                last_used_at: None,
            };
            self.take_place(&context, &owner, others, token)
                .await
        };
        match self
            .0
            .write(pending, read, write)
            .await?
        {
            Created::New(token) => Ok((Stored::created(token), Some(secret))),
            Created::Replayed(made) => {
                let id: TokenId = id_of(made)?;
                let mut tokens = self
                    .all(tenant, user)
                    .await?
                    .into_iter();
                let token = tokens.find(|token| token.id == id);
                Ok((token.or_not_found(TokenId::NOUN)?, None))
            }
        }
    }

    /// Writes a token to a place that no other of the owner holds. `None` when another request took
    /// the place.
    async fn take_place(
        &self,
        context: &WriteContext,
        owner: &User,
        others: Vec<Stored<Token>>,
        mut token: Token,
    ) -> Result<Option<Created<Token>>> {
        let (held, ended): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(|other| other.holds(owner, token.created_at));
        let mut free: Vec<i64> = (0..Token::MOST).collect();
        free.retain(|place| {
            held.iter()
                .all(|other| other.place != *place)
        });
        // A random one, so that creates at the same time seldom choose the same.
        let chosen = usize::try_from(random::below(free.len() as u64)).unwrap_or_default();
        token.place = *free.get(chosen).ok_or_else(|| {
            too_many(
                Code::TooManyTokens,
                format_args!("You hold {} tokens", Token::MOST),
            )
        })?;
        let holder = TokenHolder {
            hash: token.hash.clone(),
            organization_id: token.organization_id,
            user_id: token.user_id,
            place: token.place,
            ends_at: token.ends_at,
        };
        let before = ended
            .into_iter()
            .find(|other| other.place == token.place);
        let expected = match before {
            Some(before) => Condition::version(before.version).equals("id", before.id),
            None => Condition::absent(),
        };
        let writes = vec![Write::put_where(&token, expected)?, Write::create(&holder)?];
        let entry = EntryContent::created(OrganizationEvent::TokenCreated, &token);
        let writes = Writes::from(writes)
            .making(token.id)
            .noting(entry);
        self.0
            .commit(context, writes, token)
            .await
    }

    /// A user and the user's tokens, including those that have ended, for one with the permissions
    /// `by`. 404 when the user is not the tenant's, 403 when the user has a permission beyond `by`.
    pub async fn of_user(
        &self,
        tenant: Tenant,
        user: UserId,
        by: impl Future<Output = Result<Held>>,
    ) -> Result<(User, Vec<Stored<Token>>)> {
        let directory = self.0.directory();
        let owner = directory.user(tenant, user);
        let (by, owner, tokens) = tokio::join!(by, owner, self.all(tenant, user));
        let owner = owner?.record;
        by?.may_change(&owner)?;
        Ok((owner, tokens?))
    }

    /// Deletes a token of a user. 404 when the user has no token of that id.
    pub async fn delete(&self, pending: impl Pending, user: UserId, id: TokenId) -> Result<()> {
        let (pending, tenant) = pending.with_tenant();
        let read = || async { tokio::try_join!(self.all(tenant, user), self.0.head(tenant)) };
        let write = async |context: WriteContext,
                           (tokens, head): (Vec<Stored<Token>>, ReadHead)| {
            let writes = delete(&context, tokens, id)?;
            self.0
                .commit(&context.with_head(head), writes, ())
                .await
        };
        self.0
            .write(pending, read, write)
            .await?
            .not_replayed()
    }

    /// As [`delete`](Self::delete), on behalf of one with the permissions `by`. 404 when the user
    /// is not the tenant's, 403 when the user has a permission beyond `by`.
    pub async fn delete_of_user<H: Future<Output = Result<Held>>>(
        &self,
        pending: impl Pending,
        by: impl Fn() -> H,
        user: UserId,
        id: TokenId,
    ) -> Result<()> {
        let (pending, tenant) = pending.with_tenant();
        let of_owner = user.key(tenant);
        let read = || async {
            let owner = self.0.with_head(&of_owner, tenant);
            tokio::try_join!(self.all(tenant, user), owner, by())
        };
        let write = async |context: WriteContext, read: (Vec<_>, (Option<_>, _), Held)| {
            let (tokens, (owner, head), by) = read;
            let owner: Stored<User> = owner.or_not_found(UserId::NOUN)?;
            by.may_change(&owner)?;
            let mut writes = delete(&context, tokens, id)?;
            writes.push(Write::check(owner.key(), Condition::version(owner.version)));
            self.0
                .commit(&context.with_head(head), writes, ())
                .await
        };
        self.0
            .write(pending, read, write)
            .await?
            .not_replayed()
    }

    /// Stores the day on which a token was used last.
    pub async fn touch(&self, token: &Token, now: Timestamp) -> Result<()> {
        let today = now.start_of_day();
        let is_earlier = Condition::default().equals("id", token.id);
        let is_earlier = is_earlier.absent_or("lastUsedAt", "# < :", today);
        let used = UpdateExpression::default().set("lastUsedAt", today);
        let write = Write::update(token.key(), used, is_earlier);
        // Refused when the token was deleted, or when another request stored the day.
        self.0
            .table
            .write(write)
            .await?
            .or_leave();
        Ok(())
    }
}

/// Returns the writes that delete a token. 404 when no token has that id.
fn delete(context: &WriteContext, tokens: Vec<Stored<Token>>, id: TokenId) -> Result<Writes> {
    let token = tokens
        .into_iter()
        .find(|token| token.id == id);
    let token = context.current(token, TokenId::NOUN)?;
    let mut writes = Writes::default();
    let still = Condition::default().equals("id", id);
    let gone = Error::NotFound(TokenId::NOUN);
    writes.push_or(Write::delete(token.key(), still), gone);
    let holder = key::token_holder(&token.hash);
    writes.push(Write::delete(holder, Condition::default()));
    let event = OrganizationEvent::TokenDeleted;
    Ok(writes.noting(EntryContent::deleted(event, &token.record)))
}
