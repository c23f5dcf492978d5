//! Requests that are sent more than once: what a request with an idempotency key did is noted in the
//! transaction that did it, so that the same request finds out, whenever the answer got lost. Nothing
//! is noted before: a request that died leaves its key free.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use model::{Error, Id, OrganizationId, Timestamp, UserId, span};
use serde::{Deserialize, Serialize};

use super::{
    Store,
    key::{self, Key},
    permit::{Given, Permit},
    table::{Condition, IntoAttribute, Read, Record, Refused, Write, is_conflict_at},
};

/// How long a request is known again, in milliseconds.
const KEPT: i64 = 24 * span::HOUR;

/// By what a request is known again.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Who sends it; keys of others are others.
    pub user: UserId,
    /// What the client calls it: 1 to 255 characters of printable ASCII.
    pub key: String,
    /// What it asks for, signed with each of the service's secrets, the newest first: the table is
    /// not to tell what was sent, which may be a password.
    pub fingerprints: Arc<[String]>,
    /// Whether it was answered with what an earlier one did.
    pub is_repeated: Arc<AtomicBool>,
}

/// What a request did.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Attempted {
    organization_id: OrganizationId,
    user_id: UserId,
    idempotency_key: String,
    /// What it asked for.
    fingerprint: String,
    /// The id of the record that it made.
    made: Option<i64>,
    at: Timestamp,
}

impl Record for Attempted {
    const KIND: &'static str = "attempted";

    fn key(&self) -> Key<Self> {
        key::attempted(self.organization_id, self.user_id, &self.idempotency_key)
    }

    fn expires_at(&self) -> Option<i64> {
        Some(self.at.plus(KEPT).epoch_seconds() + 1)
    }
}

impl Attempt {
    /// What to answer when its key was used before, at `now`.
    fn judge(&self, earlier: &Attempted, now: Timestamp) -> Result<(), Error> {
        if now.since(earlier.at) >= KEPT {
            return Ok(());
        }
        if !self.fingerprints.contains(&earlier.fingerprint) {
            return Err(Error::KeyReused);
        }
        self.is_repeated.store(true, Ordering::Relaxed);
        Err(Error::DoneBefore { made: earlier.made })
    }
}

impl Store {
    /// Finds out whether a request was done before, which is the error then.
    pub async fn is_new(&self, tenant: OrganizationId, attempt: &Attempt) -> Result<(), Error> {
        let key = key::attempted(tenant, attempt.user, &attempt.key);
        let earlier = self.table.get(&key, Read::Consistent).await?;
        earlier.map_or(Ok(()), |earlier| attempt.judge(&earlier, self.clock.now()))
    }

    /// Writes all or nothing, at most 98 writes, and with them that the request was done, which made
    /// the record of that id. Without a key, nothing to write is no request.
    pub(super) async fn commit(
        &self,
        given: &Given,
        mut writes: Vec<Write>,
        made: Option<i64>,
    ) -> Result<Result<(), Refused>, Error> {
        let Some(attempt) = given.attempt() else {
            if writes.is_empty() {
                return Ok(Ok(()));
            }
            return self.table.transact(writes).await;
        };
        let now = self.clock.now();
        let place = writes.len();
        let attempted = Attempted {
            organization_id: given.tenant(),
            user_id: attempt.user,
            idempotency_key: attempt.key.clone(),
            fingerprint: attempt.fingerprints.first().cloned().unwrap_or_default(),
            made,
            at: now,
        };
        // The table is in no hurry to drop what has expired.
        let free = "(attribute_not_exists(#) OR # <= :)";
        let free = Condition::default().and(free, "at", [now.plus(-KEPT).into_attribute()]);
        writes.push(Write::put_where(&attempted, free)?);
        match self.table.transact(writes).await {
            Ok(Err(refused)) if refused.at(place) => {
                self.is_new(given.tenant(), attempt).await?;
                // It was there a moment ago, and nothing deletes it before its time.
                Err(Error::UnderWay)
            }
            Err(error) if is_conflict_at(&error, place) => Err(Error::UnderWay),
            done => done,
        }
    }
}

impl Permit {
    /// Does what a request asks for, or answers what is `made` of it now when it was done before.
    pub(crate) async fn once<T>(
        self,
        act: impl AsyncFnOnce(Self) -> Result<T, Error>,
        made: impl AsyncFnOnce(Option<i64>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match act(self).await {
            Err(Error::DoneBefore { made: id }) => made(id).await,
            done => done,
        }
    }
}

/// The id of what was made.
pub(super) fn id_of<I: Id>(made: Option<i64>) -> Result<I, Error> {
    let id = made.and_then(I::new);
    id.ok_or_else(|| Error::internal("repeating an answer", "what was made has no id"))
}
