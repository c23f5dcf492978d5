//! Excerpts of target systems' answers. Each is an item of its own, apart from the session. It is
//! written in the transaction of the record or journal entry that names it, and expires.
//!
//! Actions run in parallel, and their answers are often the same. Each action has excerpts of its
//! own, so that the transactions of two workers never write the same item.

use std::collections::BTreeMap;

use agent::{connection::Excerpt, journal::JournalEntry, session::AgentSession};
use model::base::{AgentSessionId, JsonText, OrganizationId, Timestamp};
use table::{Batch, Key, Stored, Write, page::Page};

use crate::{
    Result,
    base::{record::record, records::KeptExcerpt},
    key,
};

use super::{Agent, SessionWithActions};

record! {
    excerpt: KeptExcerpt = "excerpt",
    key: {
        let action = excerpt.action_id.as_deref();
        key::excerpt(excerpt.organization_id, excerpt.session_id, action, &excerpt.hash)
    },
    expires_at: Some(excerpt.ends_at().epoch_seconds() + 1),
}

impl KeptExcerpt {
    /// Creates the record of an excerpt that the session itself names.
    pub(super) fn of_session(
        organization_id: OrganizationId,
        session_id: AgentSessionId,
        excerpt: Excerpt,
        at: Timestamp,
    ) -> Self {
        Self {
            organization_id,
            session_id,
            action_id: None,
            hash: excerpt.hash(),
            excerpt: JsonText(excerpt),
            at,
        }
    }

    /// Creates the record of a new journal entry's excerpt, if it has one.
    pub(super) fn of_entry(entry: &JournalEntry) -> Option<Self> {
        let excerpt = entry.excerpt.clone()?;
        Some(Self {
            action_id: entry.action_id.clone(),
            ..Self::of_session(entry.organization_id, entry.session_id, excerpt, entry.at)
        })
    }

    fn ends_at(&self) -> Timestamp {
        self.at.plus(Excerpt::KEPT)
    }

    /// Returns the excerpt with its hash. None if it has expired or was changed.
    pub(super) fn known(self, now: Timestamp) -> Option<(String, Excerpt)> {
        let is_known = now < self.ends_at() && self.excerpt.0.hash() == self.hash;
        is_known.then_some((self.hash, self.excerpt.0))
    }
}

/// Excerpts by their hashes, as far as they exist.
#[derive(Clone, Debug, Default)]
pub struct Excerpts(BTreeMap<String, Excerpt>);

impl Excerpts {
    /// Returns an excerpt by its hash. None if it has expired.
    pub fn get(&self, hash: Option<&String>) -> Option<&Excerpt> {
        self.0.get(hash?)
    }

    pub(super) fn found(batch: &Batch, keys: &[Key<KeptExcerpt>], now: Timestamp) -> Self {
        let kept = keys
            .iter()
            .filter_map(|key| batch.named(key));
        Self(
            kept.filter_map(|kept| kept.record.known(now))
                .collect(),
        )
    }
}

impl From<Vec<Excerpt>> for Excerpts {
    fn from(excerpts: Vec<Excerpt>) -> Self {
        let by_hash = excerpts
            .into_iter()
            .map(|excerpt| (excerpt.hash(), excerpt));
        Self(by_hash.collect())
    }
}

fn keys_of_session(session: &AgentSession) -> Vec<Key<KeptExcerpt>> {
    let reads = session.analysis.reads.iter();
    let hashes = reads.filter_map(|read| read.excerpt_hash.as_ref());
    let keys = hashes.map(|hash| key::excerpt(session.organization_id, session.id, None, hash));
    keys.collect()
}

pub(super) fn keys_of(whole: &SessionWithActions) -> Vec<Key<KeptExcerpt>> {
    let session = &whole.session;
    let mut keys = keys_of_session(session);
    for action in &whole.actions.known {
        let steps = action.progress.results.iter();
        let hashes = steps.map(|step| &step.excerpt_hash);
        let hashes = hashes
            .chain([&action.end.excerpt_hash])
            .flatten();
        let id = Some(&*action.key.action_id);
        keys.extend(hashes.map(|hash| key::excerpt(session.organization_id, session.id, id, hash)));
    }
    keys
}

pub(super) fn writes(kept: impl IntoIterator<Item = KeptExcerpt>) -> Result<Vec<Write>> {
    let key = |kept: &KeptExcerpt| (kept.action_id.clone(), kept.hash.clone());
    let by_key = kept
        .into_iter()
        .map(|kept| (key(&kept), kept));
    let distinct: BTreeMap<_, KeptExcerpt> = by_key.collect();
    distinct
        .values()
        .map(Write::put)
        .collect()
}

impl Agent<'_> {
    pub(super) async fn with_excerpts(
        &self,
        page: Page<Stored<JournalEntry>>,
    ) -> Result<Page<Stored<JournalEntry>>> {
        let keys = page
            .records()
            .filter_map(|entry| key_of(entry));
        let batch = self.0.batch(keys).await?;
        let now = self.0.now();
        Ok(page.map(|mut entry| {
            let kept = key_of(&entry).and_then(|key| batch.named(&key));
            let kind_and_excerpt = kept.and_then(|kept| kept.record.known(now));
            entry.excerpt = kind_and_excerpt.map(|(_, excerpt)| excerpt);
            entry
        }))
    }
}

fn key_of(entry: &JournalEntry) -> Option<Key<KeptExcerpt>> {
    let tenant = entry.organization_id;
    let session = entry.session_id;
    let action = entry.action_id.as_deref();
    let hash = entry.excerpt_hash()?;
    Some(key::excerpt(tenant, session, action, hash))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use model::base::Id;

    fn kept(action: Option<&str>, status: u16) -> KeptExcerpt {
        let excerpt = Excerpt {
            status,
            body: json!({}),
        };
        let at = Timestamp::from_millis(0);
        KeptExcerpt {
            action_id: action.map(str::to_owned),
            ..KeptExcerpt::of_session(Id::new(1).unwrap(), Id::new(1).unwrap(), excerpt, at)
        }
    }

    #[test]
    fn an_excerpt_is_written_once_in_a_transaction() {
        let twice = [kept(Some("a"), 200), kept(Some("a"), 200)];
        assert_eq!(writes(twice).unwrap().len(), 1);
        let apart = [
            kept(None, 200),
            kept(Some("a"), 200),
            kept(Some("b"), 200),
            kept(Some("b"), 409),
        ];
        assert_eq!(writes(apart).unwrap().len(), 4);
    }

    #[test]
    fn an_excerpt_is_known_for_90_days() {
        let kept = kept(None, 200);
        let is_known_at = |now: i64| {
            kept.clone()
                .known(Timestamp::from_millis(now))
                .is_some()
        };
        assert!(is_known_at(Excerpt::KEPT - 1));
        assert!(!is_known_at(Excerpt::KEPT));
    }
}
