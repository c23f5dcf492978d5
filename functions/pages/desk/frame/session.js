/**
 * The session: the signed-in user and what they may do.
 *
 *     me().user.fullName
 *     may("delete_task")       // true or false
 *     denied("delete_task")    // "", or the reason to show: "Managers and admins may do this."
 */

/** @import { Session, Permission, Role } from "workdesk" */
import { get } from "../api/client.js";

/** The lowest role that has a permission, as in "Roles" of the API's guide. @type {Record<Permission, Role>} */
const LEAST_ROLE = {
  view_work: "viewer",
  view_managed_services: "viewer",
  create_service_request: "member",
  comment_service_request: "member",
  create_task: "member",
  update_task: "member",
  create_activity: "member",
  comment_activity: "member",
  tag_activity: "member",
  reply_ticket: "member",
  update_service_request: "support",
  view_agent_remediation: "support",
  create_agent_remediation: "support",
  manage_signals: "support",
  manage_tickets: "support",
  delete_service_request: "manager",
  delete_task: "manager",
  manage_milestones: "manager",
  manage_directory: "manager",
  execute_agent_remediation: "manager",
  manage_users: "admin",
  manage_organization: "admin",
};
export const PERMISSIONS = /** @type {Permission[]} */ (Object.keys(LEAST_ROLE));
/** @type {Record<Role, string>} */
const ALLOWED = {
  viewer: "Everyone",
  member: "Members and above",
  support: "Support and above",
  manager: "Managers and admins",
  admin: "Admins",
};

/** @type {Session | undefined} */
let session;

/** Reads the session. Waits for the sign-in if there is none. */
export async function readSession() {
  session = (await get("/api/auth/session", {})).data;
  return session;
}

/** The session. Views are opened after it was read. */
export function me() {
  if (!session) throw new Error("no session yet");
  return session;
}

/** The id of the signed-in user; 0 before the sign-in. */
export function myId() {
  return session?.user.id ?? 0;
}

/** @param {Permission} permission */
export function may(permission) {
  return me().permissions.includes(permission);
}

/** Why the user may not do something: "" if they may. @param {Permission} permission */
export function denied(permission) {
  return may(permission) ? "" : `${ALLOWED[LEAST_ROLE[permission]]} may do this.`;
}
