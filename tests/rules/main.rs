//! Rules that hold for all operations, all records and the whole stack.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says why"
)]

mod alarms;
mod assignees;
mod bearer;
mod beside_records;
mod bounds;
mod budgets;
mod by_id;
mod cells;
mod checks;
mod circles;
mod claim;
mod cleanups;
mod contract;
mod cors;
mod document;
mod documents;
mod due;
mod entities;
mod examples;
mod failures;
mod feed;
mod filters;
mod generated;
mod guide;
mod halved_reads;
mod hidden_rows;
mod history;
mod idioms;
mod idle_costs;
mod imports;
mod inbox;
mod keys;
mod layers;
mod limits;
mod lists;
mod long_texts;
mod mails;
mod metrics;
mod names;
mod neighbors;
mod no_changes;
mod paths;
mod pending_write;
mod preconditions;
mod prose;
mod recipes;
mod releases;
mod repeats;
mod request_log;
mod restores;
mod root;
mod rotation;
mod search;
mod sign_in_costs;
mod size;
mod strict;
mod table_proxy;
mod taken_ids;
mod template;
mod tenants;
mod texts;
mod time_to_live;
mod unknown_attributes;
mod unknown_names;
mod unreadable;
mod walk;
mod webhooks;
mod written_by;
