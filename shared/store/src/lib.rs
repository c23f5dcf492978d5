//! The single table.
//!
//! One table, keys `pk` and `sk`, three general indexes `gsi1` to `gsi3` that project everything,
//! and the TTL attribute `expiresAt`. Each item carries its `kind` and a `version` that every
//! write raises. Every key format stands in [`key`]. Reads are eventually consistent unless a
//! client would miss its own write.
//!
//! A write on behalf of a request takes a [`Permit`], which its authentication gives: it reads all
//! that it needs beside that and then writes, two requests one after another. Reads by id are one
//! request deep; what joins other records, the lists and the dashboard among them, two.
//!
//! # Records that do not read
//!
//! A version that was rolled back may have written what this one does not know. Such a record harms
//! only itself: lists are answered without it, others that name it are shown as if it were gone, and
//! cleanups read nothing but keys. It is noted by its key for the log and a metric. To read it by its
//! own id is an error.
//!
//! # Access patterns
//!
//! Keys are written without their `ORG#<organization>` prefix; `n` is the number of rows. Capacity
//! is in read (R) or write (W) units for records of up to 1 KiB; writes count the indexes that
//! they touch.
//!
//! A list is read in [pages](Page): `n` is then the rows of a page, of which there are at most 1,000.
//! What no key answers is asked of each row: a *walk* reads up to 1,000 rows a page, n/8 R with n of
//! 1,000 and more, whatever fits among them.
//!
//! | question | index | key | requests | capacity |
//! |---|---|---|---|---|
//! | the caller: session, user, organization | table | `#USER#u#SESSION` / hash, `#USER` / id, `ORGANIZATION` | 1 batch | 3 R |
//! | the caller with a token: whose it is, then token, owner, organization | table | `TOKEN#hash` (no tenant), then `#USER#u#TOKEN` / place, `#USER` / id, `ORGANIZATION` | 1, then 1 batch | 4 R |
//! | note the day of a token's use | table | `#USER#u#TOKEN` / place | 1 a day | 1 W |
//! | a user's tokens, at most 50 | table | `#USER#u#TOKEN` | 1 | n/4 R |
//! | create or delete a token | table | `#USER#u#TOKEN` / place, `TOKEN#hash` | 1 transaction | 4 W |
//! | begin a session, unless the password was changed meanwhile | table, gsi1 | `USERNAME#name`, `#USER#u#SESSION` / hash | 1 transaction | 6 W |
//! | a user's sessions, newest first | gsi1 | `#USER#u#SESSION` / createdAt#hash | 1 per MB | n/8 R |
//! | end all sessions but one | table | `#USER` / id | 1 | 1 W |
//! | change the own password, and renew the session | table, gsi1 | `USERNAME#name`, `#USER` / id, `#USER#u#SESSION` / hash, twice | 1 transaction | 12 W |
//! | the account of a username | table | `USERNAME#name` (no tenant) | 1 | 1 R |
//! | failed sign-ins of an account and address | table | `SIGN_IN#hash` (no tenant) | 1 | 1 R, 1 W |
//! | the next ids of a kind | table | `COUNTER#kind` (no tenant) | 1 per block | 1 W |
//! | a user, project, phase, tag, milestone, task, activity, service request, ticket or signal by id | table | `#KIND` / id | 1 | ½ R, 1 R consistent |
//! | all organizations (the operator's program, no tenant) | table | `COUNTER#organization`, then every id up to it | 1, and 1 batch per 100 ids | ½ R an id |
//! | the organization's users, by username | gsi1 | `#USER` / folded name, id | 1 per MB | n/16 R |
//! | users by role, by whether they are disabled, or by words of a name | gsi1 | the same, a walk | 1–2 per MB | n/16 R |
//! | create a user with an account; an admin is counted | table, gsi1 | user, `USERNAME#name`, `ADMINS` | 1 transaction | 6–8 W |
//! | change a user; who becomes an admin or is one no more is counted | table, gsi1 | user, `ADMINS` | 1, or 1 transaction | 2–6 W |
//! | set a password, and end the sessions | table, gsi1 | `USERNAME#name`, user | 1 transaction | 6 W |
//! | rename an organization | table | `ORGANIZATION`, `#REFERENCE` | 1 transaction | 4 W |
//! | the organization's projects, by title | gsi1 | `#PROJECT` / folded title, id | 1 per MB | n/8 R |
//! | projects by status, which leaves archived ones out unless it is said, or by words of a title | gsi1 | the same, a walk | 1–2 per MB | n/8 R |
//! | create a project, count it, and let search find it | table, gsi1 | project, `#REFERENCE`, `TOTALS` | 1 transaction | 8 W |
//! | change a project, its count, and what search finds it by | table, gsi1 | project, `#REFERENCE`, `TOTALS` | 1, or 1 transaction | 2–12 W |
//! | a project's phases, by order | gsi1 | `#PROJECT#p#PHASE` / order#id | 1 per MB | n/16 R |
//! | create a phase of a project that takes work | table, gsi1 | project (read beside the permit), phase | 1 | 2 W |
//! | delete a phase, and remember to take its tasks out of it | table, gsi1 | phase, `#CLEANUP` | 1 transaction | 8 W |
//! | the organization's tags, by name | gsi1 | `#TAG` / folded name, id | 1 per MB | n/16 R |
//! | create or delete a tag, and take or free its name | table, gsi1 | tag, `#TAG_NAME` / folded name, `#CLEANUP` | 1 transaction | 6–10 W |
//! | rename a tag | table, gsi1 | tag, `#TAG_NAME`, old and new | 1 transaction | 8–10 W |
//! | joined objects of a list | table | as above | 1 batch per 100 | ½ R each |
//! | the organization's tasks, by id, either way | table | `#TASK` | 1 per MB | n/8 R |
//! | a project's tasks, by order and id | gsi1 | `#PROJECT#p#TASK` / order#id | 1 per MB | n/8 R |
//! | a milestone's tasks, by id, either way | gsi2 | `#MILESTONE#m#TASK` / id | 1 per MB | n/8 R |
//! | a user's tasks, by due date; costs 1 W per write of a task that is assigned | gsi3 | `#ASSIGNEE#u#TASK` / due#id | 1 per MB | n/8 R |
//! | a project's or a user's tasks, by id | gsi1, gsi3 | as above, up to 1,000 of them, which are then sorted; of more, a walk through all tasks | 1–3 | n/8 R |
//! | tasks by status, priority, phase, tag, due date, change, or several values | the table, or the index that answers another filter | a walk | 1–2 per MB | n/8 R |
//! | a project's milestones, by due date | gsi1 | `#PROJECT#p#MILESTONE` / due#id | 1 per MB | n/8 R |
//! | milestones by status | gsi1 | the same, a walk | 1–2 per MB | n/8 R |
//! | whether the milestones of a page are still there, which the index may not know yet | table | `#MILESTONE` / id | 1 batch per 100 | 1 R each |
//! | the tasks of a page of milestones | gsi1 | `#PROJECT#p#TASK`, a walk through all of a project's tasks that are linked; of a project with more than 1,000, gsi2 for each of at most 100 milestones | 1, or 1 per milestone | n/8 R |
//! | what a user's request with an idempotency key did | table | `#USER#u#ATTEMPT` / key | 1, beside authentication | 1 R |
//! | note that with what it did | table | `#USER#u#ATTEMPT` / key | in the transaction | 2 W |
//! | what happened to a record, newest first | table | `#TASK#t#HISTORY`, `#MILESTONE#…`, `#REQUEST#…`, `#TICKET#…` or `#PROJECT#…` / version | 1 per MB, the record beside it | n/4 R |
//! | note a change of one of these in its history | table | the same / version | in the transaction | 2 W, and of the record 1 W more without another reason for a transaction |
//! | create a milestone or a task in a project that takes work | table, indexes | project (read beside the permit), record, history | 1 transaction | 5–9 W |
//! | the end of a project's list of tasks | gsi1 | `#PROJECT#p#TASK`, descending | 1 | ½ R |
//! | what a new or changed task names | table | task, project, milestone, phase, user by id | 1 batch | 1 R each |
//! | link a task to a milestone that may be deleted meanwhile | table | task and milestone | 1 transaction | 8 W |
//! | reorder tasks | table, gsi1 | `#TASK` / id | 1 transaction of up to 100 | 6 W each |
//! | delete a milestone, and remember to unlink its tasks | table | `#MILESTONE` / id, `#CLEANUP`, history | 1, and 1 transaction | 1 R, 10 W |
//! | the organization's activities, by time | gsi1 | `#ACTIVITY` / timestamp#id | 1 per MB | n/8 R |
//! | a project's activities, by time | gsi2 | `#PROJECT#p#ACTIVITY` / timestamp#id | 1 per MB | n/8 R |
//! | activities from one instant to another | gsi1, gsi2 | a range of the same | 1 per MB | n/8 R |
//! | activities by type, creator or tag | gsi1, gsi2 | the same, a walk | 1–2 per MB | n/8 R |
//! | record an activity | table, indexes | `#ACTIVITY` / id | 1 | 2–3 W |
//! | move an activity in time, or change it otherwise | table, indexes | `#ACTIVITY` / id | 1 | 3–7 W |
//! | delete an activity, and remember to delete its comments | table, indexes | `#ACTIVITY` / id, `#CLEANUP` | 1 transaction | 8 W |
//! | attach a tag to a task or an activity, or detach it | table, indexes | the record, tag | 1 batch, 1 transaction | 2 R, 6–8 W |
//! | a thread's comments, by time | gsi1 | `#REQUEST#r#COMMENT`, `#ACTIVITY#a#COMMENT` or `#TASK#t#COMMENT` / createdAt#id | 1 per MB | n/8 R |
//! | a thread's comments, all of them, to delete them, 1,000 a round | table | the same partition / id | 1 per MB, 1 transaction per 100 | n/4 R, 4 W each |
//! | comment on what exists, in reply to what exists | table | thread, parent, comment | 1 transaction | 6–8 W |
//! | edit or delete a comment of what exists | table, gsi1 | thread, comment | 1 batch, 1 | 2 R, 2 W |
//! | comment as the creator of a request that is pending or resolved | table | request, parent, comment, `#RESOLUTIONS` / day | 1 transaction | 8–12 W |
//! | raise a service request about what exists | table, gsi1 | request, what it is about | 1 transaction | 6 W |
//! | the organization's service requests, by creation | gsi1 | `#REQUEST` / createdAt#id | 1 per MB | n/8 R |
//! | service requests by status, priority, category, assignee, creator or change | gsi1 | the same, a walk | 1–2 per MB | n/8 R |
//! | change a service request or a ticket, and count its resolution | table, gsi1 | the record, assignee, `#RESOLUTIONS` / day | 1 batch, 1 transaction | 2 R, 2–6 W |
//! | the newest service requests | gsi1 | `#REQUEST` / createdAt#id | 1 | 2½ R |
//! | delete a service request, and remember to delete its comments | table | `#REQUEST` / id, `#CLEANUP`, history | 1, and 1 transaction | 1 R, 10 W |
//! | delete a task, and remember to delete its comments | table, indexes | `#TASK` / id, `#CLEANUP`, history | 1, and 1 transaction | 1 R, 10 W |
//! | the organization's tickets, by creation | gsi1 | `#TICKET` / createdAt#id | 1 per MB | n/8 R |
//! | tickets by status, priority, assignee or change | gsi1 | the same, a walk | 1–2 per MB | n/8 R |
//! | raise a ticket with its first message | table, gsi1 | ticket, message | 1 transaction | 6 W |
//! | the newest tickets | gsi1 | `#TICKET` / createdAt#id | 1 | 2½ R |
//! | a ticket's messages, by time | table | `#TICKET#t#MESSAGE` / createdAt#id | 1 per MB | n/4 R |
//! | reply to a ticket, and take its resolution back | table | ticket, message, `#RESOLUTIONS` / day | 1 transaction | 8–10 W |
//! | active engagements, hours saved | table | `TOTALS` | 1 | ½ R |
//! | resolutions of 90 days | table | `#RESOLUTIONS` / day | 1 | 1 R |
//! | references by words, newest first | table | `#REFERENCE` / createdAt#…, a walk through up to 10,000 | 1–2 per MB | n/20 R |
//! | signals, newest first | gsi2 | `#SIGNAL` / occurredAt#id | 1 per MB | n/8 R |
//! | signals by status, severity or type | gsi2 | the same, a walk | 1–2 per MB | n/8 R |
//! | what a class of signals did in 130 days: when which records were named, a day an item of up to 22 KB | table | `#SIGNAL_DAY#type` / day; `SIGNALS` since when | 1 per MB, 1 batch | days with signals/8 R, 2 R |
//! | the newest 100 signals of a class in the last week, and before it | gsi1 | `#SIGNAL#type` / occurredAt#id | 2 | n/8 R |
//! | signals by their reporters, what their classes did on their days, and what put their records right | table | `#SIGNAL_SOURCE#…` / externalId, `#SIGNAL_DAY#type` / day, `#REMEDY#system` / entity, `SIGNALS`; then `#SIGNAL` / id of those that are known | 1–2 batches per 100 keys | 3 R each, 2 R known |
//! | record a signal that its reporter did not report before | table, gsi1, gsi2 | `#SIGNAL` / id, `#SIGNAL_SOURCE#…`, `#SIGNAL_DAY#type` / day | 1 transaction of up to 30 signals | 12 W, of a day with many 2 W per KB of it |
//! | count a signal that was reported before | table, gsi1, gsi2 | `#SIGNAL` / id | the same | 6 W |
//! | change a signal's status | table, gsi1, gsi2 | `#SIGNAL` / id | 1 | 3 W |
//! | agent sessions, newest first, each with its signal | gsi1, table | `#AGENT_SESSION` / createdAt#id, `#SIGNAL` / id | 1 per MB, 1 batch per 100 | 1½n R |
//! | agent sessions by status or signal | gsi1, table | the same, a walk | 1–2 per MB, 1 batch per 100 | 1½n R |
//! | agent sessions that await confirmation, newest first | gsi3, which has no others | `#AGENT_SESSION#AWAITING` / createdAt#id | 1 per MB, 1 batch per 100 | 1½n R |
//! | a signal's agent sessions, newest first | table | `#SIGNAL#s#AGENT_SESSION` / createdAt#id, then `#AGENT_SESSION#s` / `SESSION` | 1 per MB, 1 batch per 100 | 1 R, 1½n R |
//! | an agent session and its approved actions | table | `#AGENT_SESSION#s` / `SESSION`, `ACTION#a` | 1 | n R |
//! | open a session, unless the signal has one that stands | table, gsi1 | signal, its last session (checked), session, `#SIGNAL#s#AGENT_SESSION`, journal | 1 transaction | 14–16 W |
//! | a session's transition that concerns no action | table, indexes | `#AGENT_SESSION#s` / `SESSION`, journal | 1 transaction | 6–9 W |
//! | approve, reject or cancel actions | table, gsi2 | session and its actions, and the signal (checked) where they run again | 1 transaction of up to 52 | 4 W each |
//! | settle an action whose outcome is unknown, with what it put right | table, gsi2 | session, action, journal of both, `#REMEDY#system` / entity | 1, and 1 transaction | n R, 14–16 W |
//! | say that a manual action is done or waived | table, indexes | `#AGENT_SESSION#s` / `SESSION`, journal | 1, and 1 transaction | n R, 6–9 W |
//! | hand a manual action over | table, indexes | the same, assignee, `#REQUEST` / id, history | 1 and 1 beside it, 1 transaction | n + 1 R, 14 W |
//! | resolve, open again or delete a request that one was handed over with | table, indexes | what else that writes, and `#AGENT_SESSION#s` / `SESSION`, journal | 1 more, in the transaction | 1 R, 6–9 W |
//! | preview actions: the session, the policy, the pause and all connections; then its signal and who claimed the effects, and who those are | table | `#AGENT_SESSION#s`, `AGENT_POLICY`, `AGENT_PAUSE`, `#CONNECTION`; `#SIGNAL` / id, `#EFFECT#system#type` / entity; `ACTION#a` | 3 beside each other, 1–2 batches | 2n + 6 R |
//! | the organization's policy; change it | table | `AGENT_POLICY` | 1 | 1 R, 1 W |
//! | what an approval is judged by: the session and its actions, beside it policy and approver | table | `#AGENT_SESSION#s`, `AGENT_POLICY`, `#USER` / id | 1, and 1 batch | n + 2 R |
//! | a session's journal, by time | table | `#AGENT_SESSION#s#JOURNAL` / instant, chain, number | 1 per MB, the session beside it | n/4 R |
//! | the organization's journals, by time | gsi1 | `#JOURNAL` / the same | 1 per MB | n/8 R |
//! | note a transition of a session or an action in its journal | table, gsi1 | `#AGENT_SESSION#s#JOURNAL` / the same | in the transaction | 4 W |
//! | count a claim on a day with caps | table | `#AGENT_DAY` / date | in the transaction | 2 W |
//! | what an action is claimed by: its session, the policy, the stack, its connection and what is known of how that answers, those of what it requires, the pause, who claimed its effects, who comes first, and who claimed an effect that is another's | table | `#AGENT_SESSION#s` / `SESSION`, `ACTION#a`; `AGENT_POLICY`; `STACK`; `#CONNECTION`, `#TRAFFIC` / name, `AGENT_PAUSE`; `#EFFECT#system#type` / entity | 2 batches, 3 if another claimed the effect | 7–10 R |
//! | the organization's connections, by name, at most 50 | table | `#CONNECTION` / name | 1 | n/2 R, n R consistent |
//! | create, replace or delete a connection, or pause it | table | `#CONNECTION` / name, `#TRAFFIC` / name | 1, and 1 | n R, 2–4 W |
//! | a connection and its breaker | table | `#CONNECTION`, `#TRAFFIC` / name | 1 batch | 2 R |
//! | note an answer that is not clear, or the first clear one after such | table | `#TRAFFIC` / name | 1, and 1 | 1 R, 1 W |
//! | be the probe of an open breaker; or of a connection that is limited, have an action begin or end, or a call begin | table | `#TRAFFIC` / name | 1, after 1 unless a claim read it | 1 R, 1 W |
//! | whether the organization's actions are paused | table | `AGENT_PAUSE` | 1 | ½ R |
//! | pause them all, or go on | table | `AGENT_PAUSE` | 1 | 2 W |
//! | claim an action and its effects | table, gsi2 | action, `#EFFECT#system#type` / entity, those of its rivals (checked) | 1 transaction | 8–10 W |
//! | go on with an action, or give it back | table, gsi2 | action | 1 | 1–3 W |
//! | record an action's outcome, what it put right, and the minutes it saved unless its record did on that day | table, gsi2 | action, `#REMEDY#system` / entity, `#SAVING` / day#system#entity, `TOTALS` | 1 transaction, 2 if it did | 12 W |
//! | an action that is to be looked at, and its reads' connections | table | `#AGENT_SESSION#s` / `ACTION#a`, then `#CONNECTION` / name, `AGENT_PAUSE` | 1, and 1 batch | 3–7 R |
//! | note what a look told; at the end of looks also what follows for the session, its signal, what was put right and saved | table, gsi2 | session with its actions; action, journal; `SESSION`, `#SIGNAL` / id, `#REMEDY#system` / entity, `#SAVING` / day#system#entity, `TOTALS` | 1–2, and 1 transaction | n + 1 R, 7 W, 20 W |
//! | record an outcome while others keep writing the totals, and count its minutes later | table, gsi2 | action; the same | 1; 1 transaction | 3 W, 12 W |
//! | what became of what each version of a playbook proposed, and which of them did not help a signal's records | table | `#PLAYBOOKS`; `#NOT_HELPED` / entity | 1, and in the batch of the signal | n/16 R, 1 R a record |
//! | note whether an action had its effect | table | `#PLAYBOOKS` / name#version; where it had none, `#NOT_HELPED` / entity | in the transaction | 2 W, and 2 W a record |
//! | what actions saved, newest days first | table | `#SAVING` / day#system#entity | 1 per MB | n/24 R |
//! | actions and sessions that are due (the sweeper, no tenant) | gsi2 | `DUE#agent_action`, `DUE#agent_session` / instant | 1 each per 200 | n/8 R |
//! | cleanups that are due (the sweeper, no tenant) | gsi2 | `DUE#cleanup` / instant | 1 per 100 | n/8 R |
//! | keep a cleanup's place between its rounds, or put it off | table, gsi2 | `#CLEANUP` / subject | 1 | 4 W |
//! | unlink the tasks of a deleted milestone, 1,000 a round | gsi2, then table | `#MILESTONE#m#TASK` | 1 per MB | n/8 R, 3–4 W each |
//! | take a deleted phase from the project's tasks, 1,000 a round | gsi1, then table | `#PROJECT#p#TASK`, all of them | 1 per MB | n/8 R, 2–3 W each that was in it |
//! | take a deleted tag from tasks and activities, 1,000 a round | table | `#TASK`, `#ACTIVITY`, all of them | 1 per MB | n/4 R, 2–3 W each that carried it |

mod activities;
mod agent;
mod assignee;
mod cleanup;
mod comments;
mod connections;
mod dashboard;
mod directory;
mod filter;
mod history;
mod ids;
pub mod key;
mod meter;
mod milestones;
mod once;
mod page;
mod permit;
mod references;
mod resolutions;
mod rewrite;
mod service_requests;
mod sessions;
mod sign_in;
mod signal_days;
mod signals;
mod table;
mod tagging;
mod tasks;
mod tickets;
mod tokens;

pub use activities::{Activities, ActivitiesAsked, ActivityWithRefs, TaggedActivity};
pub use agent::{
    Agent, Approval, AwaitedLook, ByHand, DueAction, DueSession, DueWork, HandingOver, HeldAction,
    Lease, Previewed, SessionOnAlert, SessionWithActions,
};
pub use cleanup::{CLEANUP_DELAY, Cleanups, Progress};
pub use comments::{CommentWithAuthor, Comments};
pub use connections::Connections;
pub use dashboard::{Dashboard, Dashboards, FeedItem, Metrics};
pub use directory::{Directory, NewUser};
pub use history::EntryWithActor;
pub use meter::{Used, metered};
pub use milestones::{LinkedTask, MilestoneWithTasks, Milestones};
pub use model::NewSignal;
pub use once::Attempt;
pub use page::{Page, Place, Row, Wanted};
pub use permit::{Expected, Given, Permit, Terms};
pub use references::{FoundReference, References};
pub use service_requests::{Past, ServiceRequests};
pub use sign_in::{Account, SignIn, SignInAttempt};
pub use signals::Signals;
pub use table::Stored;
pub use tagging::{Tagged, Tagging};
pub use tasks::{JoinedTask, TaggedTask, Tasks};
pub use tickets::{MessageFrom, NewMessage, NewTicket, Sender, TicketWithMessages, Tickets};
pub use tokens::{TokenHolder, Tokens};

use aws_sdk_dynamodb::Client;
use model::{Clock, Error, Id, Timestamp};

use self::{
    agent::StackName,
    ids::Ids,
    key::Key,
    table::{OrNotFound, Read, Record, Table, Write},
};

/// Opens a connection to the table by asking for what is not there, so that the first request does
/// not wait for it. A failure is left for that request to meet.
pub async fn warm_up(client: &Client, table: &str) {
    let _ = Table::new(client.clone(), table)
        .batch_get([key::nothing()], Read::Eventual)
        .await;
}

/// All records, by resource. Cheap to clone; clones share their reserved ids.
#[derive(Clone, Debug)]
pub struct Store {
    table: Table,
    ids: Ids,
    clock: Clock,
    stack: StackName,
}

impl Store {
    /// A store on the table of that name.
    #[must_use]
    pub fn new(client: Client, table: &str, clock: Clock) -> Self {
        Self {
            table: Table::new(client, table),
            ids: Ids::default(),
            clock,
            stack: StackName::default(),
        }
    }

    /// The same store for somebody who can wait longer while others write the same records, as the
    /// worker does: what it knows of a call is nowhere else.
    #[must_use]
    pub fn patient(self) -> Self {
        Self {
            table: self.table.patient(),
            ..self
        }
    }

    /// The time that records are written with.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Sessions, accounts and failed sign-ins.
    #[must_use]
    pub const fn sign_in(&self) -> SignIn<'_> {
        SignIn(self)
    }

    /// Access tokens.
    #[must_use]
    pub const fn tokens(&self) -> Tokens<'_> {
        Tokens(self)
    }

    /// Organizations, users, projects, phases and tags.
    #[must_use]
    pub const fn directory(&self) -> Directory<'_> {
        Directory(self)
    }

    /// Milestones.
    #[must_use]
    pub const fn milestones(&self) -> Milestones<'_> {
        Milestones(self)
    }

    /// Tasks.
    #[must_use]
    pub const fn tasks(&self) -> Tasks<'_> {
        Tasks(self)
    }

    /// Activities.
    #[must_use]
    pub const fn activities(&self) -> Activities<'_> {
        Activities(self)
    }

    /// Service requests.
    #[must_use]
    pub const fn service_requests(&self) -> ServiceRequests<'_> {
        ServiceRequests(self)
    }

    /// Tags on tasks and activities.
    #[must_use]
    pub const fn tagging(&self) -> Tagging<'_> {
        Tagging(self)
    }

    /// Comments on service requests, activities and tasks.
    #[must_use]
    pub const fn comments(&self) -> Comments<'_> {
        Comments(self)
    }

    /// Support tickets and their messages.
    #[must_use]
    pub const fn tickets(&self) -> Tickets<'_> {
        Tickets(self)
    }

    /// The managed-services dashboard.
    #[must_use]
    pub const fn dashboard(&self) -> Dashboards<'_> {
        Dashboards(self)
    }

    /// What a service request may refer to.
    #[must_use]
    pub const fn references(&self) -> References<'_> {
        References(self)
    }

    /// Signals (alerts).
    #[must_use]
    pub const fn signals(&self) -> Signals<'_> {
        Signals(self)
    }

    /// Resolution-agent sessions and their approved actions.
    #[must_use]
    pub const fn agent(&self) -> Agent<'_> {
        Agent(self)
    }

    /// The systems that the organization's actions call.
    #[must_use]
    pub const fn connections(&self) -> Connections<'_> {
        Connections(self)
    }

    /// What deletes left to do.
    #[must_use]
    pub const fn cleanups(&self) -> Cleanups<'_> {
        Cleanups(self)
    }

    /// A record as it is at this moment. 404 when it is not there, by that name.
    async fn one<R: Record>(&self, key: &Key<R>, noun: &'static str) -> Result<Stored<R>, Error> {
        let found = self.table.get(key, Read::Consistent).await?;
        found.or_not_found(noun)
    }

    /// Writes records of which none can be there yet, all or none.
    async fn create_all(
        &self,
        given: &Given,
        writes: Vec<Write>,
        made: impl Id,
    ) -> Result<(), Error> {
        let done = self.commit(given, writes, Some(made.get())).await?;
        done.map_err(|_| id_is_taken("record"))
    }
}

fn id_is_taken(kind: &'static str) -> Error {
    Error::internal(
        "writing a new record",
        format!("the id of the {kind} is taken"),
    )
}
