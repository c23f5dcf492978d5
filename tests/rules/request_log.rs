//! The log line of a request: the caller, the operation, and its use of the table.

use serde_json::{Value, json};

use tests::support::{Api, Log, puts, shows};

#[tokio::test]
async fn a_request_is_logged_with_who_asked_and_what_it_took_of_the_table() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    max.creates_milestone(json!({})).await;
    let log = Log::begin();
    api.counter.take();
    max.reads("/api/milestones/1").await;
    let [line] = log.take().try_into().unwrap();
    shows!(line, {"method": "GET", "route": "/api/milestones/{id}", "status": 200});
    // No share is set, so that all are logged.
    shows!(line, {"logShare": 1.0, "userId": max.id(), "organizationId": 1});
    assert_eq!(line["tableRequests"], api.counter.take().total);
    let units = |line: &Value| ["readUnits", "writeUnits"].map(|name| line[name].as_f64().unwrap());
    let [read, written] = units(&line);
    // Each item that is read takes half a unit at least, and those of the caller are read whole.
    assert!((2.0..20.0).contains(&read), "{line}");
    assert!(written.abs() < f64::EPSILON, "{line}");

    puts!(max, "/api/milestones/1", {"title": "Renamed"});
    let [line] = log.take().try_into().unwrap();
    assert_eq!(line["tableRequests"], api.counter.take().total);
    let [read, written] = units(&line);
    assert!(read > 0.0 && written > 0.0, "{line}");

    max.get("/api/milestones/2").await.expect(404);
    let [line] = log.take().try_into().unwrap();
    shows!(line, {"status": 404, "cause": null});
}

#[tokio::test]
async fn a_request_is_logged_under_the_trace_of_its_client() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    for (header, logged) in [
        (format!("00-{trace}-00f067aa0ba902b7-01"), json!(trace)),
        (format!("00-{trace}\"-00f067aa0ba902b7-01"), Value::Null),
    ] {
        let traced = max.clone().with_header("traceparent", &header);
        let log = Log::begin();
        traced.reads("/api/auth/session").await;
        let [line] = log.take().try_into().unwrap();
        assert_eq!(line["clientTraceId"], logged, "{line}");
        let own = line["traceId"].as_str().unwrap();
        assert!(own.starts_with("1-"), "{line}");
    }
}
