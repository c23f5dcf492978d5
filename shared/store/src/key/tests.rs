//! Every key format, as `keys.txt` has it. A stored key never changes its format.

use ::agent::action::ActionKey;
use model::{
    base::{
        AlertId, Deleted, HistoryOf, Id, InvitationId, NotificationSubject, Order, OrganizationId,
        RecordType, ReferenceType, Reminded, SearchedType, SubjectType, Talk, TaskId, Timestamp,
        UserId, WebhookId, quota::QuotaHolder,
    },
    people::{Customer, Organization, Tag},
    work::{
        Activity, Comment, Milestone, Phase, Project, ServiceRequest, Task, Ticket, TicketMessage,
    },
};
use serde_json::{Value, json};
use table::{AnyKey, Index, Record, RecordList};

use crate::base::records::{IndexedRecord, Reference, Reminder, Workdesk};

use super::{SortKey, *};

/// The keys, a line each.
struct Keys(Vec<String>);

impl Keys {
    fn add(&mut self, name: &str, key: impl std::fmt::Debug) {
        self.0.push(format!("{name}: {key:?}"));
    }

    fn any(&mut self, name: &str, key: &AnyKey) {
        self.0.push(format!("{name}: {key}"));
    }

    fn list<R, I: Index>(&mut self, name: &str, list: RecordList<R, I>) {
        self.add(name, list.at(SortKey::new("…")));
    }

    /// The keys of a record in the table and in the indexes.
    fn record<R: Record<Workdesk>>(&mut self, record: Value) {
        let record: R = serde_json::from_value(record).unwrap();
        let name = R::KIND;
        self.add(name, record.key());
        let mut index = |index: &str, key: Option<String>| {
            if let Some(key) = key {
                self.0
                    .push(format!("{name} in {index}: {key}"));
            }
        };
        index(
            "gsi1",
            record
                .gsi1()
                .map(|key| format!("{key:?}")),
        );
        index(
            "gsi2",
            record
                .gsi2()
                .map(|key| format!("{key:?}")),
        );
        index(
            "gsi3",
            record
                .gsi3()
                .map(|key| format!("{key:?}")),
        );
        index(
            "gsi4",
            record
                .gsi4()
                .map(|key| format!("{key:?}")),
        );
    }
}

fn id<I: Id>(number: i64) -> I {
    I::new(number).unwrap()
}

fn tenant() -> OrganizationId {
    id(1)
}

fn at() -> Timestamp {
    AT.parse().unwrap()
}

const AT: &str = "2026-01-15T12:00:00.000Z";

/// Records with keys in indexes.
fn records(keys: &mut Keys) {
    let of = |id: i64| {
        json!({
            "id": id, "organizationId": 1, "createdAt": AT, "updatedAt": AT, "title": "Move",
            "name": "Café", "order": 3, "priority": "low", "projectId": 2, "milestoneId": 6,
            "phaseId": 4, "assigneeId": 3, "userId": 3, "creatorId": 3, "ticketId": 10,
            "timestamp": AT, "dueDate": AT, "lastMessageAt": AT, "content": "Hi", "type": "other",
            "description": "Hi", "status": "open", "color": "#112233", "messageCount": 1,
            "internal": false, "planFeatures": [], "url": "https://a.example", "customerId": 18,
        })
    };
    keys.record::<Organization>(of(1));
    keys.record::<Project>(of(2));
    keys.record::<Phase>(of(4));
    keys.record::<Tag>(of(5));
    keys.record::<Customer>(of(18));
    keys.record::<Milestone>(of(6));
    keys.record::<Task>(of(7));
    keys.record::<Activity>(of(8));
    keys.record::<ServiceRequest>(of(9));
    keys.record::<Ticket>(of(10));
    keys.record::<TicketMessage>(of(11));
    for on in ["taskId", "activityId", "serviceRequestId"] {
        let mut comment = of(12);
        comment[on] = 7.into();
        keys.record::<Comment>(comment);
    }
    for subject in [
        json!({"Milestone": 6}),
        json!({"Phase": [2, 4]}),
        json!({"Tag": 5}),
        json!({"Thread": {"serviceRequestId": 9}}),
        json!({"Thread": {"activityId": 8}}),
        json!({"Thread": {"taskId": 7}}),
    ] {
        let read: Deleted = serde_json::from_value(subject.clone()).unwrap();
        assert_eq!(json!(read), subject);
        keys.add("cleanup", cleanup(tenant(), read));
    }
    for of in [json!({"task": 7}), json!({"agent_session": 14})] {
        let read: Reminded = serde_json::from_value(of.clone()).unwrap();
        assert_eq!(json!(read), of);
        keys.add("reminder", reminder(tenant(), read));
    }
    for talk in [
        json!({"thread": {"serviceRequestId": 9}}),
        json!({"thread": {"activityId": 8}}),
        json!({"thread": {"taskId": 7}}),
        json!({"ticket": 10}),
    ] {
        let read: Talk = serde_json::from_value(talk.clone()).unwrap();
        assert_eq!(json!(read), talk);
        keys.list("participants", participants(tenant(), read));
    }
    for of in [
        json!({"task": 7}),
        json!({"milestone": 6}),
        json!({"service_request": 9}),
        json!({"ticket": 10}),
        json!({"project": 2}),
    ] {
        let read: HistoryOf = serde_json::from_value(of.clone()).unwrap();
        assert_eq!(json!(read), of);
        keys.list("history", history(tenant(), read));
    }
    for kind in SubjectType::ALL {
        let subject = NotificationSubject {
            kind: *kind,
            id: 17,
        };
        keys.add(kind.name(), titled(tenant(), subject));
    }
    for kind in SearchedType::ALL {
        let parent = json!({"type": "task", "recordId": 7});
        let mut record = of(17);
        record["type"] = json!(kind);
        record["parent"] = parent;
        record["recordVersion"] = 1.into();
        record["words"] = "".into();
        let record: IndexedRecord = serde_json::from_value(record).unwrap();
        keys.add("searched", searched(&record));
        keys.add("indexed", record.key());
        keys.add("indexed in gsi1", record.gsi1());
        if let Some(list) = records_of(tenant(), *kind) {
            keys.list("records_of", list);
        }
    }
    for kind in RecordType::ALL {
        let Ok(name) = serde_json::from_value(json!({"type": kind, "recordId": 17})) else {
            continue;
        };
        keys.add("parent", searched_parent(tenant(), name));
        let below = records_below(tenant(), name);
        keys.add("below", below.map(|list| list.at(SortKey::new("…"))));
    }
    for kind in ReferenceType::ALL {
        let mut of = of(17);
        of["refersTo"] = json!(kind);
        of["words"] = "".into();
        let reference: Reference = serde_json::from_value(of).unwrap();
        keys.add("reference", super::directory::reference(&reference));
    }
}

/// Keys by id, and lists.
fn lists(keys: &mut Keys) {
    let tenant = tenant();
    keys.add("user", id::<UserId>(3).key(tenant));
    keys.list("users", users(tenant));
    keys.add("email_holder", email_holder(tenant, "ada@example.com"));
    keys.add("sign_in_provider", sign_in_provider(tenant));
    keys.add("subject_holder", subject_holder(tenant, "hash"));
    keys.add("listed_provider", listed_provider(tenant));
    keys.add("used_state", used_state("hash"));
    keys.add("link", link("hash"));
    keys.add("mail_count", mail_count("hash", at()));
    keys.add("invitation", id::<InvitationId>(16).key(tenant));
    keys.list("invitations", invitations(tenant));
    keys.add("invited_address", invited_address(tenant, "hash"));
    keys.list("tokens", tokens(tenant, id(3)));
    keys.add("session", session(tenant, id(3), "hash"));
    keys.add("attempted", attempted(tenant, id(3), "key"));
    keys.list("journal", organization_journal(tenant));
    keys.add(
        "sign_in",
        sign_in_entry(tenant, at(), "0123456789abcdef0123"),
    );
    keys.list("projects", projects(tenant));
    keys.list("phases_of_project", phases_of_project(tenant, id(2)));
    keys.list("tags", tags(tenant));
    keys.list("tasks", tasks(tenant));
    keys.list("tasks_by_creation", tasks_by_creation(tenant));
    keys.list("tasks_of_project", tasks_of_project(tenant, id(2)));
    keys.list("tasks_of_assignee", tasks_of_assignee(tenant, id(3)));
    keys.list("tasks_of_milestone", tasks_of_milestone(tenant, id(6)));
    keys.add(
        "task_order",
        task_order(Order::default(), id(7)).into_text(),
    );
    keys.list("activities", activities(tenant));
    keys.list(
        "tagged_records",
        tagged_records(tenant, RecordType::Activity),
    );
    keys.list("service_requests", service_requests(tenant));
    keys.list("tickets", tickets(tenant));
    keys.list("tickets_by_message", tickets_by_message(tenant));
    keys.add(
        "ticket_message_time",
        ticket_message_time(None, id(10)).into_text(),
    );
    keys.add("name_of_tag", name_of_tag(tenant, "cafe"));
    keys.list("customers", customers(tenant));
    keys.add("name_of_customer", name_of_customer(tenant, "cafe"));
    keys.add(
        "domain_of_customer",
        domain_of_customer(tenant, "cafe.example"),
    );
    keys.list("tickets_of_customer", tickets_of_customer(tenant, id(18)));
    keys.list(
        "service_requests_of_customer",
        service_requests_of_customer(tenant, id(18)),
    );
    keys.add("alert", id::<AlertId>(13).key(tenant));
    keys.list("alerts", alerts(tenant));
    keys.list("alerts_of_class", alerts_of_class(tenant, "disk_full"));
    keys.list("alert_days", alert_days(tenant, "disk_full"));
    keys.add("alerts_since", alerts_since(tenant));
    keys.add("alert_source", alert_source(tenant, "a#b", "c"));
    keys.add("alert_series", alert_series(tenant, "a#b", "c"));
    keys.list("sessions_of_alert", sessions_of_alert(tenant, id(13)));
    keys.add("agent_session", agent_session(tenant, id(14)));
    keys.list("agent_sessions", agent_sessions(tenant));
    keys.list("agent_sessions_open", agent_sessions_open(tenant));
    keys.add("agent_policy", agent_policy(tenant));
    keys.add("agent_pause", agent_pause(tenant));
    keys.list("agent_journal", super::agent::journal(tenant, id(14)));
    keys.list("agent_parts", agent_parts(tenant, id(14)));
    keys.add("excerpt", excerpt(tenant, id(14), Some("a1"), "hash"));
    let action = ActionKey {
        organization_id: tenant,
        session_id: id(14),
        action_id: "a1".to_owned(),
    };
    keys.add("agent_action", agent_action(&action));
    keys.add("connection", connection(tenant, "billing"));
    keys.add("connection_traffic", connection_traffic(tenant, "billing"));
    keys.add("record_guard", record_guard(tenant, "invoice/1"));
    keys.add("webhook", id::<WebhookId>(15).key(tenant));
    keys.list("webhooks", webhooks(tenant));
    keys.any("webhook_ids", &webhook_ids(tenant));
    keys.add("webhook_health", webhook_health(tenant, id(15)));
    keys.list("webhook_deliveries", webhook_deliveries(tenant, id(15)));
    keys.add("notification", notification(tenant, id(3), "cause"));
    keys.list("unread", unread_notifications(tenant, id(3)));
    keys.add("inbox", inbox(tenant, id(3)));
    keys.add("mail", mail(tenant, "id"));
    keys.add("told_change", notified_change(tenant, "cause"));
    keys.add("counter", counter("task"));
    keys.any("quota", &used_quota(tenant, &QuotaHolder::User(id(3))));
    keys.any("waiting_calls", &waiting_calls(tenant, at()));
    keys.list("feed", feed(tenant));
    keys.add("feed_batch", feed_batch(tenant, 16));
    keys.add("feed_start", feed_start(tenant));
    keys.list("due", due_in::<Reminder>(1));
    keys.add("overdue", overdue::<Reminder>(tenant, at(), at()));
    keys.list("references", references(tenant));
    keys.list("indexed_by_time", indexed_by_time(tenant));
    keys.any(
        "text",
        &text(&id::<TaskId>(7).key(tenant).into(), "hash").into(),
    );
}

#[test]
fn keys_keep_their_formats() {
    let mut keys = Keys(Vec::new());
    records(&mut keys);
    lists(&mut keys);
    let formats = keys.0.join("\n") + "\n";
    let kept = include_str!("keys.txt");
    let lines = formats.lines().zip(kept.lines());
    let wrong: Vec<_> = lines
        .filter(|(format, kept)| format != kept)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(formats.lines().count(), kept.lines().count());
}
