//! The records in the end, held against the answers to clients.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    time::Duration,
};

use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_sqs::types::QueueAttributeName;
use serde_json::{Map, Value, json};
use shared::{
    clock::Stopwatch,
    model::base::{SearchedType, Timestamp, span},
};
use tests::{feed_copy, support::scan};

use crate::{
    kind::Kind,
    ledger::{Gone, Ledger, Made, Session},
    receiver::name,
    world::World,
};

/// Seconds from the end of the story on at which the world is looked at again. What has a bound
/// ends within a day and a little. The last steps are for what takes several turns.
const LATER: [i64; 11] = [
    0, 60, 240, 1_000, 4_000, 16_000, 64_000, 90_000, 100_000, 150_000, 200_000,
];

/// Seconds in which time goes from one attempt of an action to the next. An approval expires after
/// an hour, and on a slow machine attempts fail that succeed on a quick one.
const APPROVED: i64 = 3_000;

/// Seconds of the smallest step between attempts.
const STEP: i64 = 60;

/// Seconds from then on at which the last deliveries are looked at. The sweeper sends a message
/// again after ten minutes.
const LAST: [i64; 5] = [0, 700, 1_400, 2_100, 2_800];

/// Pause after a run of the sweeper, for the work of its messages.
const WORK: Duration = Duration::from_millis(500);

/// Time limit for progress while work is due. A machine that does much else is slow, and an
/// approval expires if time is wound forward meanwhile.
const PATIENCE: Duration = Duration::from_mins(1);

/// In these a session has not ended.
const UNENDED_SESSIONS: [&str; 4] = [
    "analyzing",
    "awaiting_confirmation",
    "executing",
    "cancelling",
];

/// Kinds of records that end within a bound.
const BOUNDED: [&str; 4] = [
    "agent_session",
    "agent_action",
    "cleanup",
    "webhook_delivery",
];

/// In these an action has not ended.
const UNENDED_ACTIONS: [&str; 2] = ["queued", "running"];

/// Failures, each a line for a person.
#[derive(Debug, Default)]
pub struct Verdict {
    pub lost: Vec<String>,
    pub duplicated: Vec<String>,
    pub stuck: Vec<String>,
    pub wrong: Vec<String>,
    /// Approved actions, and those of them that succeeded.
    pub approved: usize,
    pub succeeded: usize,
    /// Number of the other actions, by state and error.
    pub others: BTreeMap<String, usize>,
}

impl Verdict {
    pub fn is_clean(&self) -> bool {
        let lists = [&self.lost, &self.duplicated, &self.stuck, &self.wrong];
        lists.into_iter().all(Vec::is_empty)
    }

    /// Returns whether so few actions succeeded that the story tells little of actions.
    pub fn is_idle(&self) -> bool {
        self.succeeded * 4 < self.approved
    }

    /// Each line with what it counts among.
    pub fn lines(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let lists = [
            ("lost", &self.lost),
            ("duplicated", &self.duplicated),
            ("stuck", &self.stuck),
            ("wrong", &self.wrong),
        ];
        lists
            .into_iter()
            .flat_map(|(name, list)| {
                list.iter()
                    .map(move |line| (name, line))
            })
    }
}

/// Winds time forward until everything has ended that has a bound, and looks.
pub async fn judge(world: World, ledger: Ledger) -> Verdict {
    world.calm().await;
    let mut at = 0;
    let (mut table, mut queued);
    loop {
        world.lambda.advance(at);
        world.schedule().fire().await;
        (table, queued) = world.works().await;
        if queued == 0 && table.unended().is_empty() {
            break;
        }
        let attempt = table.next_attempt(world.lambda.now());
        let attempt = attempt.map(|wait| at + wait.max(STEP));
        let attempt = attempt.filter(|attempt| *attempt < APPROVED);
        let later = LATER
            .into_iter()
            .find(|later| *later > at);
        let Some(next) = attempt.or(later) else { break };
        at = next;
    }
    // The last deliveries may have been created by a publisher whose clock is ahead, or wait for
    // their turns.
    for later in LAST {
        world.lambda.advance(at + later);
        let mut began = Stopwatch::start();
        let mut least = usize::MAX;
        while began.elapsed() < PATIENCE {
            world.schedule().fire().await;
            // A change is read at the end of the stream within this pause.
            tokio::time::sleep(Duration::from_secs(1)).await;
            table = Table::read(&world).await;
            // The sweeper still visits ended sessions. A change that it wrote during the scan
            // counts as left, and only what stays left is a finding.
            let left = world.unpublished.count()
                + table.pending_deliveries().count()
                + table.feed_differences().len()
                + table.search_differences().len();
            if left < least {
                (least, began) = (left, Stopwatch::start());
            }
            if left == 0 {
                break;
            }
        }
        if least == 0 {
            break;
        }
    }
    let mut verdict = Verdict {
        stuck: table.unended(),
        wrong: ledger.wrong.clone(),
        ..Verdict::default()
    };
    let some = |count: usize, of: &str| (count > 0).then(|| format!("{count} {of}"));
    verdict
        .stuck
        .extend(some(queued, "messages in the queue"));
    verdict
        .wrong
        .extend(world.lambda.crashes());
    let dead_changes = &world.engines.queues().dead_changes;
    let message_count = world.messages_of(dead_changes).await;
    let set_aside = some(message_count, "changes that were set aside");
    verdict.wrong.extend(set_aside);
    let unpublished = some(world.unpublished.count(), "changes that are not published");
    verdict.stuck.extend(unpublished);
    verdict
        .lost
        .extend(table.feed_differences());
    let feed = table.feed();
    let changes = feed
        .iter()
        .map(|(number, entry)| name(*number, entry));
    let changes: Vec<String> = changes.collect();
    if let Some(receiver) = &world.receiver {
        verdict
            .lost
            .extend(receiver.lacks(&changes));
    }
    // A publisher finds the entries of an earlier delivery by their instants.
    if !world.fates.has(Kind::Clock) {
        let mut seen = BTreeSet::new();
        let again = changes
            .into_iter()
            .filter(|change| !seen.insert(change.clone()));
        let again = again.map(|change| format!("the change feed has {change} twice"));
        verdict.duplicated.extend(again);
    }
    verdict
        .lost
        .extend(table.failed_deliveries());
    verdict
        .lost
        .extend(table.search_differences());
    verdict.records(&ledger, &table);
    let effects = Effects::of(&world);
    let owned = table.effects_owned();
    for session in &ledger.sessions {
        verdict.session(session, &table, &effects, &owned);
    }
    world.stop().await;
    verdict
}

impl World {
    /// Waits until nothing is under way and nothing is due, or nothing progresses. Returns the
    /// records with a bound, and the number of messages.
    async fn works(&self) -> (Table, usize) {
        let mut table = Table::default();
        let mut began = Stopwatch::start();
        let mut least = usize::MAX;
        loop {
            tokio::time::sleep(WORK).await;
            let queued = self.messages().await;
            let under_way = queued + self.unpublished.count();
            let is_over = began.elapsed() > PATIENCE;
            if under_way == 0 || is_over {
                table = Table::read_kinds(self, &BOUNDED).await;
                if is_over || !table.has_due(self.lambda.now()) {
                    return (table, queued);
                }
                self.schedule().fire().await;
            }
            let left = under_way + table.unended().len();
            if left < least {
                (least, began) = (left, Stopwatch::start());
            }
        }
    }

    /// The messages in the queue or in work, without those that never come.
    async fn messages(&self) -> usize {
        self.messages_of(&self.engines.queues().actions.url)
            .await
    }

    async fn messages_of(&self, queue: &str) -> usize {
        let names = [
            QueueAttributeName::ApproximateNumberOfMessages,
            QueueAttributeName::ApproximateNumberOfMessagesNotVisible,
        ];
        let request = self
            .engines
            .sqs()
            .get_queue_attributes()
            .queue_url(queue);
        let request = request.set_attribute_names(Some(names.to_vec()));
        let attributes = request
            .send()
            .await
            .unwrap()
            .attributes
            .unwrap_or_default();
        let counts = names
            .iter()
            .filter_map(|name| attributes.get(name));
        counts
            .map(|count| count.parse::<usize>().unwrap())
            .sum()
    }
}

/// Names a record and its version.
fn state(kind: &Value, id: &Value, version: &Value) -> String {
    format!("{kind} {id} at {version}")
}

/// All items of the table, by kind.
#[derive(Default)]
struct Table(HashMap<String, Vec<Value>>);

impl Table {
    async fn read(world: &World) -> Self {
        Self::read_kinds(world, &[]).await
    }

    /// Reads the items of these kinds; with none, all items.
    async fn read_kinds(world: &World, kinds: &[&str]) -> Self {
        let mut table = Self::default();
        for item in scan(&world.table, world.engines.table_name(), kinds, None).await {
            let item = plain(&AttributeValue::M(item));
            let kind = item["kind"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            table
                .0
                .entry(kind)
                .or_default()
                .push(item);
        }
        table
    }

    fn of(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.0.get(kind).into_iter().flatten()
    }

    fn pending_deliveries(&self) -> impl Iterator<Item = &Value> {
        let deliveries = self.of("webhook_delivery");
        deliveries.filter(|delivery| delivery["status"] == "pending")
    }

    /// The entries of the change feed, by number.
    fn feed(&self) -> Vec<(i64, Value)> {
        let mut numbered = Vec::new();
        for batch in self.of("feed_batch") {
            let entries = batch["entries"]
                .as_array()
                .into_iter()
                .flatten();
            numbered.extend((batch["first"].as_i64().unwrap()..).zip(entries.cloned()));
        }
        numbered.sort_by_key(|(number, _)| *number);
        numbered
    }

    /// Returns the differences of a copy that only follows the change feed.
    fn feed_differences(&self) -> Vec<String> {
        let entries: Vec<Value> = self
            .feed()
            .into_iter()
            .map(|(_, entry)| entry)
            .collect();
        let records = feed_copy::kinds().flat_map(|kind| self.of(kind));
        let records: Vec<Value> = records.cloned().collect();
        let lines = feed_copy::differences(&entries, &records).into_iter();
        let lines = lines.map(|line| format!("in the change feed: {line}"));
        lines.collect()
    }

    /// Returns the records whose state in search differs, and those in one of both alone.
    fn search_differences(&self) -> Vec<String> {
        let kinds = SearchedType::ALL
            .iter()
            .map(|kind| kind.name());
        let records = kinds.flat_map(|kind| self.of(kind));
        let records = records.filter(|record| record["deletedAt"].is_null());
        let records: BTreeSet<_> = records
            .map(|record| state(&record["kind"], &record["id"], &record["version"]))
            .collect();
        let indexed = self.of("indexed_record");
        let indexed = indexed.filter(|record| record["deletedAt"].is_null());
        let indexed: BTreeSet<_> = indexed
            .map(|record| state(&record["type"], &record["id"], &record["recordVersion"]))
            .collect();
        let differences = records.symmetric_difference(&indexed);
        let lines = differences.map(|state| format!("in the search index: {state}"));
        lines.collect()
    }

    /// The id of a milestone as every reader takes it: for none when the milestone is gone. An
    /// index that lags hides a link from who unlinks.
    fn milestone<'a>(&self, id: &'a Value) -> &'a Value {
        let is_there = self
            .of("milestone")
            .any(|milestone| milestone["id"] == *id);
        if is_there { id } else { &Value::Null }
    }

    /// Returns the records that have not ended.
    fn unended(&self) -> Vec<String> {
        let is_one_of = |value: &Value, names: &[&str]| {
            value
                .as_str()
                .is_some_and(|value| names.contains(&value))
        };
        let sessions = self.of("agent_session");
        let sessions = sessions.filter(|session| is_one_of(&session["status"], &UNENDED_SESSIONS));
        // A user settles an outcome that no check is planned for.
        let is_a_users = |session: &Value| {
            let awaited = session["awaited"].as_object();
            session["awaitsOutcome"] == true && awaited.is_none_or(Map::is_empty)
        };
        let sessions = sessions.filter(|session| !is_a_users(session));
        let actions = self.of("agent_action");
        let actions = actions.filter(|action| is_one_of(&action["state"], &UNENDED_ACTIONS));
        let unended = sessions
            .chain(actions)
            .chain(self.of("cleanup"));
        let unended = unended.chain(self.pending_deliveries());
        let named =
            |record: &Value| ["pk", "sk", "status", "state"].map(|name| record[name].to_string());
        unended
            .map(|record| named(record).join(" "))
            .collect()
    }

    /// The deliveries that were given up.
    fn failed_deliveries(&self) -> impl Iterator<Item = String> {
        let deliveries = self.of("webhook_delivery");
        let failed = deliveries.filter(|delivery| delivery["status"] == "failed");
        failed.map(|delivery| {
            format!(
                "the delivery of {} failed: {delivery}",
                delivery["change"]["id"]
            )
        })
    }

    /// The effects that an action has, or may have: its type, and its entities' number.
    fn effects_owned(&self) -> HashSet<(&str, usize)> {
        let actions = self.of("agent_action");
        let owners = actions
            .filter(|action| matches!(action["state"].as_str(), Some("succeeded" | "unknown")));
        let effects = owners.filter_map(|action| {
            let content = &action["content"];
            let (_, entity) = content["records"][0]
                .as_str()?
                .split_once('/')?;
            Some((content["actionType"].as_str()?, number_of(entity)?))
        });
        effects.collect()
    }

    /// Returns whether a visit of a record is due at an instant.
    fn has_due(&self, now: Timestamp) -> bool {
        let now = now.to_string();
        let due = BOUNDED
            .iter()
            .flat_map(|kind| self.of(kind));
        let mut due = due.filter_map(|record| record["dueAt"].as_str());
        due.any(|due| due <= now.as_str())
    }

    /// Seconds from an instant to the next attempt of an action.
    fn next_attempt(&self, now: Timestamp) -> Option<i64> {
        let actions = self
            .of("agent_action")
            .map(|action| &action["schedule"]["dueAt"]);
        let due = actions.filter_map(|due| due.as_str()?.parse().ok());
        let due: Option<Timestamp> = due.min();
        due.map(|due| due.since(now) / span::SECOND + 1)
    }
}

/// A value of an item as JSON.
fn plain(value: &AttributeValue) -> Value {
    let number = |digits: &String| serde_json::from_str(digits).unwrap_or_default();
    match value {
        AttributeValue::S(text) => json!(text),
        AttributeValue::N(digits) => number(digits),
        AttributeValue::Bool(is) => json!(is),
        AttributeValue::Ns(numbers) => numbers.iter().map(number).collect(),
        AttributeValue::L(values) => values.iter().map(plain).collect(),
        AttributeValue::M(members) => {
            let members = members
                .iter()
                .map(|(name, value)| (name.clone(), plain(value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        _ => Value::Null,
    }
}

impl Verdict {
    /// Records that clients made.
    fn records(&mut self, ledger: &Ledger, table: &Table) {
        let mut stored: BTreeMap<(&str, &str), Vec<&Value>> = BTreeMap::new();
        let kinds: HashSet<&str> = ledger
            .made
            .iter()
            .map(|made| made.kind)
            .collect();
        for kind in kinds {
            for item in table.of(kind) {
                let mark = item[text_of(kind)]
                    .as_str()
                    .unwrap_or_default();
                stored
                    .entry((kind, mark))
                    .or_default()
                    .push(item);
            }
        }
        for made in &ledger.made {
            let items = stored.get(&(made.kind, made.mark.as_str()));
            let items = items.map_or(&[][..], Vec::as_slice);
            let thread = made
                .thread
                .map(|thread| &ledger.made[thread]);
            match thread.map(|thread| thread.gone) {
                Some(Gone::Surely) => self.went_with_its_thread(made, items, thread),
                Some(Gone::Perhaps) => {}
                _ => self.record(made, items, table),
            }
        }
    }

    /// With a record go its comments.
    fn went_with_its_thread(&mut self, made: &Made, items: &[&Value], thread: Option<&Made>) {
        let thread = thread.and_then(|thread| thread.id);
        let left = items.iter().filter(|item| {
            let names = ["requestId", "activityId", "taskId", "threadId"];
            // Another one of that name may have been created without a key.
            names
                .iter()
                .any(|name| item[*name].as_i64() == thread)
                || thread.is_none()
        });
        if left.count() > 0 {
            let line = format!("{} of what was deleted", made.mark);
            self.stuck.push(line);
        }
    }

    fn record(&mut self, made: &Made, items: &[&Value], table: &Table) {
        let (least, most) = made.bounds();
        let name = format!("{} {:?}", made.kind, made.mark);
        self.lost
            .extend((items.len()..least).map(|_| name.clone()));
        let more = (most..items.len()).map(|_| name.clone());
        self.duplicated.extend(more);
        let Some(id) = made.id else { return };
        let item = items
            .iter()
            .find(|item| item["id"] == id);
        match (made.gone, item) {
            (Gone::No, None) => self
                .lost
                .push(format!("{} {id}", made.kind)),
            (Gone::Surely, Some(_)) => {
                let line = format!("the deletion of {} {id}", made.kind);
                self.lost.push(line);
            }
            (_, Some(item)) => {
                for (field, values) in &made.fields {
                    let is = match *field {
                        "milestoneId" => table.milestone(&item["milestoneId"]),
                        field => &item[field],
                    };
                    if !values.contains(is) {
                        let kind = made.kind;
                        let line = format!("{kind} {id}: {field} is {is}, not {values:?}");
                        self.lost.push(line);
                    }
                }
            }
            (_, None) => {}
        }
    }

    /// A session's actions and their effects.
    fn session(
        &mut self,
        session: &Session,
        table: &Table,
        effects: &Effects,
        owned: &HashSet<(&str, usize)>,
    ) {
        let actions = table.of("agent_action");
        let actions = actions.filter(|action| action["sessionId"] == session.id);
        for action in actions {
            let kind = &action["content"]["actionType"];
            let state = action["state"].as_str();
            let kind = kind.as_str().unwrap_or_default();
            let count = effects.count(kind, session.entity);
            let class = session.class;
            let entity = session.entity;
            let name = format!("{kind} of session {} ({class:?} {entity})", session.id);
            self.approved += 1;
            if state == Some("succeeded") {
                self.succeeded += 1;
            } else {
                let error = action["end"]["error"]
                    .as_str()
                    .unwrap_or_default();
                let code = error
                    .split(':')
                    .next()
                    .unwrap_or_default();
                let ending = format!("{}: {code}", state.unwrap_or_default());
                *self.others.entry(ending).or_default() += 1;
            }
            self.duplicated
                .extend((1..count).map(|_| name.clone()));
            match (state, count) {
                (Some("succeeded"), 0) => self
                    .lost
                    .push(format!("the effect of {name}")),
                // The effect of another session on the same entities.
                (Some("failed" | "skipped"), 1..) if owned.contains(&(kind, entity)) => {}
                (Some("failed" | "skipped"), 1..) => {
                    let line = format!("{name} took effect and is {state:?}");
                    self.wrong.push(line);
                }
                _ => {}
            }
            let id = action["actionId"]
                .as_str()
                .unwrap_or_default();
            let was_told = session
                .told
                .iter()
                .any(|action| action == id);
            if was_told && state != Some("succeeded") {
                let line = format!("{name} was told as done and is {state:?}");
                self.wrong.push(line);
            }
        }
    }
}

/// The attribute that has a record's mark.
pub fn text_of(kind: &str) -> &'static str {
    match kind {
        "comment" | "ticket_message" => "content",
        "activity" => "description",
        _ => "title",
    }
}

/// Returns the number in an id of a target system, such as 12 of `inv_12`.
fn number_of(entity: &str) -> Option<usize> {
    entity.split('_').nth(1)?.parse().ok()
}

/// Effects of each action, by its type and its entities' number.
struct Effects(HashMap<(&'static str, usize), usize>);

impl Effects {
    fn of(world: &World) -> Self {
        let mut counts = HashMap::new();
        let mut count = |action: &'static str, entity: &str| {
            let number = number_of(entity).unwrap_or(usize::MAX);
            *counts
                .entry((action, number))
                .or_default() += 1;
        };
        for effect in world.demo.effects() {
            match effect.operation.as_str() {
                "POST /payments/{id}/retry" => count("retry_payment", &effect.entity),
                "POST /customers/{id}/sync" => count("sync_customer", &effect.entity),
                "POST /invoices/{id}/credit-notes" => count("issue_credit_note", &effect.entity),
                "POST /usage-batches/{id}/reprocess" => {
                    count("reprocess_usage_batch", &effect.entity);
                }
                _ => {}
            }
        }
        let state = world.demo.state();
        for message in state["messages"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let payment = message["content"]["paymentId"].as_str();
            count("notify_customer", payment.unwrap_or_default());
        }
        Self(counts)
    }

    fn count(&self, action: &str, entity: usize) -> usize {
        let counts = self.0.iter();
        let counts = counts.filter(|((name, number), _)| *name == action && *number == entity);
        counts.map(|(_, count)| count).sum()
    }
}
