//! Workdesk on one machine: the engines that it stands on, and the world around it.

mod atomic_file;
mod background;
mod console;
mod demo_data;
pub mod demo_elsewhere;
pub mod engines;
pub mod event_source_mapping;
pub mod execution_environment;
pub mod function;
pub mod gateway;
mod process;
pub mod schedule;
pub mod stack;
pub mod target_systems;
pub mod template;
