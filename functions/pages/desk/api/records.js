/** The store of records, kept true by the feed of changes.
 *
 *     store("task", data);                     // what the API returned; older versions change nothing
 *     record("task", 7)                        // the newest known, or undefined
 *     watch(signal, { wants, changed });       // until the view closes
 *
 * `wants(change)` says if the view shows the changed record: then the store reads it again; else it drops it.
 * `changed(keys)` is called after records were stored or dropped; keys are `task:7`.
 * Changes wait for what was being read when they came: no view misses one, whenever it calls `watch`. */
/** @import * as api from "workdesk" */
import { afterReadings, get, more, pause, Problem } from "./client.js";

/** The records of the store by the feed's types.
 * @typedef {object} Records
 * @property {api.JoinedTask} task @property {api.Tag} tag
 * @property {api.Project} project @property {api.Phase} phase @property {api.Milestone} milestone
 * @property {api.ServiceRequest} service_request @property {api.Comment} comment
 * @property {api.TicketWithMessages["ticket"]} ticket @property {api.TicketMessage} ticket_message
 * @property {api.ActivityWithRefs} activity @property {api.User} user
 * @property {api.Alert} alert @property {api.AgentSession} agent_session */
/** @typedef {{ wants: (change: api.Change) => boolean, changed: (keys: Set<string>) => void }} Watcher */

/** Seconds between two questions for changes. */
const PAUSE = 3;
/** Ids in one question for rows of a list. */
const IDS = 100;
/** Types that are read by a list, and those that are read one by one. `{on}` is the id of the parent. */
const LISTS = /** @type {Record<string, string>} */ ({
  task: "/api/tasks", service_request: "/api/service-requests", ticket: "/api/managed-services/tickets",
  tag: "/api/tags", phase: "/api/projects/{on}/phases", "comment task": "/api/tasks/{on}/comments",
  "comment activity": "/api/activities/{on}/comments",
  "comment service_request": "/api/service-requests/{on}/comments",
  ticket_message: "/api/managed-services/ticket/{on}",
});
const SINGLE = /** @type {Record<string, string>} */ ({
  milestone: "/api/milestones", activity: "/api/activities", project: "/api/projects", user: "/api/users",
  alert: "/api/concierge/alerts", agent_session: "/api/concierge/agent-sessions",
});

const held = /** @type {Map<string, any>} */ (new Map());
/** Records that are about to be deleted. @type {Set<string>} */
const hidden = new Set();
const watchers = /** @type {Set<Watcher>} */ (new Set());
/** Keys of changed records that the watchers do not know of yet. @type {Set<string>} */
let news = new Set();
/** The path of the feed's next page. */
let next = "";
let wake = () => {};

/** The newest known record, or undefined.
 * @template {keyof Records} T @param {T} type @param {number} id @returns {Records[T] | undefined} */
export function record(type, id) {
  const key = `${type}:${id}`;
  return hidden.has(key) ? undefined : held.get(key);
}

/** Hides a record that is about to be deleted, or shows it again.
 * @param {keyof Records} type @param {number} id @param {boolean} hide */
export function hide(type, id, hide) {
  const key = `${type}:${id}`;
  if (hide) hidden.add(key);
  else hidden.delete(key);
  tell(key);
}

/** Keeps records as the API returned them. Returns the newest of each. @template {keyof Records} T
 * @param {T} type @param {Records[T] | Records[T][]} rows @returns {Records[T][]} */
export function store(type, rows) {
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

/** Reads again after wanted changes: once for all of a moment, and not all the time.
 * @param {AbortSignal} signal @param {(change: api.Change) => unknown} wants @param {() => unknown} read
 * @param {number} [seconds] the least time between two reads */
export function readAfter(signal, wants, read, seconds = 0) {
  let [waits, last] = [false, 0];
  watch(signal, {
    wants: (change) => {
      if (waits || !wants(change)) return false;
      waits = true;
      pause(last + seconds - performance.now() / 1000, signal).then(() => {
        [waits, last] = [false, performance.now() / 1000];
        return read();
      }).catch(() => {});
      return false;
    },
    changed: () => {},
  });
}

/** Tells the watchers of a change, once for all changes of a moment. @param {string} key */
function tell(key) {
  news.add(key);
  if (news.size > 1) return;
  // After what awaits the same answer, such as the form that drops its draft.
  setTimeout(() => {
    const keys = news;
    news = new Set();
    for (const { changed } of [...watchers]) changed(keys);
  });
}

/** Begins the feed. Call it before the first records are read. */
export async function begin() {
  next ||= (await get("/api/changes", {}, { quiet: true })).next ?? "";
}

/** Follows the feed: every few seconds while the page is visible, at once when it becomes visible or online.
 * @param {() => void} reset called when the feed was lost: read all again
 * @param {(changes: api.Change[]) => void} noticed called with all changes, wanted or not */
export async function follow(reset, noticed) {
  document.addEventListener("visibilitychange", () => wake());
  addEventListener("focus", () => wake());
  for (;;) {
    const woken = new Promise((resolve) => (wake = () => document.hidden || resolve(undefined)));
    await Promise.race([woken, pause(PAUSE)]);
    while (document.hidden) await new Promise((resolve) => (wake = () => resolve(undefined)));
    await catchUp(noticed).catch(async (problem) => {
      if (problem.status !== 410) return;
      next = "";
      held.clear();
      await begin().catch(() => {});
      reset();
    });
  }
}

/** Reads the changes since the last time, and wanted records. @param {(all: api.Change[]) => void} noticed */
async function catchUp(noticed) {
  for (let full = true; full; ) {
    const page = await more(next, { quiet: true });
    const changes = /** @type {api.Change[]} */ (page.data);
    if (changes.length > 0) {
      // An answer that is under way may be older than these changes.
      await afterReadings();
      await apply(changes);
      noticed(changes);
    }
    next = page.next ?? next;
    full = changes.length >= 200;
  }
}

async function apply(/** @type {api.Change[]} */ changes) {
  /** Ids by what reads them. @type {Map<string, Set<number>>} */
  const wanted = new Map();
  for (const change of changes) {
    const { type, recordId, parent, version, action } = change;
    const key = `${type}:${recordId}`;
    const isKnown = held.get(key)?.version >= (version ?? Infinity) && action !== "deleted";
    const isWanted = [...watchers].filter(({ wants }) => wants(change)).length > 0;
    if (isWanted && !isKnown) {
      const all = LISTS[type]?.includes("{on}") === false;
      const read = all ? type : `${type} ${type in SINGLE ? recordId : parent?.recordId} ${parent?.type}`;
      wanted.set(read, (wanted.get(read) ?? new Set()).add(recordId));
    } else if (isWanted) tell(key);
    else if (!isKnown) held.delete(key);
  }
  for (const [read, ids] of wanted) {
    const [type = "", on = "", parent] = read.split(" ");
    for (let from = 0; from < ids.size; from += IDS) {
      await refresh(/** @type {keyof Records} */ (type), on, parent, [...ids].slice(from, from + IDS));
    }
  }
}

/** Reads changed records again, and drops those that are gone.
 * @param {keyof Records} type @param {string} on id of the parent, or of the record
 * @param {string | undefined} parent its type @param {number[]} ids */
async function refresh(type, on, parent, ids) {
  const list = LISTS[type] ?? LISTS[`${type} ${parent}`];
  // Messages come with their ticket, and cannot be asked for by id.
  const query = type === "ticket_message" ? `sort=-createdAt&limit=${IDS}` : `id=${ids.join("&id=")}`;
  const path = list ? `${list.replace("{on}", on)}?${query}` : `${SINGLE[type]}/${on}`;
  const { data } = await more(path, { quiet: true }).catch((problem) => {
    if (problem instanceof Problem && problem.status === 404) return { data: [] };
    throw problem;
  });
  if (data.ticket) store("ticket", data.ticket);
  const found = store(type, data.messages ?? data).map(({ id }) => id);
  // Also of a record that came with an earlier answer, before the view wanted it.
  for (const id of ids) found.includes(id) ? tell(`${type}:${id}`) : drop(type, id);
}

let people = /** @type {Promise<api.User[]> | undefined} */ (undefined);

/** The users who are not disabled, read at the first call and again after one changed. */
export function everyone() {
  people ??= get("/api/users", { disabled: false }, { quiet: true }).then(({ data }) => data);
  people.catch(forgetPeople);
  return people;
}

/** Has the next `everyone` read again. */
export function forgetPeople() {
  people = undefined;
}
