//! Journals: chains of entries, each with the hash of the one before it, so that none is changed or
//! removed unnoticed.
//!
//! A chain's newest hash is its head. The transaction of an entry replaces the head, and expects
//! the head as it was read.

mod canonical;
mod chain;
mod content;
mod organization;
mod sign_in;

pub use canonical::canonical;
pub use chain::{ChainLink, Chained, JournalFlaw, JournalHead, first_break};
pub use content::{
    EntryContent, Journaled, OrganizationEvent, USUALLY_UNNOTED, is_unnoted, rename, seal, subject,
};
pub use organization::{
    CredentialType, DigestedMembers, EntryActor, EntryActorType, EntryCredential, ErasedBy,
    NamedSignIn, OrganizationEntry, OrganizationHead, OrganizationJournalBreak,
    OrganizationJournalCheck, OrganizationJournalFilter, OrganizationJournalFrom, SessionHead,
};
pub use sign_in::SignInEntry;
