//! Keys of alerts, of the agent's sessions and actions, and of the systems that they call.

use agent::{
    action::{ActionContent, ActionKey, AgentAction, LastOutcome, RecordGuard, Saving},
    alert::Alert,
    connection::{AgentPause, Connection, ConnectionTraffic},
    journal::JournalEntry,
    policy::AgentPolicy,
    session::{AgentSession, PlaybookRuns},
};
use model::{
    base::{AgentSessionId, AlertId, Id, RecordType, Timestamp},
    people::SessionHead,
};
use table::{Gsi1, Gsi2, Gsi3, Key, RecordList, SortKey, padded};

use crate::{
    Tenant,
    base::records::{
        AgentDay, AlertDay, AlertSeries, AlertSource, AlertsSince, KeptExcerpt, Part,
        SessionOfAlert, Stack,
    },
};

use super::format::{instant_then_id, keys, of_record, partition};

keys! {
    /// The organization's alerts by occurrence.
    pub fn alerts(tenant: Tenant) -> RecordList<Alert, Gsi2> = partition(tenant, RecordType::Alert);
    /// The alerts of a class by occurrence.
    pub fn alerts_of_class(tenant: Tenant, signal_type: &str) -> RecordList<Alert, Gsi1>
        = format!("{}#{signal_type}", partition(tenant, RecordType::Alert));
    /// The days (UTC) of a class of alerts, with their occurrences.
    pub(crate) fn alert_days(tenant: Tenant, signal_type: &str) -> RecordList<AlertDay>
        = format!("ORG#{tenant}#ALERT_DAY#{signal_type}");
    /// The instant since which the organization's alerts are recorded.
    pub(crate) fn alerts_since(tenant: Tenant) -> Key<AlertsSince>
        = format!("ORG#{tenant}"), "ALERTS";
    /// The alert of a reporter's id, which is unique with its source. The length of the source
    /// keeps `a#b` + `c` apart from `a` + `b#c`.
    pub(crate) fn alert_source(tenant: Tenant, source: &str, id: &str) -> Key<AlertSource>
        = format!("ORG#{tenant}#ALERT_SOURCE#{}#{source}", source.len()), id;
    /// The firing of a series that was opened last, by its source as in [`alert_source`].
    pub(crate) fn alert_series(tenant: Tenant, source: &str, series: &str) -> Key<AlertSeries>
        = format!("ORG#{tenant}#ALERT_SERIES#{}#{source}", source.len()), series;
    /// The last outcomes of a record, by target system.
    pub(crate) fn last_outcomes(tenant: Tenant, entity: &str) -> RecordList<LastOutcome>
        = format!("ORG#{tenant}#OUTCOME#{entity}");
    /// The results of the playbooks that were proposed to the organization, by name and version.
    pub(crate) fn playbook_runs(tenant: Tenant) -> RecordList<PlaybookRuns>
        = format!("ORG#{tenant}#PLAYBOOKS");
    pub fn agent_session(tenant: Tenant, id: AgentSessionId) -> Key<AgentSession>
        = agent_partition(tenant, id), "SESSION";
    /// The organization's agent sessions by creation.
    pub fn agent_sessions(tenant: Tenant) -> RecordList<AgentSession, Gsi1>
        = partition(tenant, RecordType::AgentSession);
    /// The organization's agent sessions with open work by creation. The index is sparse.
    pub fn agent_sessions_open(tenant: Tenant) -> RecordList<AgentSession, Gsi3>
        = format!("{}#OPEN", partition(tenant, RecordType::AgentSession));
    /// The ids of an alert's agent sessions, by creation.
    pub(crate) fn sessions_of_alert(tenant: Tenant, alert: AlertId) -> RecordList<SessionOfAlert>
        = of_record(tenant, alert, RecordType::AgentSession);
    /// The savings of actions, by day.
    pub fn savings(tenant: Tenant) -> RecordList<Saving> = format!("ORG#{tenant}#SAVING");
    /// An agent session and its approved actions.
    pub(crate) fn agent_parts(tenant: Tenant, id: AgentSessionId) -> RecordList<Part>
        = agent_partition(tenant, id);
    /// The organization's connections by name.
    pub fn connections(tenant: Tenant) -> RecordList<Connection> = format!("ORG#{tenant}#CONNECTION");
    /// A connection's breaker, and the number of its calls.
    pub(crate) fn connection_traffic(tenant: Tenant, name: &str) -> Key<ConnectionTraffic>
        = format!("ORG#{tenant}#TRAFFIC"), name;
    pub(crate) fn agent_pause(tenant: Tenant) -> Key<AgentPause>
        = format!("ORG#{tenant}"), "AGENT_PAUSE";
    /// The actions that claimed a record, such as `invoice/inv_1`.
    pub fn record_guard(tenant: Tenant, record: &str) -> Key<RecordGuard>
        = format!("ORG#{tenant}#LOCK"), record;
    pub fn agent_policy(tenant: Tenant) -> Key<AgentPolicy>
        = format!("ORG#{tenant}"), RecordType::AgentPolicy.facts().key;
    /// A session's journal by time.
    pub(crate) fn journal(tenant: Tenant, session: AgentSessionId) -> RecordList<JournalEntry>
        = format!("{}#JOURNAL", agent_partition(tenant, session));
    /// The journals of all sessions of an organization, by time.
    pub(crate) fn journals(tenant: Tenant) -> RecordList<JournalEntry, Gsi1>
        = format!("ORG#{tenant}#JOURNAL");
    /// The claims of a day (UTC) for which the policy has caps.
    pub(crate) fn agent_day(tenant: Tenant, at: Timestamp) -> Key<AgentDay>
        = format!("ORG#{tenant}#AGENT_DAY"), at.day();
    /// The messages of a day (UTC) to a customer for which the policy has a cap.
    pub(crate) fn messages_of_day(tenant: Tenant, at: Timestamp, customer: &str) -> Key<AgentDay>
        = format!("ORG#{tenant}#AGENT_DAY#MESSAGES#{}", at.day()), customer;
    /// The name by which target systems tell this stack from others.
    pub(crate) fn stack() -> Key<Stack> = "STACK", "STACK";
    pub fn agent_action(key: &ActionKey) -> Key<AgentAction>
        = agent_partition(key.organization_id, key.session_id), format!("{AGENT_ACTION}{}", key.action_id);
    /// An alert's key in [`alerts`].
    pub fn alert_in_time(alert: &Alert) -> Key<Alert, Gsi2>
        = alerts(alert.organization_id) => instant_then_id(alert.occurred_at, alert.id);
    /// An alert's key in [`alerts_of_class`].
    pub fn alert_in_class(alert: &Alert) -> Key<Alert, Gsi1>
        = alerts_of_class(alert.organization_id, &alert.signal_type)
        => alert_order(alert.occurred_at, alert.id);
    /// The sort key of a day, as `2026-01-31`, in [`alert_days`].
    pub(crate) fn alert_day(date: &str) -> SortKey = date;
    pub(crate) fn last_outcome(tenant: Tenant, entity: &str, target_system: &str)
        -> Key<LastOutcome> = last_outcomes(tenant, entity) => SortKey::new(target_system);
    /// The sort key of a version, by its [label](agent::action::PlaybookVersion::label), in
    /// [`playbook_runs`].
    pub(crate) fn playbook_version(label: String) -> SortKey = label;
    /// An agent session's key in [`agent_sessions`].
    pub fn agent_session_in_time(session: &AgentSession) -> Key<AgentSession, Gsi1>
        = agent_sessions(session.organization_id)
        => instant_then_id(session.times.created_at, session.id);
    /// An agent session's key in [`agent_sessions_open`].
    pub fn agent_session_open(session: &AgentSession) -> Key<AgentSession, Gsi3>
        = agent_sessions_open(session.organization_id)
        => instant_then_id(session.times.created_at, session.id);
    /// A key in [`sessions_of_alert`].
    pub(crate) fn session_of_alert(session: &SessionOfAlert) -> Key<SessionOfAlert>
        = sessions_of_alert(session.organization_id, session.alert_id)
        => instant_then_id(session.created_at, session.session_id);
    pub fn connection(tenant: Tenant, name: &str) -> Key<Connection>
        = connections(tenant) => SortKey::new(name);
    /// An entry's key in [`journal`](fn@journal).
    pub(crate) fn journal_entry(entry: &JournalEntry) -> Key<JournalEntry>
        = journal(entry.organization_id, entry.session_id) => SortKey::new(journal_place(entry));
    /// The entry of a session's own chain that the organization's journal names.
    pub(crate) fn named_entry(tenant: Tenant, head: &SessionHead) -> Key<JournalEntry>
        = journal(tenant, head.id) => SortKey::new(place_of(head.at, head.id, "", head.seq));
    /// An entry's key in [`journals`].
    pub(crate) fn journal_entry_in_time(entry: &JournalEntry) -> Key<JournalEntry, Gsi1>
        = journals(entry.organization_id) => SortKey::new(journal_place(entry));
}

/// A sort key in [`alerts_of_class`].
pub fn alert_order(occurred_at: Timestamp, id: AlertId) -> SortKey<Gsi1> {
    instant_then_id(occurred_at, id)
}

/// The key in [`savings`]: one for each day (UTC) and record of a target system.
pub(crate) fn saving(saving: &Saving) -> Key<Saving> {
    let day = saving.at.day();
    let system = &saving.target_system;
    let place = format!("{day}#{}#{system}#{}", system.len(), saving.entity);
    savings(saving.organization_id).at(SortKey::new(place))
}

/// An excerpt of an answer, by its hash. Each action has its own; `None` is the session's.
pub(crate) fn excerpt(
    tenant: Tenant,
    session: AgentSessionId,
    action_id: Option<&str>,
    hash: &str,
) -> Key<KeptExcerpt> {
    let action_id = action_id.unwrap_or_default();
    Key::new(
        format!("{}#EXCERPT", agent_partition(tenant, session)),
        format!("{action_id}#{hash}"),
    )
}

/// The id of the approved action with this sort key. `None` if it is the sort key of another
/// record.
pub(crate) fn action_id(sk: &str) -> Option<&str> {
    sk.strip_prefix(AGENT_ACTION)
}

/// The prefix of the sort key of an approved action.
const AGENT_ACTION: &str = "ACTION#";

fn agent_partition(tenant: Tenant, id: AgentSessionId) -> String {
    format!("{}#{id}", partition(tenant, RecordType::AgentSession))
}

/// The actions of earlier releases that claimed the record of an action. Only read: what they left
/// unknown, or did within a day, counts.
pub(crate) fn earlier_guard(tenant: Tenant, content: &ActionContent) -> Option<Key<RecordGuard>> {
    let (_, entity) = content.entity()?;
    let system = &content.target_system;
    let action_type: &str = content.action_type.into();
    Some(Key::new(
        format!("ORG#{tenant}#EFFECT#{system}#{action_type}"),
        entity,
    ))
}

/// An instant, then session, chain and number for ties.
fn journal_place(entry: &JournalEntry) -> String {
    let chain = entry
        .action_id
        .as_deref()
        .unwrap_or_default();
    place_of(entry.at, entry.session_id, chain, entry.seq)
}

fn place_of(at: Timestamp, session: AgentSessionId, chain: &str, seq: i64) -> String {
    format!("{at}#{}#{chain}#{}", padded(session.get()), padded(seq))
}
