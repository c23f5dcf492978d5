//! Notifications as the publisher and the sweeper make them.

mod people;
mod reminders;

use serde_json::{Value, json};
use shared::{
    model::{
        base::{RecordType, SubjectType, span},
        people::Role,
    },
    store::metered,
};
use stream::StreamResponse;
use strum::VariantArray;
use tests::support::{
    Api, Caller, Concierge, Fault, Sweeping, creates, patches, posts, puts, roles, shows,
};

/// Kind, subject and actor of each of a user's notifications, in a fixed order.
async fn told(caller: &Caller) -> Vec<Value> {
    let rows = caller
        .walk("/api/notifications")
        .await
        .into_iter();
    let rows = rows.map(|row| {
        let subject = &row["subject"];
        let kind = &row["kind"];
        let by = &row["actor"]["username"];
        json!([kind, subject["type"], subject["id"], by])
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by_key(Value::to_string);
    rows
}

async fn comments(caller: &Caller, task: i64, content: &str) -> i64 {
    creates!(caller, "/api/tasks/{task}/comments", { "content": content })
}

/// Runs the reminders that are due. Returns the number of new notifications.
async fn reminds(sweeper: &Sweeping) -> usize {
    let swept = roles::acting_as("sweeper", sweeper.sweep()).await;
    assert_eq!(swept.errors, 0, "{swept:?}");
    swept.reminded
}

/// Every item that tells of notifications and reminders.
async fn inboxes(api: &Api) -> Vec<String> {
    let items = api.table_dump().await.into_iter();
    let kinds = ["notification", "reminder", "told_change"];
    let is_one = |item: &String| {
        let mut kinds = kinds.iter();
        kinds.any(|kind| item.contains(&format!("\"kind\": S(\"{kind}\")")))
    };
    items.filter(is_one).collect()
}

#[tokio::test]
async fn assignees_hear_of_what_they_are_given_by_others() {
    let (api, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    max.creates_task(json!({"assigneeId": mia.id()}))
        .await;
    max.creates_task(json!({"assigneeId": max.id()}))
        .await;
    let request = max.raises_request().await;
    let body = json!({"title": "No invoices", "assigneeId": mia.id(), "description": "None."});
    let ticket = max
        .creates("/api/managed-services/tickets", body)
        .await;
    api.publishes().await;
    let of = |kind: &str, subject: &str, id: i64| json!([kind, subject, id, "max"]);
    let expected = [of("assigned", "task", 1), of("assigned", "ticket", ticket)];
    assert_eq!(told(&mia).await, expected);
    assert!(told(&max).await.is_empty());

    // A change of something else is no news, nor is one's own.
    max.patches("/api/tasks/1", json!({"title": "Final"}))
        .await;
    let give = json!({"assigneeId": mia.id()});
    let path = format!("/api/service-requests/{request}");
    max.patches(&path, give.clone()).await;
    mia.patches("/api/tasks/2", give).await;
    api.publishes().await;
    let expected = [
        of("assigned", "service_request", request),
        of("assigned", "task", 1),
        of("assigned", "ticket", ticket),
    ];
    assert_eq!(told(&mia).await, expected);
}

#[tokio::test]
async fn creators_assignees_and_commenters_hear_of_a_comment() {
    let (api, [ada, max, mia, sue]) = Api::signed_in(["ada", "max", "mia", "sue"]).await;
    ada.creates_task(json!({"assigneeId": max.id()}))
        .await;
    let first = comments(&mia, 1, "First\n of  all.").await;
    api.publishes().await;
    comments(&sue, 1, "Second.").await;
    api.publishes().await;
    let by = |name: &str| json!(["commented", "task", 1, name]);
    assert_eq!(told(&ada).await, [by("mia"), by("sue")]);
    assert_eq!(told(&mia).await, [by("sue")]);
    assert_eq!(told(&max).await.len(), 3);
    assert!(told(&sue).await.is_empty());
    let rows = ada
        .walk("/api/notifications?kind=commented")
        .await;
    let end = format!("comment-{first}-1");
    let of_first = |row: &&Value| {
        row["id"]
            .as_str()
            .unwrap()
            .ends_with(&end)
    };
    let row = rows.iter().find(of_first).unwrap();
    shows!(row, {"excerpt": "First of all.", "/subject/title": "Move the invoices"});

    // An edit is no news. The text of a deleted comment is gone.
    let path = format!("/api/tasks/1/comments/{first}");
    mia.patches(&path, json!({"content": "Better put."}))
        .await;
    mia.deletes(&path).await;
    api.publishes().await;
    let rows = ada.walk("/api/notifications").await;
    assert_eq!(rows.len(), 2);
    assert_eq!(rows.iter().find(of_first).unwrap()["excerpt"], Value::Null);
}

#[tokio::test]
async fn comments_on_activities_and_requests_and_messages_reach_who_takes_part() {
    let (api, [max, mia, sue]) = Api::signed_in(["max", "mia", "sue"]).await;
    let activity = mia.records_activity(json!({})).await;
    let request = mia.raises_request().await;
    let body = json!({"title": "No invoices", "description": "Since Monday."});
    let ticket = mia
        .creates("/api/managed-services/tickets", body)
        .await;
    api.clock.advance(span::SECOND);
    max.comments_on_request(request, "Soon.")
        .await;
    let content = json!({"content": "Soon."});
    let path = format!("/api/activities/{activity}/comments");
    max.creates(&path, content.clone())
        .await;
    let path = format!("/api/managed-services/ticket/{ticket}/reply");
    max.posts(&path, content.clone()).await;
    api.clock.advance(span::SECOND);
    sue.posts(&path, content).await;
    api.publishes().await;
    let of = |subject: &str, id: i64, by: &str| json!(["commented", subject, id, by]);
    let expected = [
        of("activity", activity, "max"),
        of("service_request", request, "max"),
        of("ticket", ticket, "max"),
        of("ticket", ticket, "sue"),
    ];
    assert_eq!(told(&mia).await, expected);
    assert_eq!(told(&max).await, [of("ticket", ticket, "sue")]);
    assert!(told(&sue).await.is_empty());
}

#[tokio::test]
async fn a_mention_reaches_users_of_the_organization_and_comes_before_a_comment() {
    let (api, [ada, max, mia, zac]) = Api::signed_in(["ada", "max", "mia", "zac"]).await;
    max.creates_task(json!({})).await;
    comments(&mia, 1, "Ask @MAX, @ada, @zac and @mia. Or @nobody.").await;
    api.publishes().await;
    let by_mia = || json!(["mentioned", "task", 1, "mia"]);
    assert_eq!(told(&max).await, [by_mia()]);
    assert_eq!(told(&ada).await, [by_mia()]);
    assert!(told(&mia).await.is_empty());
    assert!(told(&zac).await.is_empty());

    // Only what an edit adds is news.
    let vic = api.sign_in("vic").await;
    patches!(mia, "/api/tasks/1", {"description": "Ask @ada, @vic."});
    patches!(mia, "/api/tasks/1", {"description": "Ask @Vic and @ada again; @sue knows."});
    let sue = api.sign_in("sue").await;
    api.publishes().await;
    assert_eq!(told(&vic).await.len(), 1);
    assert_eq!(told(&sue).await.len(), 1);
    assert_eq!(told(&ada).await.len(), 2);
}

#[tokio::test]
async fn every_description_can_mention() {
    let (api, [max, vic]) = Api::signed_in(["max", "vic"]).await;
    let text = json!("Ask @vic.");
    max.creates_task(json!({"description": text}))
        .await;
    max.creates_milestone(json!({"description": text}))
        .await;
    max.records_activity(json!({"description": text}))
        .await;
    let request = json!({"title": "Help", "description": text});
    max.creates("/api/managed-services/request", request)
        .await;
    patches!(max, "/api/projects/2", {"description": text});
    creates!(max, "/api/managed-services/tickets", {"title": "Help", "description": text});
    api.publishes().await;
    let of = |subject: &str, id: i64| json!(["mentioned", subject, id, "max"]);
    let expected = [
        of("activity", 1),
        of("milestone", 1),
        of("project", 2),
        of("service_request", 1),
        of("task", 1),
        of("ticket", 1),
    ];
    assert_eq!(told(&vic).await, expected);
    let rows = vic.walk("/api/notifications").await;
    let mut titles = rows
        .iter()
        .map(|row| &row["subject"]["title"]);
    assert!(titles.all(Value::is_string), "{rows:?}");
}

/// The first message of a ticket is part of its creation: its assignee hears of both at once.
#[tokio::test]
async fn a_ticket_is_raised_with_one_notification_for_a_user() {
    let (api, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    let text = "Since Monday. Ask @mia.";
    let body = json!({"title": "Help", "assigneeId": mia.id(), "description": text});
    let ticket = max
        .creates("/api/managed-services/tickets", body)
        .await;
    api.delivers_changes(&api.changes().await)
        .await;
    let mentioned = json!(["mentioned", "ticket", ticket, "max"]);
    assert_eq!(told(&mia).await, [mentioned]);
    // Also when they come apart.
    let ticket = json!({"title": "Help", "assigneeId": mia.id(), "description": text});
    max.creates("/api/managed-services/tickets", ticket)
        .await;
    for change in api.changes().await {
        api.delivers_changes(&[change]).await;
    }
    assert_eq!(told(&mia).await.len(), 2);
}

#[tokio::test]
async fn what_is_delivered_again_changes_nothing() {
    let (api, [max, mia, sue]) = Api::signed_in(["max", "mia", "sue"]).await;
    let task = json!({"assigneeId": mia.id(), "dueDate": "2026-02-01T00:00:00Z"});
    max.creates_task(task).await;
    comments(&mia, 1, "First.").await;
    comments(&max, 1, "Second, @mia.").await;
    max.patches("/api/tasks/1", json!({"status": "done"}))
        .await;
    let changes = api.changes().await;
    api.delivers_changes(&changes).await;
    assert_eq!((told(&mia).await.len(), told(&max).await.len()), (2, 1));
    posts!(mia, "/api/notifications/read", {"before": api.clock.now()});
    let ids = json!({"ids": [max.walk("/api/notifications").await[0]["id"]]});
    max.posts("/api/notifications/read", ids)
        .await;

    // What came after it would have changed its audience.
    patches!(max, "/api/tasks/1", {"assigneeId": sue.id()});
    comments(&sue, 1, "Third.").await;
    let off = json!({"mentioned": false});
    let answer = mia
        .put("/api/notifications/preferences", off)
        .await;
    answer.expect(200);
    let once = inboxes(&api).await;
    api.clock.advance(20 * span::HOUR);
    for from in [0, changes.len() / 2, changes.len() - 1] {
        let response = api
            .delivers_changes(&changes[from..])
            .await;
        assert_eq!(response, StreamResponse::default());
        assert_eq!(inboxes(&api).await, once);
    }
    for (caller, unread) in [(&mia, 0), (&max, 0)] {
        let count = caller
            .reads("/api/notifications/count")
            .await;
        assert_eq!(count["unread"], unread);
    }
}

#[tokio::test]
async fn a_delivery_that_ends_in_the_midst_is_finished_by_the_next() {
    let mut failed = 0;
    for number in 0..8 {
        let (api, faults, []) = Api::behind_faults([]).await;
        let max = api.sign_in("max").await;
        let mia = api.sign_in("mia").await;
        let ada = api.sign_in("ada").await;
        let sue = api.sign_in("sue").await;
        let task = json!({"assigneeId": mia.id(), "dueDate": "2026-02-01T00:00:00Z"});
        max.creates_task(task).await;
        comments(&sue, 1, "@ada").await;
        let changes = api.changes().await;
        // The feed's own write comes first.
        for _ in 0..number {
            faults.next("PutItem", Fault::Slow(std::time::Duration::from_millis(1)));
        }
        faults.next("PutItem", Fault::Denied);
        let mut deliveries = 1;
        while api.delivers_changes(&changes).await != StreamResponse::default() {
            assert!(deliveries < 3, "{number}");
            deliveries += 1;
        }
        failed += usize::from(deliveries > 1);
        assert_eq!(told(&ada).await.len(), 1, "{number}");
        assert_eq!(told(&mia).await.len(), 2, "{number}");
        assert_eq!(told(&max).await.len(), 1, "{number}");
        assert_eq!(api.items_of("notification").await.len(), 4);
        assert_eq!(api.items_of("reminder").await.len(), 1);
    }
    assert!(failed >= 5, "{failed}");
}

/// Each role may read a subject if the operation that reads it says so.
#[tokio::test]
async fn the_permission_of_a_subject_is_that_of_its_operation() {
    let world = Concierge::start().await;
    let api = &world.api;
    let max = &world.max;
    let session = world.stuck_batch().await;
    max.creates_task(json!({})).await;
    max.creates_milestone(json!({})).await;
    max.records_activity(json!({})).await;
    max.raises_request().await;
    let ticket = json!({"title": "No invoices"});
    max.creates("/api/managed-services/tickets", ticket)
        .await;
    let user = api.user("vic").await;
    let vic = api.sign_in("vic").await;
    for role in Role::VARIANTS {
        api.gives_role(&user, *role).await;
        for subject in SubjectType::ALL {
            let path = match **subject {
                RecordType::Task => "/api/tasks/1".to_owned(),
                RecordType::ServiceRequest => "/api/service-requests/1".to_owned(),
                RecordType::Ticket => "/api/managed-services/ticket/1".to_owned(),
                RecordType::Activity => "/api/activities/1".to_owned(),
                RecordType::Milestone => "/api/milestones/1".to_owned(),
                RecordType::Project => "/api/projects/1".to_owned(),
                RecordType::AgentSession => format!("/api/concierge/agent-sessions/{session}"),
                RecordType::AgentPolicy => "/api/concierge/policy".to_owned(),
                // Needs the same permission.
                RecordType::Webhook | RecordType::OrganizationEntry => "/api/journal".to_owned(),
                other => panic!("{other:?}"),
            };
            let status = vic.get(&path).await.status;
            let may = role.may(subject.facts().permission);
            let expected = if may { 200 } else { 403 };
            assert_eq!(status, expected, "{path} as {role:?}");
        }
    }
}

/// Admins hear of a webhook and of the policy, as far as they may read them.
#[tokio::test]
async fn admins_hear_of_a_looser_policy_and_of_a_disabled_webhook() {
    let world = Concierge::start().await;
    let api = &world.api;
    let ada = api.sign_in("ada").await;
    let max = &world.max;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
    for caller in [&mia, &sue] {
        let path = format!("/api/users/{}", caller.id());
        patches!(ada, &path, {"permissions": ["manage_organization"]});
    }
    let policy = "/api/concierge/policy";
    ada.puts(policy, json!({"preset": "billing"}))
        .await;
    api.publishes().await;
    assert!(told(&sue).await.is_empty());
    ada.puts(policy, json!({"rules": []}))
        .await;
    api.publishes().await;
    let loosened = || json!(["policy_loosened", "agent_policy", 1, "ada"]);
    assert_eq!(told(&sue).await, [loosened()]);
    for caller in [&ada, max, &mia] {
        assert!(told(caller).await.is_empty());
    }
    // After a day it is in force, as it was announced.
    api.clock.advance(24 * 60 * 60_000);
    let ada = &api.sign_in("ada").await;
    let max = &api.sign_in("max").await;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
    assert_eq!(ada.reads(policy).await["rules"], json!([]));
    api.publishes().await;
    assert_eq!(told(&sue).await, [loosened()]);

    let webhook = |reason: Value, version: i64| {
        serde_dynamo::to_item(json!({
            "pk": "ORG#1#WEBHOOK", "sk": format!("{:016}", 5), "kind": "webhook",
            "version": version, "id": 5, "organizationId": 1, "url": "https://example.com/hook",
            "disabledReason": reason,
        }))
        .unwrap()
    };
    let failures = json!("Five days of failures.");
    let reasons = [Value::Null, failures.clone(), failures];
    for (reason, version) in reasons.into_iter().zip(1..) {
        api.puts([webhook(reason, version)])
            .await;
    }
    api.publishes().await;
    let disabled = || json!(["webhook_disabled", "webhook", 5, null]);
    assert_eq!(told(ada).await, [disabled()]);
    assert_eq!(told(&mia).await, [disabled()]);
    assert_eq!(told(&sue).await, [loosened(), disabled()]);
    assert!(told(max).await.is_empty());
    // Who loses the permission keeps the row, without what it tells.
    let path = format!("/api/users/{}", mia.id());
    ada.patches(&path, json!({"permissions": []}))
        .await;
    shows!(mia.walk("/api/notifications").await[0], {"/subject/title": null, "excerpt": null});
    let rows = ada.walk("/api/notifications").await;
    assert_eq!(rows[0]["subject"]["title"], "https://example.com/hook");
    assert_eq!(rows[0]["excerpt"], "Five days of failures.");
}

/// The other admins hear of changes that guard the organization, and of no other change.
#[tokio::test]
async fn admins_hear_of_a_change_that_guards_the_organization() {
    let (api, [ada, max, mia]) = Api::signed_in(["ada", "max", "mia"]).await;
    api.gives_role(&api.user("mia").await, Role::Admin)
        .await;
    let of_max = format!("/api/users/{}", max.id());
    ada.patches(&of_max, json!({"fullName": "Max Weber"}))
        .await;
    ada.patches("/api/organizations/1", json!({"name": "Fjord"}))
        .await;
    api.publishes().await;
    assert!(told(&mia).await.is_empty());
    let desk = json!({"webUrl": "https://desk.example.com"});
    ada.patches("/api/organizations/1", desk)
        .await;
    ada.patches(&of_max, json!({"role": "viewer"}))
        .await;
    api.publishes().await;
    let rows = mia.walk("/api/notifications").await;
    assert_eq!(rows.len(), 2);
    let excerpts = [
        format!("user_changed: user:{}", max.id()),
        "organization_changed: organization:1".to_owned(),
    ];
    for (row, excerpt) in rows.iter().zip(excerpts) {
        assert_eq!(row["kind"], "guard_changed");
        assert_eq!(row["actor"]["username"], "ada");
        assert_eq!(row["excerpt"], excerpt);
    }
    for caller in [&ada, &max] {
        assert!(told(caller).await.is_empty());
    }
}

#[tokio::test]
async fn a_disabled_user_and_a_kind_that_is_off_make_no_notification() {
    let (api, [ada, max, mia, vic]) = Api::signed_in(["ada", "max", "mia", "vic"]).await;
    max.creates_task(json!({"assigneeId": vic.id()}))
        .await;
    let path = format!("/api/users/{}", vic.id());
    ada.patches(&path, json!({"disabled": true}))
        .await;
    let off = json!({"mentioned": false});
    let answer = max
        .put("/api/notifications/preferences", off)
        .await;
    answer.expect(200);
    let off = json!({"mentioned": false, "commented": false});
    let answer = ada
        .put("/api/notifications/preferences", off)
        .await;
    answer.expect(200);
    comments(&mia, 1, "@max @vic @ada").await;
    api.publishes().await;
    // Of two kinds, the one that is on.
    assert_eq!(told(&max).await, [json!(["commented", "task", 1, "mia"])]);
    assert!(told(&ada).await.is_empty());
    assert_eq!(api.items_of("notification").await.len(), 1);
}

#[tokio::test]
async fn approvers_hear_of_a_proposal_and_again_an_hour_before_it_ends() {
    let world = Concierge::start().await;
    let api = &world.api;
    let sweeper = world.sweeper();
    let ada = api.sign_in("ada").await;
    let mia = api.sign_in("mia").await;
    let session = world.stuck_batch().await;
    world.proposed(&session).await;
    api.publishes().await;
    let id = session.as_i64().unwrap();
    let by_max = || json!(["approval_needed", "agent_session", id, "max"]);
    assert_eq!(told(&ada).await, [by_max()]);
    assert!(told(&world.max).await.is_empty());
    let says =
        "Process the 48210 events of usage batch `ub_1001` again, until 2026-01-16 12:00 UTC";
    let told_of = |row: &Value| (row["excerpt"].clone(), row["subject"]["path"].clone());
    let path = format!("/api/concierge/agent-sessions/{id}");
    let expected = (json!(says), json!(path));
    assert_eq!(told_of(&ada.walk("/api/notifications").await[0]), expected);
    api.clock.advance(23 * span::HOUR - 1);
    assert_eq!(reminds(&sweeper).await, 0);
    api.clock.advance(1);
    assert_eq!(reminds(&sweeper).await, 2);
    assert_eq!(reminds(&sweeper).await, 0);
    let again = json!(["approval_needed", "agent_session", id, null]);
    let of = async |name: &str| {
        let user = api.user(name).await;
        told(&api.session_of(&user).await).await
    };
    assert_eq!(of("ada").await, [by_max(), again.clone()]);
    assert_eq!(of("max").await, [again]);
    let max = api
        .session_of(&api.user("max").await)
        .await;
    assert_eq!(told_of(&max.walk("/api/notifications").await[0]), expected);
    // Who may no longer read sessions is told nothing of the records.
    let path = format!("/api/users/{}", max.id());
    let ada = api
        .session_of(&api.user("ada").await)
        .await;
    ada.patches(&path, json!({"role": "member"}))
        .await;
    let rows = max.walk("/api/notifications").await;
    assert_eq!(told_of(&rows[0]), (json!(null), json!(null)));
    assert!(told(&mia).await.is_empty());
}

#[tokio::test]
async fn nobody_is_asked_for_what_is_approved_or_may_not_be() {
    let world = Concierge::start().await;
    let api = &world.api;
    let ada = api.sign_in("ada").await;
    puts!(ada, "/api/concierge/policy", {"rules": [{"approvers": 1, "roles": ["manager"]}]});
    let session = world.stuck_batch().await;
    let actions = world.proposed(&session).await;
    api.publishes().await;
    // Only managers may approve, and the one that there is asked for it.
    assert!(told(&ada).await.is_empty());
    assert!(told(&world.max).await.is_empty());
    world
        .executes(&session, &[&actions[0]])
        .await
        .expect(202);
    api.publishes().await;
    api.clock.advance(23 * span::HOUR);
    assert_eq!(reminds(&world.sweeper()).await, 0);
}

#[tokio::test]
async fn who_a_manual_action_is_handed_over_to_is_needed() {
    let world = Concierge::start().await;
    let api = &world.api;
    let sue = api.sign_in("sue").await;
    let mia = api.sign_in("mia").await;
    let (session, action) = world.manual_review().await;
    let path = format!("/api/concierge/agent-sessions/{session}/actions/{action}/hand-over");
    let body = json!({"assigneeId": sue.id(), "note": "Before Monday."});
    let session = world.max.posts(&path, body).await;
    let request = &session["proposedActions"][0]["handling"]["serviceRequestId"];
    patches!(sue, "/api/service-requests/{request}", {"assigneeId": mia.id()});
    api.publishes().await;
    let needed = |by: &str| json!(["action_needed", "service_request", request, by]);
    assert_eq!(told(&sue).await, [needed("max")]);
    assert_eq!(told(&mia).await, [needed("sue")]);
}

/// The cost of a comment on a task: that of the feed, the search index, the notifications and the
/// webhooks.
#[tokio::test]
async fn a_comment_for_three_users_costs_little() {
    let (api, [ada, max, mia, sue]) = Api::signed_in(["ada", "max", "mia", "sue"]).await;
    ada.creates_task(json!({"assigneeId": max.id()}))
        .await;
    comments(&mia, 1, "First.").await;
    api.publishes().await;
    comments(&sue, 1, "Second.").await;
    let changes = api.changes().await;
    let (_, used) = Box::pin(metered(api.delivers_changes(&changes))).await;
    assert_eq!(api.items_of("notification").await.len(), 1 + 2 + 3);
    eprintln!("a comment for three users: {used:?}");
    assert!(used.requests <= 16 && used.units() <= 25.0, "{used:?}");
    let (_, again) = Box::pin(metered(api.delivers_changes(&changes))).await;
    eprintln!("the same again: {again:?}");
    assert!(again.requests <= 7 && again.units() <= 6.0, "{again:?}");
}
