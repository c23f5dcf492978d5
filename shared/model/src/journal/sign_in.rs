//! Entries of sign-ins. They stand beside the journal's chain, so that none waits for its head. Within a
//! minute or two, an entry of the chain names them by their hashes.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    EntryActor, EntryContent, EntryCredential, OrganizationEntry, OrganizationEvent, subject,
};
use crate::{OrganizationId, Session, SignInMethod, Timestamp, UserId, network};

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
        let event = OrganizationEvent::SignedIn;
        Self::of_session(event, session, None, after, session.created_at)
    }

    pub fn signed_out(session: &Session, now: Timestamp) -> Self {
        let after = json!({"sessionId": session.public_id()});
        let credential = Some(EntryCredential::session());
        Self::of_session(
            OrganizationEvent::SignedOut,
            session,
            credential,
            after,
            now,
        )
    }

    /// Notes the failed sign-ins to an account in a quarter of an hour, at its end.
    pub fn refused(
        (organization, user): (OrganizationId, UserId),
        count: i64,
        end: Timestamp,
    ) -> Self {
        let event = OrganizationEvent::SignInRefused;
        let after = json!({"count": count});
        let content = EntryContent::noted(event, vec![subject::user(user)], [Value::Null, after]);
        let service = EntryActor::of(super::EntryActorType::Service);
        Self(OrganizationEntry::apart(
            organization,
            content,
            (service, None),
            end,
        ))
    }

    fn of_session(
        event: OrganizationEvent,
        session: &Session,
        credential: Option<EntryCredential>,
        after: Value,
        at: Timestamp,
    ) -> Self {
        let subjects = vec![subject::user(session.user_id)];
        let content = EntryContent::noted(event, subjects, [Value::Null, after]);
        let by = (EntryActor::user(session.user_id), credential);
        Self(OrganizationEntry::apart(
            session.organization_id,
            content,
            by,
            at,
        ))
    }
}

impl EntryContent {
    /// Names entries of sign-ins.
    pub fn sign_ins_chained<'a>(entries: impl Iterator<Item = &'a SignInEntry>) -> Self {
        let named = entries.map(|entry| (entry.0.hash.clone(), json!(entry.0.at)));
        let event = OrganizationEvent::SignInsChained;
        Self::noted(
            event,
            Vec::new(),
            [Value::Null, Value::Object(named.collect())],
        )
    }
}
