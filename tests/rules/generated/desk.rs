//! The modules of the desk with the document's sets of names and the rules about them.

use tests::{File, support::document};

/// A constant: its name, its type, and its place among the document's schemas.
type Constant = (&'static str, &'static str, &'static str);

/// The constants that every visit loads.
const OF_ALL: [Constant; 10] = [
    (
        "LEAST_ROLES",
        "Readonly<Record<api.Permission, api.Role>>",
        "Permission/x-rules/leastRole",
    ),
    (
        "MILESTONE_STATUSES",
        "readonly api.MilestoneStatus[]",
        "MilestoneStatus/enum",
    ),
    ("PRIORITIES", "readonly api.Priority[]", "Priority/enum"),
    (
        "PROJECT_STATUSES",
        "readonly api.ProjectStatus[]",
        "ProjectStatus/enum",
    ),
    (
        "SERVICE_NEXT",
        "Readonly<Record<api.ServiceStatus, readonly api.ServiceStatus[]>>",
        "ServiceStatus/x-rules/transitions",
    ),
    (
        "SERVICE_OVER",
        "readonly api.ServiceStatus[]",
        "ServiceStatus/x-rules/over",
    ),
    (
        "SERVICE_STATUSES",
        "readonly api.ServiceStatus[]",
        "ServiceStatus/enum",
    ),
    ("SEVERITIES", "readonly api.Severity[]", "Severity/enum"),
    (
        "TASK_OVER",
        "readonly api.TaskStatus[]",
        "TaskStatus/x-rules/over",
    ),
    (
        "TASK_STATUSES",
        "readonly api.TaskStatus[]",
        "TaskStatus/enum",
    ),
];

/// The constants that the settings load.
const OF_SETTINGS: [Constant; 6] = [
    (
        "ACTION_TYPES",
        "readonly api.ActionType[]",
        "ActionType/enum",
    ),
    (
        "EVENT_PATTERNS",
        "readonly api.EventPattern[]",
        "EventPattern/enum",
    ),
    (
        "PERMISSIONS",
        "readonly api.Permission[]",
        "Permission/enum",
    ),
    ("RISKS", "readonly api.Risk[]", "Risk/enum"),
    ("ROLES", "readonly api.Role[]", "Role/enum"),
    (
        "SYSTEM_KINDS",
        "readonly api.SystemKind[]",
        "SystemKind/enum",
    ),
];

/// The first lines of a module.
const HEAD: &str = "/** Sets of names and the rules about them, as in infra/openapi.json. \
                    Written by `cargo test`. */\n/** @import * as api from \"workdesk\" */\n";

/// The modules, each with the text that it should have.
pub fn modules() -> [File; 2] {
    [
        File::open("functions/pages/desk/api/sets.js").whole(module(&OF_ALL)),
        File::open("functions/pages/desk/views/settings/sets.js").whole(module(&OF_SETTINGS)),
    ]
}

fn module(constants: &[Constant]) -> String {
    let document = serde_json::to_value(document()).unwrap();
    let schemas = &document["components"]["schemas"];
    let mut text = HEAD.to_owned();
    for (name, kind, place) in constants {
        let value = schemas
            .pointer(&format!("/{place}"))
            .unwrap();
        let value = serde_json::to_string_pretty(value).unwrap();
        let constant = format!("\n/** @type {{{kind}}} */\nexport const {name} = {value};\n");
        text.push_str(&constant);
    }
    text
}
