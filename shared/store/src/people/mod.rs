//! Organizations, users, and all by which they sign in.

pub(crate) mod directory;
pub(crate) mod invitations;
pub(crate) mod journal;
pub(crate) mod links;
pub(crate) mod providers;
pub(crate) mod quotas;
pub(crate) mod sessions;
pub(crate) mod sign_in;
pub(crate) mod sign_in_journal;
pub(crate) mod tokens;

pub use directory::{Directory, MemberWithUsers, Members, NewUser, PlanChange};
pub use invitations::{Accepted, Invitations, Inviter, OpenInvitation};
pub use journal::Journals;
pub use links::{AccountLinks, LinkedAccount};
pub use providers::{
    BrowserSession, ProviderUser, Providers, SignInClient, SignInPurpose, SignInSettings,
    SignInWays,
};
pub use quotas::Quotas;
pub use sign_in::{CallerRecords, NetworkAttempt, SignIn, SignInAttempt};
pub use tokens::Tokens;
