//! Journals: chains of entries, each with the hash of the one before it, so that none is changed or
//! removed unnoticed.
//!
//! A chain's newest hash is its head. The transaction that writes an entry replaces the head, and
//! expects the one that was read.

mod canonical;
mod chain;
mod organization;

pub use canonical::canonical;
pub use chain::{Chained, JournalFlaw, JournalHead, Link, first_break};
pub use organization::{
    CredentialType, EntryActor, EntryActorType, EntryContent, EntryCredential, Journaled,
    OrganizationEntry, OrganizationEvent, OrganizationHead, OrganizationJournalBreak,
    OrganizationJournalCheck, OrganizationJournalFilter, OrganizationJournalFrom, SessionHead,
    subject,
};
