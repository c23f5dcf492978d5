//! Service requests and tickets change alike: `PATCH /api/service-requests/{id}` and
//! `PATCH /api/managed-services/ticket/{ticketId}`

use serde_json::{Value, json};
use shared::model::{
    base::{Id, Timestamp, span},
    work::ServiceStatus,
};
use tests::support::{Api, Caller, patches};

use crate::{
    managed_services::{has_ticket, metrics, resolutions},
    service_requests::exists,
};

const REQUESTS: &str = "/api/service-requests";
const TICKETS: &str = "/api/managed-services/ticket";

/// The path of a new record with this status.
async fn exists_in(api: &Api, folder: &str, status: ServiceStatus) -> String {
    let id = if folder == TICKETS {
        has_ticket(api, status).await.id.get()
    } else {
        let mia = api.sign_in("mia").await;
        exists(api, &mia, status).await.id.get()
    };
    format!("{folder}/{id}")
}

/// The record, without the messages of a ticket.
async fn read(caller: &Caller, path: &str) -> Value {
    let mut read = caller.reads(path).await;
    match read.get_mut("ticket") {
        // A change answers without the creator.
        Some(ticket) => {
            ticket
                .as_object_mut()
                .unwrap()
                .remove("creator");
            ticket.take()
        }
        None => read,
    }
}

#[tokio::test]
async fn an_assignee_is_a_user_of_the_organization() {
    let (api, [sue]) = Api::signed_in(["sue"]).await;
    let abroad = api.sign_in("zoe").await.id();
    for folder in [REQUESTS, TICKETS] {
        let path = exists_in(&api, folder, ServiceStatus::Open).await;
        let before = api.records().await;
        for assignee in [abroad, 99] {
            let answer = sue
                .patch(&path, json!({"assigneeId": assignee}))
                .await;
            answer.expect_faults(&[("/assigneeId", "unknown")]);
            // The record comes before its assignee.
            let path = format!("{folder}/9");
            let answer = sue
                .patch(&path, json!({"assigneeId": assignee}))
                .await;
            answer.expect_not_found();
        }
        assert_eq!(before, api.records().await);
    }
}

#[tokio::test]
async fn a_status_goes_where_it_may_and_nowhere_else() {
    let (api, [sue]) = Api::signed_in(["sue"]).await;
    let statuses = ServiceStatus::ALL.iter().copied();
    let transitions = statuses.clone().flat_map(|from| {
        statuses
            .clone()
            .map(move |to| (from, to))
    });
    for (from, to) in transitions {
        for folder in [REQUESTS, TICKETS] {
            let path = exists_in(&api, folder, from).await;
            let before = api.records().await;
            let change = json!({"status": to, "title": "Moved"});
            let answer = sue.patch(&path, change).await;
            if from.may_become(to) {
                let changed = answer.expect(200);
                assert_eq!(changed["status"], json!(to), "{path}, {from:?} to {to:?}");
                assert_eq!(changed["title"], "Moved");
            } else {
                answer.expect_problem(409, "invalid_transition");
                assert_eq!(before, api.records().await, "{path}, {from:?} to {to:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_resolution_feeds_the_dashboard_until_it_is_taken_back() {
    for folder in [REQUESTS, TICKETS] {
        let (api, [sue]) = Api::signed_in(["sue"]).await;
        let path = exists_in(&api, folder, ServiceStatus::Open).await;
        api.clock.advance(5 * span::HOUR);
        let record = read(&sue, &path).await;
        let created: Timestamp = record["createdAt"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap();
        let millis = i32::try_from(api.clock.now().since(created)).unwrap();
        let hours = f64::from(millis) / 3_600_000.0;
        // With the hours that pass after each.
        for (status, average, pass) in [
            ("pending", 0.0, 0),
            ("resolved", hours, 1),
            ("resolved", hours, 1),
            ("open", 0.0, -2),
            ("resolved", hours, 1),
            // It was resolved when it was resolved, not when it is closed.
            ("closed", hours, 1),
            ("closed", hours, 0),
        ] {
            patches!(sue, &path, {"status": status});
            let actual = metrics(&sue).await["avgResolutionTime"].clone();
            assert_eq!(actual, average, "{path} {status}");
            api.clock.advance(pass * span::HOUR);
        }
    }
}

#[tokio::test]
async fn changes_and_words_at_the_same_time_count_a_resolution_once() {
    for (folder, words) in [(REQUESTS, "comments"), (TICKETS, "reply")] {
        let (api, [mia, sue]) = Api::signed_in(["mia", "sue"]).await;
        let path = exists_in(&api, folder, ServiceStatus::Resolved).await;
        assert_eq!(resolutions(&api).await, ["1"]);
        let open = || sue.patches(&path, json!({"status": "open"}));
        let thread = format!("{path}/{words}");
        let says = || mia.posts(&thread, json!({"content": "Still broken"}));
        tokio::join!(open(), open(), says(), says(), says());
        assert_eq!(resolutions(&api).await, ["0"]);
        assert_eq!(read(&sue, &path).await["status"], "open");
        let thread_content = mia
            .reads(if folder == TICKETS { &path } else { &thread })
            .await;
        let messages = thread_content
            .get("messages")
            .unwrap_or(&thread_content);
        assert_eq!(messages.as_array().unwrap().len(), 3);
    }
}
