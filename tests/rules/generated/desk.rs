//! The module of the desk with the document's sets of names and the rules about them.

use tests::support::document;

/// The constants: each with its name, its type, and its place among the document's schemas.
#[rustfmt::skip] // A line each.
const CONSTANTS: [(&str, &str, &str); 15] = [
    ("ACTION_TYPES", "readonly api.ActionType[]", "ActionType/enum"),
    ("EVENT_PATTERNS", "readonly api.EventPattern[]", "EventPattern/enum"),
    ("LEAST_ROLES", "Readonly<Record<api.Permission, api.Role>>", "Permission/x-rules/leastRole"),
    ("PERMISSIONS", "readonly api.Permission[]", "Permission/enum"),
    ("PRIORITIES", "readonly api.Priority[]", "Priority/enum"),
    ("PROJECT_STATUSES", "readonly api.ProjectStatus[]", "ProjectStatus/enum"),
    ("RISKS", "readonly api.Risk[]", "Risk/enum"),
    ("ROLES", "readonly api.Role[]", "Role/enum"),
    ("SERVICE_STATUSES", "readonly api.ServiceStatus[]", "ServiceStatus/enum"),
    ("SERVICE_OVER", "readonly api.ServiceStatus[]", "ServiceStatus/x-rules/over"),
    ("SERVICE_NEXT", "Readonly<Record<api.ServiceStatus, readonly api.ServiceStatus[]>>", "ServiceStatus/x-rules/transitions"),
    ("SEVERITIES", "readonly api.Severity[]", "Severity/enum"),
    ("SYSTEM_KINDS", "readonly api.SystemKind[]", "SystemKind/enum"),
    ("TASK_STATUSES", "readonly api.TaskStatus[]", "TaskStatus/enum"),
    ("TASK_OVER", "readonly api.TaskStatus[]", "TaskStatus/x-rules/over"),
];

/// The first lines of the module.
const HEAD: &str = "/** Sets of names and the rules about them, as in infra/openapi.json. \
                    Written by `cargo test`. */\n/** @import * as api from \"workdesk\" */\n";

/// The text of the module.
pub fn module() -> String {
    let document = serde_json::to_value(document()).unwrap();
    let schemas = &document["components"]["schemas"];
    let mut text = HEAD.to_owned();
    for (name, kind, place) in CONSTANTS {
        let value = schemas.pointer(&format!("/{place}")).unwrap();
        let value = serde_json::to_string_pretty(value).unwrap();
        text += &format!("\n/** @type {{{kind}}} */\nexport const {name} = {value};\n");
    }
    text
}
