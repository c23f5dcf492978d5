/** The inbox: the user's unread notifications, for the navigation's count and for Home. */
/** @import { Notification, NotificationsRead } from "workdesk" */
import { get, post } from "../api/client.js";

const PAUSE_MS = 60_000; // Reminders come without a change.
const LIMIT = 50;
let unread = /** @type {Notification[] | undefined} */ (undefined);
const listeners = /** @type {Set<(rows: Notification[]) => void>} */ (new Set());

/** Shows the unread ones, now and when they change. @param {AbortSignal | null} signal
 * @param {(rows: Notification[]) => void} show */
export function inbox(signal, show) {
  listeners.add(show);
  signal?.addEventListener("abort", () => listeners.delete(show));
  if (unread) show(unread);
}

/** @param {Notification[]} rows */
export const countOf = (rows) => (rows.length < LIMIT ? String(rows.length) : `${LIMIT}+`);

export const readInbox = async () =>
  tell((await get("/api/notifications", { unread: true, limit: LIMIT }, { quiet: true })).data);

/** Reads them from now on, each minute while the page is visible. */
export function followInbox() {
  const read = () => void (document.hidden || readInbox().catch(() => {}));
  setInterval(read, PAUSE_MS);
  document.addEventListener("visibilitychange", read);
  read();
}

export async function markRead(/** @type {NotificationsRead} */ which) {
  await post("/api/notifications/read", {}, which);
  const { ids, before } = which;
  tell((unread ?? []).filter((row) => !ids?.includes(row.id) && !(before && row.at <= before)));
}

function tell(/** @type {Notification[]} */ rows) {
  unread = rows;
  for (const show of listeners) show(rows);
}
