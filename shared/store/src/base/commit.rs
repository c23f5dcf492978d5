//! Commits: the transaction of a request, which stores its idempotency key too.

use std::sync::atomic::Ordering;

use model::base::{Error, UserId};
use table::{Condition, Write, note_write};

use crate::{
    Result,
    base::{
        IdempotencyKey, Store, WriteContext,
        idempotency::{Created, KEPT},
        records::Attempted,
        writes::Writes,
    },
    key,
    table::is_conflict_at,
};

impl WriteContext {
    fn idempotency(&self) -> Option<(UserId, &IdempotencyKey)> {
        self.actor
            .zip(self.idempotency_key.as_ref())
    }

    /// The outcome of a request that an earlier one did.
    pub(crate) fn replay<T>(&self, earlier: &Attempted) -> Created<T> {
        if let Some(key) = &self.idempotency_key {
            key.replayed
                .store(true, Ordering::Relaxed);
        }
        if let Some(id) = &earlier.write_id {
            note_write(id);
        }
        Created::Replayed(earlier.made)
    }
}

impl Store {
    /// The earlier request with the same idempotency key, of the last 24 hours. 422 when its path
    /// or body differs.
    pub(crate) async fn earlier_request(
        &self,
        context: &WriteContext,
    ) -> Result<Option<Attempted>> {
        let Some((user, sent)) = context.idempotency() else {
            return Ok(None);
        };
        let key = key::attempted(context.tenant, user, &sent.key);
        let attempted = self.read(&key).await?;
        let now = self.clock.now();
        // The table deletes expired items late.
        let earlier = attempted.filter(|earlier| now.since(earlier.at) < KEPT);
        match earlier.map(|stored| stored.record) {
            Some(earlier)
                if !sent
                    .fingerprints
                    .contains(&earlier.fingerprint) =>
            {
                Err(Error::KeyReused)
            }
            earlier => Ok(earlier),
        }
    }

    /// Does all of the writes or none, at most 96, and stores the idempotency key and the entries
    /// of the organization's journal with them. Returns `value`; `None` on a conflict, when what
    /// was read has changed. Without a key, no writes are no request.
    pub(crate) async fn commit<T>(
        &self,
        context: &WriteContext,
        writes: impl Into<Writes>,
        value: T,
    ) -> Result<Option<Created<T>>> {
        let (mut writes, entries, refusals) = writes.into().split();
        let mut place = None;
        if let Some((user, key)) = context.idempotency() {
            let now = self.clock.now();
            let attempted = Attempted {
                organization_id: context.tenant,
                user_id: user,
                idempotency_key: key.key.clone(),
                fingerprint: key
                    .fingerprints
                    .first()
                    .cloned()
                    .unwrap_or_default(),
                made: refusals.made,
                at: now,
                write_id: None,
            };
            // The table deletes expired items late.
            let is_free = Condition::default().absent_or("at", "# <= :", now.plus(-KEPT));
            place = Some(writes.len());
            writes.push(Write::put_where(&attempted, is_free)?);
        } else if writes.is_empty() {
            return Ok(Some(Created::New(value)));
        }
        match Box::pin(self.transact(context, writes, &entries)).await {
            Ok(Ok(())) => Ok(Some(Created::New(value))),
            Ok(Err(refused)) if place.is_some_and(|place| refused.at(place)) => {
                match self.earlier_request(context).await? {
                    Some(earlier) => Ok(Some(context.replay(&earlier))),
                    // It was there a moment ago, and nothing deletes it before its time.
                    None => Err(Error::UnderWay),
                }
            }
            Ok(Err(refused)) => refusals
                .of(&refused)
                .map_or(Ok(None), Err),
            Err(error) if place.is_some_and(|place| is_conflict_at(&error, place)) => {
                Err(Error::UnderWay)
            }
            Err(error) => Err(error),
        }
    }
}
