//! The journal of a session, and excerpts of responses.

mod chains;
mod entry;
mod excerpt;
mod journaled;

pub use chains::{JournalBreak, JournalCheck, check_journal};
pub use entry::{JournalActor, JournalActorType, JournalEntry, JournalEvent, JournalPeriod, Note};
pub use excerpt::Excerpt;
