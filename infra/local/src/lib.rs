//! Workdesk on one machine: the engines that it stands on, and the world around it.

mod atomic_file;
mod background;
mod clock;
pub mod engines;
pub mod target_systems;
pub mod template;
