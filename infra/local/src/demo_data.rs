//! The demo organization: who can sign in, and what they find.

use crate::engines::Engines;

/// Somebody who can sign in to the demo.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Account {
    pub(crate) username: &'static str,
    pub(crate) role: &'static str,
}

/// One account of each role; all have [`PASSWORD`].
pub(crate) const ACCOUNTS: [Account; 5] = [
    Account {
        username: "ada",
        role: "admin",
    },
    Account {
        username: "max",
        role: "manager",
    },
    Account {
        username: "sue",
        role: "support",
    },
    Account {
        username: "mia",
        role: "member",
    },
    Account {
        username: "vic",
        role: "viewer",
    },
];

/// The password of every demo account. Not a secret: it opens a demo on this machine.
pub(crate) const PASSWORD: &str = "workdesk";

/// Id of the signal that the guide opens an agent session for.
pub(crate) const FIRST_SIGNAL: u64 = 1;

/// Why the demo data could not be loaded.
#[derive(Debug, thiserror::Error)]
#[error("the demo data: {0}")]
pub struct Error(String);

/// Fills an empty table; one that holds the organization already is left as it is.
#[expect(
    clippy::unused_async,
    reason = "the store's create functions are not here yet"
)]
pub(crate) async fn load(_engines: &Engines) -> Result<(), Error> {
    Ok(())
}
