/** The session: the signed-in user and what they may do. `denied` is "", or the reason to show. */
/** @import { Session, Permission } from "workdesk" */
import { get, Problem, showsUser } from "../api/client.js";

/** Who has a role or a higher one, and what the role may do beside what lower ones may, as in "Roles" of the
 * API's guide. @type {[who: string, may: Permission[]][]} */
const ROLES = [
  ["Everyone", ["view_work", "view_managed_services"]],
  ["Members and above", ["create_service_request", "comment_service_request", "create_task", "update_task",
    "create_activity", "comment_activity", "tag_activity", "reply_ticket"]],
  ["Support and above", ["update_service_request", "view_agent_remediation", "create_agent_remediation",
    "manage_signals", "manage_tickets"]],
  ["Managers and admins", ["delete_service_request", "delete_task", "manage_milestones", "manage_directory",
    "execute_agent_remediation"]],
  ["Admins", ["manage_users", "manage_organization"]],
];
export const PERMISSIONS = ROLES.flatMap(([, may]) => may);

/** Leads to a provider. What the service refuses at once is thrown: a page of JSON tells a person nothing.
 * @param {string} address @param {(address: string) => unknown} [leave] */
export async function toProvider(address, leave = (to) => location.assign(to)) {
  const answer = await fetch(address, { redirect: "manual" });
  if (answer.type !== "opaqueredirect" && !answer.ok) {
    throw new Problem(answer.status, await answer.json().catch(() => ({})));
  }
  return leave(address);
}

let session = /** @type {Session | undefined} */ (undefined);

/** Reads the session. Waits for the sign-in if there is none. All further requests are this user's. */
export async function readSession() {
  session = (await get("/api/auth/session", {}, { quiet: session !== undefined })).data;
  showsUser(session.user.id);
  return session;
}

/** The session. Views are opened after it was read. */
export function me() {
  if (!session) throw new Error("no session yet");
  return session;
}

/** The id of the signed-in user; 0 before the sign-in. */
export const myId = () => session?.user.id ?? 0;
export const may = (/** @type {Permission} */ permission) => me().permissions.includes(permission);

/** Why the user may not do something: "" if they may. @param {Permission} permission */
export function denied(permission) {
  const [who] = ROLES.find(([, may]) => may.includes(permission)) ?? ["Admins"];
  return may(permission) ? "" : `${who} may do this.`;
}
