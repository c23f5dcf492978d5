//! Service requests and tickets change alike: `PATCH /api/service-requests/{id}` and
//! `PATCH /api/managed-services/ticket/{ticketId}`

use serde_json::{Value, json};
use shared::model::{Id, ServiceStatus};
use tests::support::{Api, Caller, merges, raise_version};

use crate::{
    managed_services::{DASHBOARD, has_ticket},
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
    let mut read = caller.get(path).await.expect(200);
    match read.get_mut("ticket") {
        // A change answers without the creator.
        Some(ticket) => {
            ticket.as_object_mut().unwrap().remove("creator");
            ticket.take()
        }
        None => read,
    }
}

#[tokio::test]
async fn a_change_keeps_clears_or_replaces_each_field() {
    let (api, [sue]) = Api::signed_in(["sue"]).await;
    let of_both = [
        json!({"title": "Still no invoices"}),
        json!({"priority": "urgent"}),
        json!({"assigneeId": sue.id()}),
        json!({"assigneeId": null}),
        json!({"status": "in_progress", "priority": "low"}),
    ];
    let of_requests = [
        json!({"description": "Now"}),
        json!({"description": null}),
        json!({"category": "invoices"}),
        json!({"category": null}),
    ];
    for (folder, changes) in [(REQUESTS, &of_requests[..]), (TICKETS, &[])] {
        let path = exists_in(&api, folder, ServiceStatus::Open).await;
        let mut expected = read(&sue, &path).await;
        for change in of_both.iter().chain(changes) {
            api.clock.advance(1);
            merges(&mut expected, change);
            expected["updatedAt"] = json!(api.clock.now().to_string());
            raise_version(&mut expected);
            let changed = sue.patch(&path, change.clone()).await;
            assert_eq!(changed.expect(200), expected);
            assert_eq!(read(&sue, &path).await, expected);
        }
        if folder == TICKETS {
            let dashboard = sue.get(DASHBOARD).await.expect(200);
            assert_eq!(dashboard["tickets"], json!([expected]));
        }
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
            let answer = sue.patch(&path, json!({"assigneeId": assignee})).await;
            answer.expect_faults(&[("/assigneeId", "unknown")]);
            // The record comes before its assignee.
            let path = format!("{folder}/9");
            let answer = sue.patch(&path, json!({"assigneeId": assignee})).await;
            answer.expect_problem(404, "not_found");
        }
        assert_eq!(before, api.records().await);
    }
}

#[tokio::test]
async fn a_status_goes_where_it_may_and_nowhere_else() {
    let (api, [sue]) = Api::signed_in(["sue"]).await;
    let all = [
        ServiceStatus::Open,
        ServiceStatus::InProgress,
        ServiceStatus::Pending,
        ServiceStatus::Resolved,
        ServiceStatus::Closed,
    ];
    let transitions = all.into_iter().flat_map(|from| all.map(|to| (from, to)));
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
