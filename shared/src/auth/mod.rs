//! Who calls, and what they may do.

mod answer;
mod caller;
pub(crate) mod claim;
pub mod cookie;
pub mod cross_site;
mod cursors;
pub mod need;
pub mod password;

pub use answer::{ForgetCookie, SetCookie};
pub use caller::Caller;
pub use claim::{Authentication, Identity};
pub use cookie::SessionCookie;
pub use cursors::Cursors;
pub use model::{Sid, digest};
