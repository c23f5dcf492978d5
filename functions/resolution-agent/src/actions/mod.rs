//! What people do to single actions of a session, and what they look at before.

pub mod done;
pub mod hand_over;
mod look;
mod name;
pub mod preview;
pub mod verdict;
mod view;
pub mod waive;
