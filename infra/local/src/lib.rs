//! Workdesk on one machine: embedded DynamoDB, SQS and KMS, a gateway, triggers, demo data and
//! target systems.

mod atomic_file;
mod background;
mod console;
pub mod demo_data;
pub mod demo_elsewhere;
pub mod engines;
pub mod event_source_mapping;
pub mod execution_environment;
pub mod function;
pub mod gateway;
mod lambda;
pub mod mail_receiver;
mod process;
pub mod schedule;
pub mod stack;
pub mod stream_mapping;
pub mod target_systems;
pub mod template;
