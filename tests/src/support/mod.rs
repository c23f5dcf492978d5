//! The harness: a world of two organizations on a table of its own, and callers who send requests
//! through the gateway's routes into the functions.

mod agent_settings;
mod answer;
mod api;
pub mod budgets;
mod caller;
mod cases;
mod concierge;
mod counter;
mod damage;
pub mod described;
pub mod engines;
mod faults;
mod feed;
mod fields;
mod filled;
mod gateway;
mod given;
mod log;
pub mod mails;
mod oidc;
mod operations;
mod patience;
mod people;
mod proposed;
mod recorded;
pub mod roles;
mod scenario;
mod search;
mod serving;
mod snapshot;
mod sweeping;
mod weather;
pub mod webhooks;
mod world;

pub use crate::{creates, patches, posts, puts, refused, shows, snapshot};
pub use agent_settings::AgentSettings;
pub use answer::{
    Answer, begins, check_of, column, ids, raise_version, rows_where, says, shows_members, statuses,
};
pub use api::{Api, PASSWORD, Settings, api_config, client};
pub use caller::Caller;
pub use cases::{CASES, PlaybookCase, UNKNOWN};
pub use concierge::{Concierge, FAILED, event, once};
pub use counter::{Counter, Used};
pub use damage::{DAMAGES, Damage, Item, key_of, number, puts, scan, set, sets, text, text_of};
pub use faults::{Death, Fault, Faults, Requests};
pub use fields::fields_of;
pub use gateway::Gateway;
pub use given::merges;
pub use log::Log;
pub use oidc::OidcProvider;
pub use operations::{EXAMPLES, METHODS, Operation, document, document_with, operations};
pub use patience::{MOST_PAGES, PATIENCE, comes, time_passes};
pub use people::Mailbox;
pub use proposed::{
    fact_is, money, posting, proposal, proposing, read_of, reconciled, retrying,
    retrying_if_failed, retrying_verified, with,
};
pub use recorded::{Record, Table};
pub use scenario::{AFTER_THE_LEASE, late};
pub use serving::serve;
pub use snapshot::shown;
pub use sweeping::Sweeping;
pub use world::{Request, World, example};
