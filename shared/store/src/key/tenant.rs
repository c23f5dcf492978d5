//! All partitions of an organization, for what treats an organization as a whole: export, deletion.
//!
//! No query lists partitions. So each one is named here: by the organization, in [`partitions`], or
//! by an item of another partition, in its [`below`](Partition::below). A new key format gets its
//! line here. A test scans a filled table, and fails for an item without one.

use agent::action::ActionContent;
use model::base::{
    AgentSessionId, Deleted, Deletion, Id, NamedRecord, OrganizationId, RecordType, ReferenceId,
    Talk, Timestamp, UserId, WebhookId, unique_name,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use table::AnyKey;

use crate::{Tenant, base::record::any_keys, key};

use super::format::{below, partition, record_of, text};

/// A partition with items of an organization.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    pub(crate) key: String,
    below: Below,
}

/// Returns the partitions that an item names; none if it does not read. Several items may name one.
type Below = fn(OrganizationId, &Named<'_>) -> Option<Vec<Partition>>;

/// An item that may name partitions.
#[derive(Debug)]
pub(crate) struct Named<'a> {
    pub(crate) sk: &'a str,
    pub(crate) attributes: &'a Value,
}

impl Named<'_> {
    /// The id of a record in a list by id.
    fn id<I: Id>(&self) -> Option<I> {
        I::new(self.sk.parse().ok()?)
    }

    fn text(&self, name: &str) -> &str {
        self.attributes[name]
            .as_str()
            .unwrap_or_default()
    }

    fn read<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        T::deserialize(&self.attributes[name]).ok()
    }
}

impl Partition {
    fn new(key: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            below: |_, _| None,
        }
    }

    fn naming(self, below: Below) -> Self {
        Self { below, ..self }
    }

    pub(crate) fn below(&self, tenant: Tenant, item: &Named<'_>) -> Vec<Self> {
        (self.below)(tenant, item).unwrap_or_default()
    }
}

/// The partitions that the organization itself names. The one of its own record comes last.
pub(crate) fn partitions(tenant: Tenant) -> Vec<Partition> {
    let of = |kind| partition(tenant, kind);
    let start = Timestamp::from_millis(0);
    let records = RecordType::ALL
        .iter()
        .filter_map(|kind| {
            let facts = kind.facts();
            let by_id = Partition::new(of(*kind));
            if facts.has_history || facts.thread.is_some() {
                return Some(by_id.naming(of_record));
            }
            // Others whose deletion leaves work have nothing below them.
            (facts.deletion != Deletion::Nothing).then_some(by_id)
        });
    let others = [
        Partition::new(of(RecordType::User)).naming(of_user),
        Partition::new(pk(key::subject_holder(tenant, ""))),
        Partition::new(key::listed_providers().partition()),
        Partition::new(of(RecordType::Invitation)).naming(of_invitation),
        Partition::new(pk(key::invited_address(tenant, ""))),
        Partition::new(of(RecordType::Mail)).naming(of_mail),
        Partition::new(pk(key::name_of_tag(tenant, ""))),
        Partition::new(pk(key::name_of_customer(tenant, ""))),
        Partition::new(pk(key::domain_of_customer(tenant, ""))),
        Partition::new(of(RecordType::Cleanup)).naming(of_deletion),
        Partition::new(key::resolution_days(tenant).partition()),
        Partition::new(key::references(tenant).partition()),
        Partition::new(of(RecordType::Alert)).naming(of_alert),
        Partition::new(key::connections(tenant).partition()),
        Partition::new(pk(key::connection_traffic(tenant, ""))),
        Partition::new(pk(key::record_guard(tenant, ""))),
        Partition::new(key::savings(tenant).partition()),
        Partition::new(key::playbook_runs(tenant).partition()),
        Partition::new(pk(key::agent_day(tenant, start))).naming(of_agent_day),
        Partition::new(of(RecordType::Webhook)).naming(of_webhook),
        Partition::new(key::organization_journal(tenant).partition()).naming(of_entry),
        Partition::new(key::feed(tenant).partition()),
        Partition::new(key::indexed_by_time(tenant).partition()).naming(of_indexed),
        Partition::new(pk(key::notified_change(tenant, ""))),
        Partition::new(key::reminders(tenant)),
        Partition::new(pk(key::waiting_calls(tenant, start))),
        Partition::new(pk(key::agent_pause(tenant))),
    ];
    records.chain(others).collect()
}

/// Returns the partition key of an item, in the table or in an index, after its move to another
/// organization. `None` for one of no organization.
pub(crate) fn moved(pk: &str, from: OrganizationId, to: OrganizationId) -> Option<String> {
    if let Some((due, _)) = pk
        .strip_prefix("DUE#")
        .and_then(|due| due.split_once('#'))
    {
        return Some(format!("DUE#{due}#{}", key::shard_of(to)));
    }
    let rest = pk.strip_prefix(&format!("ORG#{from}"))?;
    let is_of = rest.is_empty() || rest.starts_with('#');
    is_of.then(|| format!("ORG#{to}{rest}"))
}

/// Returns the key of an organization's item from its text: both parts, with a space between.
pub(crate) fn spelled(tenant: Tenant, item: &str) -> Option<AnyKey> {
    let (pk, sk) = item.split_once(' ')?;
    moved(pk, tenant, tenant)?;
    Some(AnyKey::new(pk, sk))
}

/// Returns the records that the key of an item without a record names. The item is a counter of the
/// organization, which has no kind, an inbox or a long text. `None` for all other keys.
pub(crate) fn formless(
    tenant: Tenant,
    kind: Option<&str>,
    item: &AnyKey,
) -> Option<Vec<NamedRecord>> {
    let Some(kind) = kind else {
        let single = any_keys![
            key::totals(tenant),
            key::admins(tenant),
            key::webhook_ids(tenant)
        ];
        let is_counter = single.contains(item) || is_agent_day(tenant, item);
        return is_counter.then(Vec::new);
    };
    let rest = item
        .pk()
        .strip_prefix(&key::tenant_prefix(tenant))?;
    let mut parts = rest.split('#');
    let name = parts.next()?;
    let id = ReferenceId::new(parts.next()?.parse().ok()?)?;
    let mut kinds = RecordType::ALL.iter().copied();
    let record_type = kinds.find(|kind| kind.facts().key == name)?;
    let expected = match kind {
        "inbox" => AnyKey::from(key::inbox(tenant, UserId::new(id.get())?)),
        "text" => text(&record_of::<()>(tenant, record_type, id).into(), item.sk()).into(),
        _ => return None,
    };
    let named = NamedRecord {
        kind: record_type,
        id: id.get(),
        field: "pk".to_owned(),
    };
    (expected == *item).then(|| vec![named])
}

/// Returns true for the key of a day of the agent, or of a customer on a day.
fn is_agent_day(tenant: Tenant, item: &AnyKey) -> bool {
    let start = |day: &str| format!("{day}T00:00:00Z").parse().ok();
    let is_day =
        start(item.sk()).is_some_and(|at| AnyKey::from(key::agent_day(tenant, at)) == *item);
    let day = item
        .pk()
        .rsplit('#')
        .next()
        .and_then(start);
    let of_customer = |at| AnyKey::from(key::messages_of_day(tenant, at, item.sk())) == *item;
    is_day || day.is_some_and(of_customer)
}

fn pk(key: impl Into<AnyKey>) -> String {
    key.into().pk().to_owned()
}

fn of_user(tenant: Tenant, user: &Named<'_>) -> Option<Vec<Partition>> {
    let id = user.id::<UserId>()?;
    let account = key::account(&unique_name::key(user.text("username")));
    let email = key::email_holders(&user.text("email").to_ascii_lowercase());
    let failures = key::sign_in_account(user.text("username"));
    let failures = key::sign_in_counts(&failures).partition();
    let mut partitions = partitions_of_user(tenant, id);
    partitions.extend([
        Partition::new(failures),
        Partition::new(pk(account)),
        Partition::new(email.partition()),
    ]);
    Some(partitions)
}

/// The partitions of a user, which go when the user is erased.
pub(crate) fn partitions_of_user(tenant: Tenant, id: UserId) -> Vec<Partition> {
    vec![
        Partition::new(pk(key::inbox(tenant, id))),
        Partition::new(key::notifications(tenant, id).partition()),
        Partition::new(key::sessions(tenant, id).partition()),
        Partition::new(key::tokens(tenant, id).partition()).naming(of_token),
        Partition::new(pk(key::attempted(tenant, id, ""))),
    ]
}

/// The link that was sent last. Those of before are named by their mails.
fn of_invitation(_: OrganizationId, invitation: &Named<'_>) -> Option<Vec<Partition>> {
    let hash: String = invitation.read("linkHash")?;
    Some(vec![Partition::new(pk(key::link(&hash)))])
}

fn of_mail(_: OrganizationId, mail: &Named<'_>) -> Option<Vec<Partition>> {
    let hash = mail.attributes["letter"]["link"]["hash"].as_str()?;
    Some(vec![Partition::new(pk(key::link(hash)))])
}

fn of_token(_: OrganizationId, token: &Named<'_>) -> Option<Vec<Partition>> {
    let hash: String = token.read("hash")?;
    Some(vec![Partition::new(pk(key::token_holder(&hash)))])
}

fn of_record(tenant: Tenant, record: &Named<'_>) -> Option<Vec<Partition>> {
    Some(below_record(tenant, record.read("kind")?, record.id()?))
}

/// A deleted record leaves its history, and for some time its texts and comments.
fn of_deletion(tenant: Tenant, deletion: &Named<'_>) -> Option<Vec<Partition>> {
    let deleted: Deleted = deletion.read("subject")?;
    Some(below_record(tenant, deleted.kind, deleted.id))
}

fn below_record(tenant: Tenant, kind: RecordType, id: ReferenceId) -> Vec<Partition> {
    let facts = kind.facts();
    let texts = text(&record_of::<()>(tenant, kind, id).into(), "");
    let mut partitions = vec![Partition::new(pk(texts))];
    if facts.has_history {
        partitions.push(Partition::new(below(tenant, kind, id, "HISTORY")));
    }
    if kind == RecordType::Project {
        partitions.push(Partition::new(below(tenant, kind, id, "MEMBER")));
    }
    if let Some(thread) = facts.thread {
        let of_thread = below(tenant, kind, id, thread.facts().key);
        partitions.push(Partition::new(of_thread));
    }
    if let Some(talk) = Talk::of(kind, id.get()) {
        let users = key::participants(tenant, talk).partition();
        partitions.push(Partition::new(users));
    }
    partitions
}

fn of_alert(tenant: Tenant, alert: &Named<'_>) -> Option<Vec<Partition>> {
    let days = key::alert_days(tenant, alert.text("signalType")).partition();
    let source = alert.text("source");
    let sessions = key::sessions_of_alert(tenant, alert.id()?).partition();
    Some(vec![
        Partition::new(days),
        Partition::new(pk(key::alert_source(tenant, source, ""))),
        Partition::new(pk(key::alert_series(tenant, source, ""))),
        Partition::new(sessions).naming(of_session),
    ])
}

fn of_session(tenant: Tenant, session: &Named<'_>) -> Option<Vec<Partition>> {
    let id: AgentSessionId = session.read("sessionId")?;
    Some(vec![
        Partition::new(key::agent_parts(tenant, id).partition()).naming(of_action),
        Partition::new(pk(key::excerpt(tenant, id, None, ""))),
        Partition::new(key::journal(tenant, id).partition()),
    ])
}

fn of_action(tenant: Tenant, action: &Named<'_>) -> Option<Vec<Partition>> {
    let content: ActionContent = action.read("content")?;
    let guards = key::earlier_guard(tenant, &content).map(pk);
    let entity = content
        .entity()
        .filter(|(_, id)| !id.is_empty());
    let outcomes = entity.map(|(_, id)| key::last_outcomes(tenant, id).partition());
    let keys = guards.into_iter().chain(outcomes);
    Some(keys.map(Partition::new).collect())
}

fn of_agent_day(tenant: Tenant, day: &Named<'_>) -> Option<Vec<Partition>> {
    let start = format!("{}T00:00:00Z", day.sk)
        .parse()
        .ok()?;
    let messages = pk(key::messages_of_day(tenant, start, ""));
    Some(vec![Partition::new(messages)])
}

fn of_webhook(tenant: Tenant, webhook: &Named<'_>) -> Option<Vec<Partition>> {
    Some(below_webhook(tenant, webhook.id()?))
}

/// A deleted webhook leaves its deliveries for some days.
fn of_entry(tenant: Tenant, entry: &Named<'_>) -> Option<Vec<Partition>> {
    let subjects: Vec<String> = entry.read("subjects")?;
    let names = subjects
        .iter()
        .filter_map(|name| name.split_once(':'));
    let webhooks = names.filter(|(kind, _)| *kind == RecordType::Webhook.name());
    let ids = webhooks.filter_map(|(_, id)| WebhookId::new(id.parse().ok()?));
    Some(
        ids.flat_map(|id| below_webhook(tenant, id))
            .collect(),
    )
}

fn below_webhook(tenant: Tenant, id: WebhookId) -> Vec<Partition> {
    vec![
        Partition::new(pk(key::webhook_health(tenant, id))),
        Partition::new(key::webhook_deliveries(tenant, id).partition()),
    ]
}

fn of_indexed(tenant: Tenant, record: &Named<'_>) -> Option<Vec<Partition>> {
    let words: String = record.read("words")?;
    let words = words
        .split(' ')
        .filter(|word| !word.is_empty());
    let keys = words.map(|word| key::words_beginning(tenant, word).partition());
    Some(keys.map(Partition::new).collect())
}
