/** The session: the signed-in user and what they may do. `denied` is "", or the reason to show. */
/** @import { Session, Permission, Role } from "workdesk" */
import { get, Problem, showsUser } from "../api/client.js";
import { LEAST_ROLES } from "../api/sets.js";

/** Who has a role or a higher one. @type {Record<Role, string>} */
const WHO = {
  viewer: "Everyone", member: "Members and above", support: "Support and above",
  manager: "Managers and admins",
  admin: "Admins",
};

/** Leads to a provider. What the service refuses at once is thrown: a page of JSON tells a person
 * nothing.
 * @param {string} address @param {(address: string) => unknown} [leave] */
export async function toProvider(address, leave = (to) => location.assign(to)) {
  const answer = await fetch(address, { redirect: "manual" });
  if (answer.type !== "opaqueredirect" && !answer.ok) {
    throw new Problem(answer.status, await answer.json().catch(() => ({})));
  }
  return leave(address);
}

let session = /** @type {Session | undefined} */ (undefined);

/** Reads the session. Waits for the sign-in if there is none. All further requests are this
 * user's. */
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

/** Who may do what was refused for want of a permission; "" for another refusal.
 * @param {Problem} problem */
export function whoMay({ code, detail }) {
  const roles = Object.entries(LEAST_ROLES);
  const [, role] = (code === "permission_denied" && roles.find(([name]) => detail.includes(name)))
    || [];
  return role ? `${WHO[role] ?? "Other users"} may do this.` : "";
}

/** Why the user may not do something: "" if they may. @param {Permission} permission */
export function denied(permission) {
  if (!session || may(permission)) return "";
  return `${WHO[LEAST_ROLES[permission]] ?? "Other users"} may do this.`;
}
