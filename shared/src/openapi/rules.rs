//! Rules about sets of names, as an extension of their schemas.

use std::collections::BTreeMap;

use model::{
    people::Permission,
    work::{ServiceStatus, TaskStatus},
};
use serde_json::{Value, json};
use utoipa::{
    ToSchema,
    openapi::{RefOr, Schema},
};

/// The extension with the rules. A schema has no second one: the order of two would change from run
/// to run.
const RULES: &str = "x-rules";

/// The schemas of the document, by their names.
type Schemas = BTreeMap<String, RefOr<Schema>>;

/// Adds the rules about its names to each set that has some.
pub fn add(schemas: &mut Schemas) {
    let next = |status: ServiceStatus| {
        let may_be_next = |next: ServiceStatus| next != status && status.may_become(next);
        (status.name(), names(ServiceStatus::ALL, may_be_next))
    };
    let transitions: BTreeMap<_, _> = ServiceStatus::ALL
        .iter()
        .copied()
        .map(next)
        .collect();
    let over = names(ServiceStatus::ALL, ServiceStatus::is_over);
    set::<ServiceStatus>(schemas, json!({ "over": over, "transitions": transitions }));
    let over = names(TaskStatus::ALL, TaskStatus::is_over);
    set::<TaskStatus>(schemas, json!({ "over": over }));
    let least_role = |permission: &Permission| (permission.name(), permission.least_role());
    let least_role: BTreeMap<_, _> = Permission::ALL
        .iter()
        .map(least_role)
        .collect();
    set::<Permission>(schemas, json!({ "leastRole": least_role }));
}

/// The names of a set to which a rule applies, in their order.
fn names<T: Copy>(values: &[T], applies: impl Fn(T) -> bool) -> Vec<T> {
    values
        .iter()
        .copied()
        .filter(|name| applies(*name))
        .collect()
}

fn set<T: ToSchema>(schemas: &mut Schemas, rules: Value) {
    if let Some(RefOr::T(Schema::Object(object))) = schemas.get_mut(&*T::name()) {
        let extensions = object
            .extensions
            .get_or_insert_default();
        extensions.insert(RULES.to_owned(), rules);
    }
}
