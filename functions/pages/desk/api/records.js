/**
 * The store of records, kept true by the feed of changes.
 *
 *     put("task", data);                       // what the API returned; older versions change nothing
 *     record("task", 7)                        // the newest known, or undefined
 *     watch(signal, { wants, changed });       // until the view closes
 *
 * `wants(change)` says if the view shows the changed record: then the store reads it again. `changed(keys)` is called
 * after records were put or dropped; keys are `task:7`. The store drops a changed record that no view wants.
 * Records of a view's lists: call `put` with the rows that were read, and read them from the store when `changed`.
 *
 * The feed is asked every few seconds while the page is visible, and at once when it becomes visible or online.
 */

/** @import * as api from "workdesk" */
import { get, pause, Problem } from "./client.js";

/**
 * The records of the store by the feed's types.
 * @typedef {object} Records
 * @property {api.JoinedTask} task
 * @property {api.Milestone} milestone
 * @property {api.ServiceRequest} service_request
 * @property {api.TicketWithMessages["ticket"]} ticket
 * @property {api.ActivityWithRefs} activity
 * @property {api.Project} project
 * @property {api.Phase} phase
 * @property {api.Tag} tag
 * @property {api.Comment} comment
 * @property {api.TicketMessage} ticket_message
 * @property {api.User} user
 * @property {api.Alert} alert
 * @property {api.AgentSession} agent_session
 */
/** @typedef {{ wants: (change: api.Change) => boolean, changed: (keys: Set<string>) => void }} Watcher */

/** Seconds between two questions for changes. */
const PAUSE = 3;
/** Ids in one question for rows of a list. */
const IDS = 100;

/** @type {Map<string, any>} */
const held = new Map();
/** Records that are about to be deleted. @type {Set<string>} */
const hidden = new Set();
/** @type {Set<Watcher>} */
const watchers = new Set();
/** @type {Set<string>} */
let news = new Set();
/** The path of the feed's next page. */
let next = "";
let reset = () => {};
/** @type {(changes: api.Change[]) => void} */
let noticed = () => {};
let wake = () => {};

/**
 * The newest known record, or undefined.
 * @template {keyof Records} T @param {T} type @param {number} id @returns {Records[T] | undefined}
 */
export function record(type, id) {
  const key = `${type}:${id}`;
  return hidden.has(key) ? undefined : held.get(key);
}

/** Hides a record that is about to be deleted, or shows it again. @param {keyof Records} type @param {number} id
 * @param {boolean} hide */
export function hide(type, id, hide) {
  const key = `${type}:${id}`;
  if (hide) hidden.add(key);
  else hidden.delete(key);
  tell(key);
}

/**
 * Keeps records as the API returned them. Returns the newest of each.
 * @template {keyof Records} T @param {T} type @param {Records[T] | Records[T][]} rows @returns {Records[T][]}
 */
export function put(type, rows) {
  return [rows].flat().map((row) => {
    const key = `${type}:${row.id}`;
    const known = held.get(key);
    const version = (/** @type {any} */ one) => one.version ?? 0;
    if (known && version(known) > version(row)) return known;
    held.set(key, row);
    // The actions of a session change without a new version.
    if (!known || version(known) < version(row) || type === "agent_session") tell(key);
    return row;
  });
}

/** Forgets a record that is gone. @param {keyof Records} type @param {number} id */
export function drop(type, id) {
  if (held.delete(`${type}:${id}`)) tell(`${type}:${id}`);
}

/** Watches records until `signal` aborts. @param {AbortSignal} signal @param {Watcher} watcher */
export function watch(signal, watcher) {
  watchers.add(watcher);
  signal.addEventListener("abort", () => watchers.delete(watcher));
}

/** Tells the watchers of a change, once for all changes of a moment. @param {string} key */
function tell(key) {
  if (news.size === 0) {
    // After what awaits the same answer, such as the form that drops its draft.
    setTimeout(() => {
      const keys = news;
      news = new Set();
      for (const { changed } of [...watchers]) changed(keys);
    });
  }
  news.add(key);
}

/** Begins the feed. Call it before the first records are read. */
export async function begin() {
  next ||= (await get("/api/changes", {}, { quiet: true })).next ?? "";
}

/**
 * Follows the feed while the page is open.
 * @param {() => void} onReset called when the feed was lost: read all again
 * @param {typeof noticed} onChanges called with all changes, also with those that no view wants
 */
export async function follow(onReset, onChanges) {
  reset = onReset;
  noticed = onChanges;
  for (const event of ["visibilitychange", "online", "focus"]) {
    (event === "visibilitychange" ? document : window).addEventListener(event, () => wake());
  }
  for (;;) {
    await rest();
    await catchUp().catch(() => {});
  }
}

/** Waits for the next question: a few seconds, or until the page becomes visible. */
async function rest() {
  const woken = new Promise((resolve) => (wake = () => document.hidden || resolve(undefined)));
  await Promise.race([woken, pause(PAUSE)]);
  while (document.hidden) await new Promise((resolve) => (wake = () => resolve(undefined)));
}

/** Reads the changes since the last time, and the wanted records. */
export async function catchUp() {
  for (let full = true; full; ) {
    const page = await get(/** @type {"/api/changes"} */ (next), {}, { quiet: true }).catch((problem) => {
      if (problem.status !== 410) throw problem;
      next = "";
      held.clear();
      return begin().then(reset, reset);
    });
    if (!page) return;
    /** @type {api.Change[]} */
    const changes = page.data;
    if (changes.length > 0) await apply(changes);
    next = page.next ?? next;
    full = changes.length >= 200;
  }
}

/** @param {api.Change[]} changes */
async function apply(changes) {
  /** Ids by type and parent. @type {Map<string, { change: api.Change, ids: Set<number> }>} */
  const wanted = new Map();
  for (const change of changes) {
    const known = held.get(`${change.type}:${change.recordId}`);
    const old = known && "version" in known && change.version !== null && known.version >= change.version;
    if (old && change.action !== "deleted") continue; // The page's own write.
    if (![...watchers].filter(({ wants }) => wants(change)).length) {
      held.delete(`${change.type}:${change.recordId}`);
      continue;
    }
    const key = LISTS.has(change.type) ? `${change.type} ${JSON.stringify(PARTS.has(change.type) && change.parent)}`
      : `${change.type} ${change.recordId}`;
    const group = wanted.get(key) ?? { change, ids: new Set() };
    wanted.set(key, group);
    group.ids.add(change.recordId);
  }
  for (const { change, ids } of wanted.values()) {
    const all = [...ids];
    for (let from = 0; from < all.length; from += IDS) await refresh(change, all.slice(from, from + IDS));
  }
  noticed(changes);
}

/** Types that are read by their list. */
const LISTS = new Set(["task", "service_request", "ticket", "tag", "comment", "phase"]);
/** Types whose list is that of their parent. */
const PARTS = new Set(["comment", "phase"]);

/** Reads changed records again, and drops those that are gone. @param {api.Change} change @param {number[]} ids */
async function refresh({ type, parent, recordId: id }, ids) {
  const quiet = { quiet: true };
  const on = parent?.recordId ?? 0;
  const list = { id: ids };
  /** @type {Record<string, () => Promise<{ data: any }>>} */
  const reads = {
    task: () => get("/api/tasks", list, quiet),
    service_request: () => get("/api/service-requests", list, quiet),
    ticket: () => get("/api/managed-services/tickets", list, quiet),
    tag: () => get("/api/tags", list, quiet),
    phase: () => get("/api/projects/{projectId}/phases", { projectId: on, ...list }, quiet),
    comment: () =>
      parent?.type === "task" ? get("/api/tasks/{taskId}/comments", { taskId: on, ...list }, quiet)
      : parent?.type === "activity" ? get("/api/activities/{activityId}/comments", { activityId: on, ...list }, quiet)
      : get("/api/service-requests/{serviceRequestId}/comments", { serviceRequestId: on, ...list }, quiet),
    ticket_message: () => get("/api/managed-services/ticket/{ticketId}", { ticketId: on, sort: "-createdAt", limit: IDS }, quiet),
    milestone: () => get("/api/milestones/{id}", { id }, quiet),
    activity: () => get("/api/activities/{id}", { id }, quiet),
    project: () => get("/api/projects/{id}", { id }, quiet),
    user: () => get("/api/users/{id}", { id }, quiet),
    alert: () => get("/api/concierge/alerts/{id}", { id }, quiet),
    agent_session: () => get("/api/concierge/agent-sessions/{id}", { id }, quiet),
  };
  const data = await reads[type]?.().then(
    (answer) => answer.data,
    (problem) => {
      if (problem instanceof Problem && problem.status === 404) return [];
      throw problem;
    },
  );
  if (type === "ticket_message") {
    if (data.ticket) put("ticket", data.ticket);
    for (const message of data.messages ?? []) put("ticket_message", message);
    return;
  }
  const rows = put(type, data);
  const found = new Set(rows.map((row) => row.id));
  for (const gone of ids) if (!found.has(gone)) drop(type, gone);
}

/** @type {Promise<api.User[]> | undefined} */
let people;

/** The users who are not disabled, read at the first call and again after one changed. */
export function everyone() {
  people ??= get("/api/users", { disabled: false }, { quiet: true }).then(
    ({ data }) => data,
    (problem) => {
      people = undefined;
      throw problem;
    },
  );
  return people;
}

/** Has the next `everyone` read again. */
export function forgetPeople() {
  people = undefined;
}
