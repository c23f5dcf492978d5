//! `/api/service-requests`

mod comments;
mod delete;
mod list;

use aws_sdk_dynamodb::types::AttributeValue;
use shared::{
    model::{
        base::{Id, ServiceRequestId},
        work::{ServiceRequest, ServiceStatus},
    },
    store::{base::Reader, work::Past},
};
use tests::{
    records,
    support::{Api, Caller},
};

use super::managed_services::at;

fn comments(request: i64) -> String {
    format!("/api/service-requests/{request}/comments")
}

/// A request of organization 1 by a user, in a state that it has come to since the 10th.
pub async fn exists(api: &Api, creator: &Caller, status: ServiceStatus) -> ServiceRequest {
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
    request.into_stored().record
}

pub async fn stored(api: &Api, id: i64) -> ServiceRequest {
    let id = ServiceRequestId::new(id).unwrap();
    let requests = api.store.service_requests();
    requests
        .get(&Reader::service(api.home.id), id)
        .await
        .unwrap()
        .request
        .into_stored()
        .record
}

/// Returns the count of resolutions of the 12th, and the sum of their milliseconds.
async fn resolutions(api: &Api) -> (i64, i64) {
    let day = api
        .client
        .get_item()
        .table_name(&api.table)
        .key("pk", AttributeValue::S("ORG#1#RESOLUTIONS".into()))
        .key("sk", AttributeValue::S("2026-01-12".into()))
        .consistent_read(true);
    let item = day
        .send()
        .await
        .unwrap()
        .item
        .unwrap_or_default();
    let number = |name: &str| {
        let value = item
            .get(name)
            .map(|value| value.as_n().unwrap());
        value.map_or(0, |number| number.parse().unwrap())
    };
    (number("count"), number("millis"))
}
