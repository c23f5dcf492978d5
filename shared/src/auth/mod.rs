//! Callers: authentication and permissions.
//!
//! Start in `claim`, which leads a request from the layer to the write.

mod answer;
pub(crate) mod bearer;
mod caller;
pub(crate) mod claim;
pub mod cookie;
pub mod cross_site;
mod cursors;
mod identity;
pub(crate) mod limits;
mod named_user;
pub mod need;
pub mod password;

pub use answer::{ForgetCookie, Redirect, RenewCookie, SetCookie};
pub use caller::Caller;
pub use claim::Authentication;
pub use cookie::SessionCookie;
pub use cross_site::OwnPage;
pub use cursors::Cursors;
pub use identity::{Credential, Identity};
pub use limits::KnownQuotas;
pub use model::people::{Sid, digest};
