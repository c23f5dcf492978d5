//! `/api/service-requests`, and what its operations have in common

mod comments;
mod delete;
mod get;
mod list;
mod update;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use shared::{
    model::{Id, ServiceRequest, ServiceRequestId, ServiceStatus},
    store::Past,
};
use tests::records;

use super::managed_services::{REQUEST, at};
use crate::support::{Api, Caller};

/// Ids that name no record of organization 1 or 2.
const NO_ID: [&str; 6] = ["99", "0", "-1", "abc", "9007199254740993", "01"];

fn comments(request: i64) -> String {
    format!("/api/service-requests/{request}/comments")
}

/// A request of organization 1 by a user, in a state that it has come to since the 10th.
async fn exists(api: &Api, creator: &Caller, status: ServiceStatus) -> ServiceRequest {
    let new = records::service_request();
    let history = Past {
        status,
        created_at: Some(at("2026-01-10T12:00:00Z")),
        resolved_at: Some(at("2026-01-12T12:00:00Z")),
        ..Past::default()
    };
    let requests = api.store.service_requests();
    let request = requests.create_with(api.home.id, creator.user.unwrap(), new, history);
    let request = request.await.unwrap();
    api.counter.take();
    request.record
}

pub async fn stored(api: &Api, id: i64) -> ServiceRequest {
    let id = ServiceRequestId::new(id).unwrap();
    let requests = api.store.service_requests();
    requests.get(api.home.id, id).await.unwrap().record
}

/// How many resolutions of the 12th are counted, and their milliseconds together.
async fn resolutions(api: &Api) -> (i64, i64) {
    let day = api
        .client
        .get_item()
        .table_name(&api.table)
        .key("pk", AttributeValue::S("ORG#1#RESOLUTIONS".into()))
        .key("sk", AttributeValue::S("2026-01-12".into()))
        .consistent_read(true);
    let item = day.send().await.unwrap().item.unwrap_or_default();
    let number = |name: &str| {
        let value = item.get(name).map(|value| value.as_n().unwrap());
        value.map_or(0, |number| number.parse().unwrap())
    };
    (number("count"), number("millis"))
}

#[tokio::test]
async fn a_viewer_reads_comments_and_writes_nothing() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let vic = api.sign_in("vic").await;
    let request = mia.raises_request().await;
    let comment = mia.comments_on_request(request, "Please").await;
    let before = api.table_dump().await;
    for (path, method) in [
        (REQUEST.to_owned(), "POST"),
        (comments(request), "POST"),
        (format!("/api/service-requests/{request}"), "PATCH"),
        (format!("/api/service-requests/{request}"), "DELETE"),
    ] {
        let body = (method != "DELETE").then(|| "{".to_owned());
        vic.send(method, &path, body)
            .await
            .expect_problem(403, "permission_denied");
    }
    assert_eq!(vic.get(&comments(request)).await.ids(), [comment]);
    assert_eq!(before, api.table_dump().await);
}

#[tokio::test]
async fn what_is_foreign_or_absent_is_not_found() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let zoe = api.sign_in("zoe").await;
    let request = mia.raises_request().await;
    mia.comments_on_request(request, "Secret").await;
    let before = api.table_dump().await;
    let own = request.to_string();
    for id in NO_ID.into_iter().chain([own.as_str()]) {
        let path = format!("/api/service-requests/{id}");
        for answer in [
            zoe.get(&path).await,
            zoe.patch(&path, json!({"status": "closed"})).await,
            zoe.delete(&path).await,
        ] {
            answer.expect_problem(404, "not_found");
        }
        let path = format!("{path}/comments");
        zoe.get(&path).await.expect_problem(404, "not_found");
        // The body's faults come before a missing record.
        zoe.post(&path, json!({}))
            .await
            .expect_faults(&[("/content", "required")]);
    }
    assert_eq!(before, api.table_dump().await);
    for id in NO_ID.into_iter().chain([own.as_str()]) {
        let path = format!("/api/service-requests/{id}/comments");
        zoe.post(&path, json!({"content": "x"}))
            .await
            .expect_problem(404, "not_found");
    }
    assert_eq!(mia.get(&comments(request)).await.ids(), [1]);
}

#[tokio::test]
async fn no_operation_takes_query_parameters() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let request = mia.raises_request().await;
    for (method, path) in [
        ("POST", REQUEST.to_owned()),
        ("DELETE", format!("/api/service-requests/{request}")),
        ("POST", comments(request)),
    ] {
        let body = (method == "POST").then(|| json!({"title": "x", "content": "x"}).to_string());
        mia.send(method, &format!("{path}?dry=1"), body)
            .await
            .expect_faults(&[("?dry", "unknown_parameter")]);
    }
}
