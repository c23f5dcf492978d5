/** The inbox: the user's unread notifications, for the navigation's count and for Home. The tabs of
 * a user share it, as they share the feed. */
/** @import { Change, Notification, NotificationsRead } from "workdesk" */
import { get, post } from "../api/client.js";
import { myId } from "./session.js";

const PAUSE_MS = 60_000; // Reminders come without a change.
const LIMIT = 50;
let channel = /** @type {BroadcastChannel | undefined} */ (undefined);
let readAt = -Infinity;
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

/** Reads them from now on: the tab that leads asks `keepInbox`, and the others hear of it.
 * @param {number} user whose tabs share the inbox */
export function followInbox(user) {
  channel = new BroadcastChannel(`workdesk inbox ${user}`);
  channel.addEventListener("message", ({ data }) => take(data));
  void readInbox().catch(() => {});
}

/** Reads them after changes by others, and each minute. @param {Change[]} changes */
export function keepInbox(changes) {
  const isNews = changes.some(({ actor }) => actor?.id !== myId());
  if (isNews || performance.now() - readAt >= PAUSE_MS) void readInbox().catch(() => {});
}

async function readInbox() {
  readAt = performance.now();
  const unread = { unread: true, limit: LIMIT };
  tell((await get("/api/notifications", unread, { quiet: true })).data);
}

export async function markRead(/** @type {NotificationsRead} */ which) {
  await post("/api/notifications/read", {}, which);
  const { ids, before } = which;
  tell((unread ?? []).filter((row) => !ids?.includes(row.id) && !(before && row.at <= before)));
}

/** Shows them, and passes them on. @param {Notification[]} rows */
function tell(rows) {
  channel?.postMessage(rows);
  take(rows);
}

function take(/** @type {Notification[]} */ rows) {
  readAt = performance.now();
  unread = rows;
  for (const show of listeners) show(rows);
}
