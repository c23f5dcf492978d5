//! Who calls, and what they may do.

mod caller;
pub mod cookie;
pub mod cross_site;
pub mod need;
pub mod password;

pub use caller::{Caller, Identity};
pub use cookie::SessionCookie;
pub use model::{Sid, digest};
