/** Sets of names and the rules about them, as in infra/openapi.json. Written by `cargo test`. */
/** @import * as api from "workdesk" */

/** @type {Readonly<Record<api.Permission, api.Role>>} */
export const LEAST_ROLES = {
  "comment_activity": "member",
  "comment_service_request": "member",
  "create_activity": "member",
  "create_agent_remediation": "support",
  "create_service_request": "member",
  "create_task": "member",
  "delete_service_request": "manager",
  "delete_task": "manager",
  "execute_agent_remediation": "manager",
  "manage_directory": "manager",
  "manage_milestones": "manager",
  "manage_organization": "admin",
  "manage_signals": "support",
  "manage_tickets": "support",
  "manage_users": "admin",
  "reply_ticket": "member",
  "tag_activity": "member",
  "update_service_request": "support",
  "update_task": "member",
  "view_agent_remediation": "support",
  "view_managed_services": "viewer",
  "view_work": "viewer"
};

/** @type {readonly api.MilestoneStatus[]} */
export const MILESTONE_STATUSES = [
  "pending",
  "in_progress",
  "on_hold",
  "completed",
  "cancelled"
];

/** @type {readonly api.Priority[]} */
export const PRIORITIES = [
  "low",
  "medium",
  "high",
  "urgent"
];

/** @type {readonly api.ProjectStatus[]} */
export const PROJECT_STATUSES = [
  "active",
  "on_hold",
  "completed",
  "archived"
];

/** @type {Readonly<Record<api.ServiceStatus, readonly api.ServiceStatus[]>>} */
export const SERVICE_NEXT = {
  "closed": [],
  "in_progress": [
    "open",
    "pending",
    "resolved",
    "closed"
  ],
  "open": [
    "in_progress",
    "pending",
    "resolved",
    "closed"
  ],
  "pending": [
    "open",
    "in_progress",
    "resolved",
    "closed"
  ],
  "resolved": [
    "open",
    "closed"
  ]
};

/** @type {readonly api.ServiceStatus[]} */
export const SERVICE_OVER = [
  "resolved",
  "closed"
];

/** @type {readonly api.ServiceStatus[]} */
export const SERVICE_STATUSES = [
  "open",
  "in_progress",
  "pending",
  "resolved",
  "closed"
];

/** @type {readonly api.Severity[]} */
export const SEVERITIES = [
  "info",
  "warning",
  "error",
  "critical"
];

/** @type {readonly api.TaskStatus[]} */
export const TASK_OVER = [
  "done",
  "cancelled"
];

/** @type {readonly api.TaskStatus[]} */
export const TASK_STATUSES = [
  "backlog",
  "todo",
  "in_progress",
  "in_review",
  "blocked",
  "done",
  "cancelled"
];
