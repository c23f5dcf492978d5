use serde_json::{Value, json};

use crate::{
    base::{Description, Order, Timestamp, Title},
    input,
    work::{TaskCreate, TaskReorder, TaskUpdate},
};

use super::*;

pub struct Deal {
    title: Title,
    text: Option<Description>,
    order: Order,
}

input! {
    /// A change of a deal.
    pub struct DealUpdate {
        title: PatchField<Title>,
        text: Patch<Description>,
        order: PatchField<Order>,
    }
    changes Deal;
    needs any;
}

fn faults<T: Input>(body: &Value) -> Vec<(String, FaultCode)> {
    let faults = parse::<T>(body.to_string().as_bytes()).err();
    let faults = faults.into_iter().flatten();
    faults
        .map(|fault| (fault.pointer, fault.code))
        .collect()
}

fn at(pointer: &str, code: FaultCode) -> (String, FaultCode) {
    (pointer.to_owned(), code)
}

#[test]
fn every_fault_is_reported_in_the_order_of_the_fields() {
    let body = json!({"title": " ", "description": 7, "status": "someday", "dueDate": "now"});
    assert_eq!(
        faults::<TaskCreate>(&body),
        [
            at("/title", FaultCode::Blank),
            at("/description", FaultCode::Type),
            at("/status", FaultCode::Value),
            at("/dueDate", FaultCode::DateTime),
            at("/projectId", FaultCode::Required),
        ]
    );
    let faults = faults::<TaskCreate>(&json!({"title": "x", "projectId": 0}));
    assert_eq!(faults, [at("/projectId", FaultCode::Range)]);
}

#[test]
fn what_is_missing_is_named_as_it_is_sent() {
    let faults = parse::<TaskCreate>(b"{}").unwrap_err();
    let details: Vec<_> = faults
        .iter()
        .map(|fault| fault.detail.as_str())
        .collect();
    let subject = "Send `projectId`, `organizationId` or both.";
    assert_eq!(details, ["Send `title`.", subject]);
}

#[test]
fn a_body_that_is_no_object_has_one_fault_at_its_root() {
    for (text, code) in [
        ("{", FaultCode::Json),
        ("[]", FaultCode::Type),
        ("\"x\"", FaultCode::Type),
    ] {
        let [fault] =
            <[Fault; 1]>::try_from(parse::<TaskCreate>(text.as_bytes()).unwrap_err()).unwrap();
        assert_eq!((fault.pointer.as_str(), fault.code), ("", code));
    }
}

#[test]
fn in_a_create_null_is_absent() {
    let body = json!({"title": "x", "projectId": 1, "description": null, "status": null});
    let task: TaskCreate = from_value(&body).unwrap();
    assert_eq!(task.description, None);
    assert_eq!(task.status, Defaulted::default());
    let faults = faults::<TaskCreate>(&json!({"title": null, "projectId": 1}));
    assert_eq!(faults, [at("/title", FaultCode::Null)]);
}

#[test]
fn a_number_without_decimals_is_an_integer_however_it_is_written() {
    for (text, number) in [
        ("7", 7),
        ("1.0", 1),
        ("1e2", 100),
        ("0.0", 0),
        ("9007199254740991.0", crate::base::MAX_ID),
    ] {
        let update: DealUpdate = parse(format!(r#"{{"order": {text}}}"#).as_bytes()).unwrap();
        let PatchField::Set(order) = update.order else {
            panic!("{text}");
        };
        assert_eq!(order.get(), number, "{text}");
    }
    for (text, code) in [
        ("1.5", FaultCode::Type),
        ("-1.0", FaultCode::Range),
        ("9007199254740992.0", FaultCode::Range),
        ("1e300", FaultCode::Range),
    ] {
        let body = format!(r#"{{"order": {text}}}"#);
        let fault = parse::<DealUpdate>(body.as_bytes())
            .unwrap_err()
            .remove(0);
        assert_eq!(fault.code, code, "{text}");
    }
}

#[test]
fn an_update_keeps_clears_and_replaces() {
    let mut deal = Deal {
        title: "Old".try_into().unwrap(),
        text: Some("Text".try_into().unwrap()),
        order: Order::at(7),
    };
    let update: DealUpdate = from_value(&json!({"title": "New", "text": null})).unwrap();
    update.apply(&mut deal);
    assert_eq!(&*deal.title, "New");
    assert_eq!(deal.text, None);
    assert_eq!(deal.order.get(), 7);
    let faults = faults::<DealUpdate>(&json!({"order": null}));
    assert_eq!(faults, [at("/order", FaultCode::Null)]);
}

#[test]
fn an_update_of_nothing_names_what_could_be_sent() {
    let [fault] =
        <[Fault; 1]>::try_from(parse::<DealUpdate>(b"{\"other\": 1}").unwrap_err()).unwrap();
    let detail = "`other` cannot be changed. Send at least one of: title, text, order.";
    assert_eq!(fault.detail, detail);
    assert!(faults::<TaskUpdate>(&json!({"dueDate": null})).is_empty());
}

#[test]
fn a_fault_of_one_element_does_not_hide_those_of_others() {
    let faults_of = |tasks: Value| faults::<TaskReorder>(&json!({ "tasks": tasks }));
    let each = [
        at("/tasks/0/order", FaultCode::Range),
        at("/tasks/1/order", FaultCode::Required),
        at("/tasks/3", FaultCode::Type),
    ];
    let tasks = json!([{"id": 1, "order": -1}, {"id": 2}, {"id": 2, "order": 1}, 5]);
    assert_eq!(faults_of(tasks), each);
    let twice = json!([{"id": 2, "order": 1}, {"id": 2, "order": 3}]);
    assert_eq!(faults_of(twice), [at("/tasks/1/id", FaultCode::Repeated)]);
    assert_eq!(faults_of(json!([])), [at("/tasks", FaultCode::Length)]);
}

#[test]
fn parameters_are_text_and_unknown_ones_are_named() {
    input! {
        /// A filter.
        pub struct Filter {
            limit: Option<Order>,
            since: Option<Timestamp>,
        }
    }
    let query = |pairs: &[(&str, &str)]| {
        let text = |text: &str| text.to_owned();
        let pairs = pairs
            .iter()
            .map(|(name, value)| (text(name), text(value)));
        parse_query::<Filter>(pairs, Vec::new())
    };
    let filter = query(&[("limit", "5"), ("since", "2026-01-31T09:30:00Z")]).unwrap();
    assert_eq!(filter.limit, Some(Order::at(5)));
    assert!(filter.since.is_some());
    let faults = query(&[
        ("limit", "x"),
        ("page", "2"),
        ("since", "now"),
        ("since", "now"),
    ])
    .unwrap_err();
    let codes = faults
        .iter()
        .map(|fault| (fault.pointer.as_str(), fault.code));
    let codes: Vec<(&str, FaultCode)> = codes.collect();
    assert_eq!(
        codes,
        [
            ("?page", FaultCode::UnknownParameter),
            ("?since", FaultCode::Repeated),
            ("?limit", FaultCode::Type),
            ("?since", FaultCode::DateTime),
        ]
    );
    let detail = "This operation takes the query parameters limit, since.";
    assert_eq!(faults[0].detail, detail);
}

#[test]
fn the_schema_says_what_the_reader_holds() {
    let mut schemas = Vec::new();
    TaskCreate::field_schemas(&mut schemas);
    let schemas: serde_json::Map<String, Value> = schemas
        .into_iter()
        .map(|(name, schema)| (name, serde_json::to_value(schema).unwrap()))
        .collect();
    assert_eq!(schemas["TaskCreate"]["required"], json!(["title"]));
    let properties = &schemas["TaskCreate"]["properties"];
    assert_eq!(properties["title"]["$ref"], "#/components/schemas/Title");
    assert_eq!(properties["status"]["default"], "todo");
    assert_eq!(&schemas["Title"]["minLength"], &json!(1));
    assert_eq!(&schemas["Title"]["maxLength"], &json!(255));
    let mut schemas = Vec::new();
    TaskReorder::field_schemas(&mut schemas);
    let tasks = &serde_json::to_value(&schemas[0].1).unwrap()["properties"]["tasks"];
    assert_eq!(&tasks["minItems"], &json!(1));
    assert_eq!(&tasks["maxItems"], &json!(100));
}
