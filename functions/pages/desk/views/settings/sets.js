/** Sets of names and the rules about them, as in infra/openapi.json. Written by `cargo test`. */
/** @import * as api from "workdesk" */

/** @type {readonly api.ActionType[]} */
export const ACTION_TYPES = [
  "reprocess_usage_batch",
  "resend_usage_events",
  "retry_invoice",
  "refresh_invoice",
  "finalize_invoice",
  "retry_payment",
  "void_invoice",
  "issue_credit_note",
  "generate_invoice",
  "resume_billing",
  "recompute_invoice",
  "reconcile_payment",
  "remove_duplicate_usage",
  "pause_collection",
  "resume_collection",
  "resend_webhooks",
  "sync_customer",
  "notify_customer",
  "manual_review"
];

/** @type {readonly api.EventPattern[]} */
export const EVENT_PATTERNS = [
  "*",
  "task.*",
  "task.created",
  "task.updated",
  "task.deleted",
  "milestone.*",
  "milestone.created",
  "milestone.updated",
  "milestone.deleted",
  "service_request.*",
  "service_request.created",
  "service_request.updated",
  "service_request.deleted",
  "ticket.*",
  "ticket.created",
  "ticket.updated",
  "ticket.deleted",
  "activity.*",
  "activity.created",
  "activity.updated",
  "activity.deleted",
  "project.*",
  "project.created",
  "project.updated",
  "project.deleted",
  "phase.*",
  "phase.created",
  "phase.updated",
  "phase.deleted",
  "tag.*",
  "tag.created",
  "tag.updated",
  "tag.deleted",
  "comment.*",
  "comment.created",
  "comment.updated",
  "comment.deleted",
  "ticket_message.*",
  "ticket_message.created",
  "ticket_message.updated",
  "ticket_message.deleted",
  "user.*",
  "user.created",
  "user.updated",
  "user.deleted",
  "alert.*",
  "alert.created",
  "alert.updated",
  "alert.deleted",
  "agent_session.*",
  "agent_session.created",
  "agent_session.updated",
  "agent_session.deleted",
  "customer.*",
  "customer.created",
  "customer.updated",
  "customer.deleted",
  "notification.*",
  "notification.created"
];

/** @type {readonly api.Permission[]} */
export const PERMISSIONS = [
  "view_work",
  "view_managed_services",
  "create_service_request",
  "comment_service_request",
  "create_task",
  "update_task",
  "create_activity",
  "comment_activity",
  "tag_activity",
  "reply_ticket",
  "update_service_request",
  "delete_service_request",
  "delete_task",
  "manage_milestones",
  "manage_directory",
  "view_agent_remediation",
  "create_agent_remediation",
  "execute_agent_remediation",
  "manage_signals",
  "manage_tickets",
  "manage_users",
  "manage_organization"
];

/** @type {readonly api.Risk[]} */
export const RISKS = [
  "low",
  "medium",
  "high",
  "critical"
];

/** @type {readonly api.Role[]} */
export const ROLES = [
  "viewer",
  "member",
  "support",
  "manager",
  "admin"
];

/** @type {readonly api.SystemKind[]} */
export const SYSTEM_KINDS = [
  "billing",
  "payments",
  "notifications",
  "stripe",
  "lago",
  "chargebee",
  "other"
];
