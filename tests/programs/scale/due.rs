//! A backlog of due work, which the sweeper's binary works off.

use aws_sdk_dynamodb::types::AttributeValue;
use local::{
    engines::{Engines, KEY},
    target_systems::DemoTargets,
};
use playbooks::Playbooks;
use serde_json::json;
use shared::{
    agent::session::{Approving, Case},
    clock::{Clock, Stopwatch},
    model::{
        base::{OrganizationId, Timestamp, span},
        people::Role,
    },
    store::{agent::Approval, base::Store, updates::WebhookEvent},
};
use targets::Sealer;
use tests::{
    Member, RuntimeApi, messages, records, start_function,
    support::{Item, number, puts, scan, set, text, text_of},
    unwary,
};

/// Organizations, two in each shard.
const ORGANIZATIONS: usize = 32;

/// Minutes after which the backlog must be done.
const MINUTES: usize = 10;

/// The outcome of a drain.
pub struct Drained {
    items: usize,
    left: usize,
    seconds: f64,
    cpu_seconds: f64,
}

impl Drained {
    /// True if nothing is left.
    pub const fn is_complete(&self) -> bool {
        self.left == 0
    }
}

impl std::fmt::Display for Drained {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            items,
            left,
            seconds,
            cpu_seconds,
        } = self;
        let [a_second, a_cpu_second] = [seconds, cpu_seconds]
            .map(|seconds| f64::from(u32::try_from(*items).unwrap()) / seconds);
        write!(
            f,
            "{items} due items in {seconds:.1} s, one run at a time, and {left} left: \
             {a_second:.0} a second, {a_cpu_second:.0} a second of the sweeper's CPU time"
        )
    }
}

/// Has the sweeper work off so many items: actions whose messages were lost, deliveries, and
/// cleanups.
pub async fn drain(items: usize) -> Drained {
    let engines = Engines::in_memory().await.unwrap();
    // What begins now was due an hour ago.
    let begins = Clock::system().now().plus(-span::HOUR);
    fill(&engines, &first_of_each_kind(&engines, begins).await, items).await;
    let now = Clock::system().now();

    let runtime = RuntimeApi::start().await;
    let process = start_function(&engines, &runtime, "sweeper", &[]);
    let id = process.id().unwrap();
    let minute = json!({"detail-type": "Scheduled Event", "detail": {}});
    // The first event tells of a cold start.
    let began = Stopwatch::start();
    let cpu = tests::cpu_of(id);
    let mut left = items;
    for _ in 0..MINUTES {
        runtime.invoke(minute.clone());
        let started = runtime.answer().await;
        if started["errors"] != 0 {
            // A busy machine answers late. The next minute starts these runs.
            eprintln!("{started}");
        }
        for message in messages(&engines, &engines.queues().sweeps.url).await {
            runtime.invoke(json!({"Records": [message]}));
            assert_eq!(runtime.answer().await, json!({"batchItemFailures": []}));
        }
        left = count_due(&engines, now).await;
        if left == 0 {
            break;
        }
    }
    Drained {
        items,
        left,
        seconds: began.elapsed().as_secs_f64(),
        cpu_seconds: tests::cpu_of(id)
            .saturating_sub(cpu)
            .as_secs_f64(),
    }
}

/// An item of each kind, as the service writes it.
async fn first_of_each_kind(engines: &Engines, now: Timestamp) -> Vec<Item> {
    let clock = Clock::fixed(now);
    let store = Store::new(engines.dynamodb(), engines.table_name(), clock);
    let tenant = tests::organization(&store).await;
    let member = Member::sign_in(&store, tenant, ("ada", Role::Admin), now).await;
    let sealer = Sealer::new(engines.kms().unwrap(), KEY);
    approve(&store, &sealer, tenant, &member, now).await;
    let webhook = json!({"url": "https://hooks.example.com", "types": ["*"]});
    let webhooks = store.webhooks();
    let created = webhooks.create(tenant, records::sent(&webhook));
    created.await.unwrap();
    let entry =
        json!({"type": "task", "recordId": 1, "action": "created", "version": 1, "at": now});
    let event = WebhookEvent::of_entry(1, &serde_json::from_value(entry).unwrap());
    webhooks
        .deliver(tenant, vec![event])
        .await
        .unwrap();
    let requests = store.service_requests();
    let request = requests.create(tenant, member.user.id, records::service_request());
    let request = request.await.unwrap().id;
    let allow = async |_| Ok(());
    requests
        .delete(tenant, request, allow)
        .await
        .unwrap();

    let kinds = ["agent_action", "webhook_delivery", "cleanup"];
    let firsts = scan(&engines.dynamodb(), engines.table_name(), &kinds, None).await;
    assert_eq!(firsts.len(), kinds.len(), "{firsts:?}");
    firsts
}

/// Approves an action.
async fn approve(
    store: &Store,
    sealer: &Sealer,
    tenant: OrganizationId,
    member: &Member,
    now: Timestamp,
) {
    let demo = DemoTargets::start(0, None).unwrap();
    records::connected(store, sealer, tenant, &demo).await;
    let entities = [("payment", "pay_1"), ("customer", "cus_1")];
    let more = json!({
        "entities": records::entities(entities),
        "amountAtRisk": {"minorUnits": 1, "currency": "USD"},
    });
    let new_alert = records::alert_with("payment_failed", now, &more);
    let alert = store
        .alerts()
        .record(tenant, new_alert)
        .await
        .unwrap();
    let agent = store.agent();
    let opened = agent
        .open(tenant, alert.id, member.user.id)
        .await;
    let session = opened.unwrap().id;
    let playbooks = Playbooks::shipped().unwrap();
    let analyse = async |case: &Case| Ok(unwary::proposal(&playbooks, case));
    let proposed = agent.propose(tenant, session, analyse, "It failed.");
    let (proposed, ..) = Box::pin(proposed).await.unwrap();
    let actions = [proposed.plan.proposed_actions[0]
        .id
        .clone()];
    let approving = Approving::of(&actions, member.user.id);
    let approval = agent
        .approve(tenant, session, &approving)
        .await
        .unwrap();
    assert!(matches!(approval, Approval::Queued(..)));
}

/// Replaces the first items by copies of them, spread among organizations and kinds.
async fn fill(engines: &Engines, firsts: &[Item], items: usize) {
    let client = &engines.dynamodb();
    let table = engines.table_name();
    for first in firsts {
        let delete = client.delete_item().table_name(table);
        let delete = delete.key("pk", first["pk"].clone());
        delete
            .key("sk", first["sk"].clone())
            .send()
            .await
            .unwrap();
    }
    let copies = (0..items).map(|number| copied(&firsts[number % firsts.len()], number));
    puts(client, table, copies).await;
}

/// An item under another id, of another organization.
fn copied(first: &Item, nth: usize) -> Item {
    let organization = 1 + nth % ORGANIZATIONS;
    let kind = text_of(first, "kind");
    let mut item = first.clone();
    let pk = text_of(first, "pk").replacen("ORG#1#", &format!("ORG#{organization}#"), 1);
    let due = format!("DUE#{kind}#{}", organization % 16);
    let tenant = ("organizationId", number(organization));
    set(
        &mut item,
        [("pk", text(&pk)), ("gsi4pk", text(&due)), tenant],
    );
    let (name, sk, value) = match kind {
        "cleanup" => {
            let mut subject = first["subject"].clone();
            renumber(&mut subject, nth + 1);
            ("subject", format!("REQUEST#{:016}", nth + 1), subject)
        }
        "agent_action" => {
            let id = format!("{}-{nth}", text_of(first, "actionId"));
            ("actionId", format!("ACTION#{id}"), text(&id))
        }
        _ => {
            let id = format!("{}{nth}", text_of(first, "id"));
            ("id", id.clone(), text(&id))
        }
    };
    set(&mut item, [("sk", text(&sk)), (name, value)]);
    item
}

/// Replaces the number within nested objects.
fn renumber(value: &mut AttributeValue, nth: usize) {
    match value {
        AttributeValue::M(object) => object
            .values_mut()
            .for_each(|member| renumber(member, nth)),
        value => *value = number(nth),
    }
}

/// The number of items that were due before `now` and still are.
async fn count_due(engines: &Engines, now: Timestamp) -> usize {
    let now = now.to_string();
    let items = scan(&engines.dynamodb(), engines.table_name(), &[], None).await;
    let is_left = |item: &&Item| {
        text_of(item, "gsi4pk").starts_with("DUE#") && *text_of(item, "gsi4sk") <= *now
    };
    items.iter().filter(is_left).count()
}
