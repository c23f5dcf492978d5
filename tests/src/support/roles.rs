//! The functions' roles, as `infra/template.yaml` writes them: what a function asks of the table
//! without being granted it fails, as it would on AWS.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{LazyLock, Mutex},
};

use aws_sdk_dynamodb::{
    config::interceptors::BeforeSerializationInterceptorContextRef,
    operation::{
        batch_get_item::BatchGetItemInput, batch_write_item::BatchWriteItemInput,
        get_item::GetItemInput, put_item::PutItemInput, query::QueryInput,
        transact_write_items::TransactWriteItemsInput, update_item::UpdateItemInput,
    },
};
use serde_json::Value;

/// An action and the resource it is for, such as `dynamodb:Query` on `Table.Arn/index/gsi1`.
pub type Grant = (String, String);

/// The streams of the table. Lambda finds its own among them.
pub const STREAMS: &str = "Table.Arn/stream/*";

tokio::task_local! {
    /// The function that a request is in.
    static FUNCTION: String;
}

/// Grants that the functions were seen to use.
static USED: Mutex<BTreeMap<String, BTreeSet<Grant>>> = Mutex::new(BTreeMap::new());

static GRANTED: LazyLock<BTreeMap<String, BTreeSet<Grant>>> = LazyLock::new(|| {
    let template = template();
    let resources = template["Resources"].as_object().unwrap();
    let roles = resources
        .values()
        .filter(|one| one["Type"] == "AWS::IAM::Role");
    roles
        .flat_map(|role| role["Properties"]["Policies"].as_array().unwrap())
        .map(|policy| {
            let name = policy["PolicyName"].as_str().unwrap().to_owned();
            let statements = policy["PolicyDocument"]["Statement"].as_array().unwrap();
            (name, statements.iter().flat_map(grants).collect())
        })
        .collect()
});

/// The template as data; intrinsic functions stand as their arguments.
pub fn template() -> Value {
    serde_saphyr::from_str(include_str!("../../../infra/template.yaml")).unwrap()
}

fn grants(statement: &Value) -> Vec<Grant> {
    assert_eq!(statement["Effect"], "Allow");
    let list = |value: &Value| match value {
        // The stack's own table, or else one that is there.
        Value::Array(values) if values[0] == "OwnsTable" => vec![values[1].clone()],
        Value::Array(values) => values.clone(),
        one => vec![one.clone()],
    };
    let mut grants = Vec::new();
    for action in list(&statement["Action"]) {
        for resource in list(&statement["Resource"]) {
            let resource = resource
                .as_str()
                .unwrap()
                .replace("${Table.Arn}", "Table.Arn");
            let is_narrow = !resource.contains('*') || resource == STREAMS;
            assert!(is_narrow, "{resource}");
            grants.push((action.as_str().unwrap().to_owned(), resource));
        }
    }
    grants
}

/// Returns the grants of a function's role.
pub fn granted(function: &str) -> BTreeSet<Grant> {
    GRANTED.get(function).cloned().unwrap_or_default()
}

/// Returns the grants that a function was seen to use, by any test so far.
pub fn used(function: &str) -> BTreeSet<Grant> {
    USED.lock()
        .unwrap()
        .get(function)
        .cloned()
        .unwrap_or_default()
}

/// Runs what a function does under its role.
pub async fn acting_as<F: Future>(function: &str, work: F) -> F::Output {
    FUNCTION.scope(function.to_owned(), work).await
}

/// Refuses a request that the role of its function does not grant. A request of a test itself has
/// no function.
pub fn check(
    request: &BeforeSerializationInterceptorContextRef<'_>,
    function: Option<&str>,
) -> Result<(), String> {
    let function = match function {
        Some(function) => function.to_owned(),
        None => match FUNCTION.try_with(Clone::clone) {
            Ok(function) => function,
            Err(_) => return Ok(()),
        },
    };
    let granted = granted(&function);
    for grant in needed(request) {
        if !granted.contains(&grant) {
            let (action, resource) = grant;
            let refusal = format!(
                "{function} needs {action} on {resource}, which its role in infra/template.yaml \
                 does not grant"
            );
            eprintln!("{refusal}");
            return Err(refusal);
        }
        let mut used = USED.lock().unwrap();
        used.entry(function.clone()).or_default().insert(grant);
    }
    Ok(())
}

fn needed(request: &BeforeSerializationInterceptorContextRef<'_>) -> Vec<Grant> {
    let input = request.input();
    let on_table = |action: &str| (format!("dynamodb:{action}"), "Table.Arn".to_owned());
    if input.downcast_ref::<GetItemInput>().is_some() {
        vec![on_table("GetItem")]
    } else if input.downcast_ref::<BatchGetItemInput>().is_some() {
        vec![on_table("BatchGetItem")]
    } else if input.downcast_ref::<BatchWriteItemInput>().is_some() {
        vec![on_table("BatchWriteItem")]
    } else if input.downcast_ref::<PutItemInput>().is_some() {
        vec![on_table("PutItem")]
    } else if input.downcast_ref::<UpdateItemInput>().is_some() {
        vec![on_table("UpdateItem")]
    } else if let Some(query) = input.downcast_ref::<QueryInput>() {
        let (action, table) = on_table("Query");
        let resource = match query.index_name() {
            Some(index) => format!("{table}/index/{index}"),
            None => table,
        };
        vec![(action, resource)]
    } else if let Some(writes) = input.downcast_ref::<TransactWriteItemsInput>() {
        let writes = writes.transact_items().iter();
        writes
            .map(|write| {
                on_table(if write.put().is_some() {
                    "PutItem"
                } else if write.update().is_some() {
                    "UpdateItem"
                } else if write.delete().is_some() {
                    "DeleteItem"
                } else {
                    "ConditionCheckItem"
                })
            })
            .collect()
    } else {
        // Only the tests themselves ask for anything else.
        vec![("dynamodb:*".to_owned(), "Table.Arn".to_owned())]
    }
}
