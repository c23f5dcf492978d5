//! Work beside requests: due work, cleanups, and whole organizations.

pub(crate) mod cleanup;
pub(crate) mod due;
pub(crate) mod tenant;

pub use cleanup::{CLEANUP_DELAY, CleanupRound, Cleanups};
pub use due::{CleanupName, DueCount, DueCounts, Shard, SweepMessage};
pub use tenant::{CameBack, Erased, ExportHeader, Forms, ImportError, Imported, Line, Tenants};
