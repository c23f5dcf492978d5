//! Workdesk on one machine: the engines that it stands on, and the world around it.

mod background;
pub mod engines;
pub mod template;
