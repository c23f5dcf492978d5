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
    let mut granted: BTreeMap<String, BTreeSet<Grant>> = BTreeMap::new();
    for (name, statement) in statements(&template()) {
        granted
            .entry(name)
            .or_default()
            .extend(grants(statement));
    }
    granted
});

/// The resources of a type, each by its logical name and with its properties.
pub fn resources<'a>(
    template: &'a Value,
    kind: &str,
) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let resources = template["Resources"]
        .as_object()
        .unwrap()
        .iter();
    let of_type = resources.filter(move |(_, resource)| resource["Type"] == kind);
    of_type.map(|(name, resource)| (name.as_str(), &resource["Properties"]))
}

/// The functions, each by its logical name and its package's, with its properties.
pub fn functions(template: &Value) -> impl Iterator<Item = (&str, &str, &Value)> {
    resources(template, "AWS::Serverless::Function").map(|(name, function)| {
        let code = function["CodeUri"].as_str().unwrap();
        let package = code
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap();
        (name, package, function)
    })
}

/// The statements of the roles, each with its role's function.
pub fn statements(template: &Value) -> impl Iterator<Item = (String, &Value)> {
    let roles = resources(template, "AWS::IAM::Role");
    let policies = roles.flat_map(|(_, role)| role["Policies"].as_array().unwrap());
    policies.flat_map(|policy| {
        let name = policy["PolicyName"].as_str().unwrap();
        let statements = policy["PolicyDocument"]["Statement"]
            .as_array()
            .unwrap();
        statements
            .iter()
            .map(move |statement| (name.to_owned(), statement))
    })
}

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
        value => vec![value.clone()],
    };
    let mut grants = Vec::new();
    for action in list(&statement["Action"]) {
        for resource in list(&statement["Resource"]) {
            let resource = resource.as_str().unwrap();
            let resource = resource.replace("${Table.Arn}", "Table.Arn");
            let is_narrow = !resource.contains('*') || resource == STREAMS;
            assert!(is_narrow, "{resource}");
            grants.push((action.as_str().unwrap().to_owned(), resource));
        }
    }
    grants
}

/// Returns the grants of a function's role.
pub fn granted(function: &str) -> BTreeSet<Grant> {
    GRANTED
        .get(function)
        .cloned()
        .unwrap_or_default()
}

/// Returns the grants that a function was seen to use, by any test so far.
pub fn used(function: &str) -> BTreeSet<Grant> {
    let used = USED.lock().unwrap();
    used.get(function)
        .cloned()
        .unwrap_or_default()
}

/// Runs what a function does under its role.
pub async fn acting_as<F: Future>(function: &str, work: F) -> F::Output {
    FUNCTION
        .scope(function.to_owned(), work)
        .await
}

/// Refuses a request that the role of its function does not grant. A request of a test itself has
/// no function.
pub fn check(
    request: &BeforeSerializationInterceptorContextRef<'_>,
    function: Option<&str>,
) -> Result<(), String> {
    let of_client = function.map(str::to_owned);
    let Some(function) = of_client.or_else(|| FUNCTION.try_with(Clone::clone).ok()) else {
        return Ok(());
    };
    let granted = granted(&function);
    for grant in needed(request) {
        if !granted.contains(&grant) {
            let (action, resource) = grant;
            let role = "which its role in infra/template.yaml does not grant";
            let refusal = format!("{function} needs {action} on {resource}, {role}");
            eprintln!("{refusal}");
            return Err(refusal);
        }
        let mut used = USED.lock().unwrap();
        used.entry(function.clone())
            .or_default()
            .insert(grant);
    }
    Ok(())
}

fn needed(request: &BeforeSerializationInterceptorContextRef<'_>) -> Vec<Grant> {
    let input = request.input();
    let on_table = |action: &str| (format!("dynamodb:{action}"), "Table.Arn".to_owned());
    if input
        .downcast_ref::<GetItemInput>()
        .is_some()
    {
        vec![on_table("GetItem")]
    } else if input
        .downcast_ref::<BatchGetItemInput>()
        .is_some()
    {
        vec![on_table("BatchGetItem")]
    } else if input
        .downcast_ref::<BatchWriteItemInput>()
        .is_some()
    {
        vec![on_table("BatchWriteItem")]
    } else if input
        .downcast_ref::<PutItemInput>()
        .is_some()
    {
        vec![on_table("PutItem")]
    } else if input
        .downcast_ref::<UpdateItemInput>()
        .is_some()
    {
        vec![on_table("UpdateItem")]
    } else if let Some(query) = input.downcast_ref::<QueryInput>() {
        let (action, table) = on_table("Query");
        let resource = match query.index_name() {
            Some(index) => format!("{table}/index/{index}"),
            None => table,
        };
        vec![(action, resource)]
    } else if let Some(writes) = input.downcast_ref::<TransactWriteItemsInput>() {
        let writes = writes
            .transact_items()
            .iter()
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
            });
        writes.collect()
    } else {
        // Only the tests themselves ask for anything else.
        vec![("dynamodb:*".to_owned(), "Table.Arn".to_owned())]
    }
}
