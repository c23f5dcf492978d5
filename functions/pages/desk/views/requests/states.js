/** Statuses and priorities of requests and tickets. */

/** @import { Priority, ServiceStatus } from "workdesk" */
import { named } from "../../elements.js";

/** @type {ServiceStatus[]} */
export const UNRESOLVED = ["open", "in_progress", "pending"];
export const STATUSES = named([...UNRESOLVED, "resolved", "closed"]);
export const PRIORITIES = named(/** @type {Priority[]} */ (["urgent", "high", "medium", "low"]));

/** The statuses that a status may change to, and itself. @param {ServiceStatus} status */
export function statusesFrom(status) {
  if (status === "closed") return STATUSES.slice(-1);
  return status === "resolved" ? named(["open", "resolved", "closed"]) : STATUSES;
}
