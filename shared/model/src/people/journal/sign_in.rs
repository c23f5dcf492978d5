//! Entries of sign-ins. They stand beside the journal's chain, so that none waits for its head.
//! Within a minute or two, an entry of the chain names them by their hashes.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    base::{OrganizationId, Timestamp, UserId, network},
    people::{Session, SignInMethod},
};

use super::{
    EntryActor, EntryContent, EntryCredential, OrganizationEntry, OrganizationEvent, subject,
};

/// An entry that an entry of the chain names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SignInEntry(pub OrganizationEntry);

impl SignInEntry {
    pub fn signed_in(session: &Session, method: SignInMethod) -> Self {
        let after = json!({
            "method": method,
            "network": session.address.as_deref().and_then(network::shown),
            "sessionId": session.public_id(),
        });
        let by = (EntryActor::user(session.user_id), None);
        let of = (session.organization_id, session.user_id);
        let at = session.created_at;
        Self::new(of, OrganizationEvent::SignedIn, by, after, at)
    }

    pub fn signed_out(session: &Session, now: Timestamp) -> Self {
        let after = json!({"sessionId": session.public_id()});
        let credential = Some(EntryCredential::session());
        let by = (EntryActor::user(session.user_id), credential);
        let of = (session.organization_id, session.user_id);
        Self::new(of, OrganizationEvent::SignedOut, by, after, now)
    }

    /// Notes the failed sign-ins to an account in a quarter of an hour, at its end.
    pub fn refused(of: (OrganizationId, UserId), count: i64, end: Timestamp) -> Self {
        let by = (EntryActor::of(super::EntryActorType::Service), None);
        let after = json!({"count": count});
        Self::new(of, OrganizationEvent::SignInRefused, by, after, end)
    }

    fn new(
        (organization, user): (OrganizationId, UserId),
        event: OrganizationEvent,
        by: (EntryActor, Option<EntryCredential>),
        after: Value,
        at: Timestamp,
    ) -> Self {
        let content = EntryContent::noted(event, vec![subject::user(user)], [Value::Null, after]);
        Self(OrganizationEntry::apart(organization, content, by, at))
    }
}

impl EntryContent {
    /// Names entries of sign-ins.
    pub fn sign_ins_chained<'a>(entries: impl Iterator<Item = &'a SignInEntry>) -> Self {
        let named = entries.map(|entry| (entry.0.hash.clone(), json!(entry.0.at)));
        let values = [Value::Null, Value::Object(named.collect())];
        Self::noted(OrganizationEvent::SignInsChained, Vec::new(), values)
    }
}
