/** Words of settings for names of the API. */
/** @import * as api from "workdesk" */
import { words } from "../../kit.js";

/** @type {Record<string, string>} */
const PERMISSIONS = /** @satisfies {Record<api.Permission, string>} */ ({
  view_work: "See projects and tasks", view_managed_services: "See requests, tickets and metrics",
  create_service_request: "Raise requests and tickets",
  comment_service_request: "Comment on requests",
  create_task: "Add tasks", update_task: "Change tasks", create_activity: "Add activities",
  comment_activity: "Comment on tasks and activities", tag_activity: "Tag activities",
  reply_ticket: "Reply to tickets", update_service_request: "Change requests",
  delete_service_request: "Delete requests", delete_task: "Delete tasks",
  manage_milestones: "Change milestones",
  manage_directory: "Change projects, phases, tags and comments",
  view_agent_remediation: "See alerts and what the agent does",
  create_agent_remediation: "Have the agent analyse and propose",
  execute_agent_remediation: "Approve, reject and settle actions",
  manage_signals: "Acknowledge and resolve alerts",
  manage_tickets: "Work on tickets", manage_users: "Manage users and invitations",
  manage_organization: "Manage the organization",
});
export const permissionName = (/** @type {string} */ name) => PERMISSIONS[name] ?? words(name);

/** @param {readonly api.Permission[]} names @returns {[api.Permission, string][]} */
export const permissionChoices = (names) => names.map((name) => [name, permissionName(name)]);

/** @type {Record<api.PlanFeature, string>} */
const FEATURES = { agentAI: "the agent" };
export const featureName = (/** @type {api.PlanFeature} */ name) => FEATURES[name] ?? words(name);
