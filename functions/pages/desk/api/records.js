/** The store of records, kept true by the feed of changes.
 *
 * `wants(change)` says if the view shows the changed record: then the store reads it again; else it
 * drops it. `changed(keys)` is called after records were stored or dropped; keys are `task:7`.
 * Changes wait for what was being read when they came: no view misses one, whenever it calls
 * `watch`. */
/** @import * as api from "workdesk" */
import { get, more, pause, Problem } from "./client.js";

/** The records of the store by the feed's types.
 * @typedef {object} Records
 * @property {api.JoinedTask} task @property {api.Tag} tag
 * @property {api.Project} project @property {api.Customer} customer
 * @property {api.Phase} phase @property {api.Milestone} milestone
 * @property {api.ServiceRequest} service_request @property {api.Comment} comment
 * @property {api.TicketWithMessages["ticket"]} ticket @property {api.TicketMessage} ticket_message
 * @property {api.ActivityWithRefs} activity @property {api.User} user
 * @property {api.Alert} alert @property {api.AgentSession} agent_session */
/** @typedef {{ wants: (change: api.Change) => boolean, changed: (keys: Set<string>) => void }}
 * Watcher */

const IDS = 100; // Ids in one question for rows of a list.
/** What reads changed records: a list by their ids, or one record. `{on}` is the id of the parent.
 * @type {Record<string, string>} */
const READS = {
  task: "/api/tasks?id=", service_request: "/api/service-requests?id=", tag: "/api/tags?id=",
  ticket: "/api/managed-services/tickets?id=", phase: "/api/projects/{on}/phases?id=",
  "comment task": "/api/tasks/{on}/comments?id=",
  "comment activity": "/api/activities/{on}/comments?id=",
  "comment service_request": "/api/service-requests/{on}/comments?id=",
  // Messages come with their ticket, and cannot be asked for by id.
  ticket_message: `/api/managed-services/ticket/{on}?sort=-createdAt&limit=${IDS}`,
  milestone: "/api/milestones/{id}", activity: "/api/activities/{id}",
  project: "/api/projects/{id}",
  user: "/api/users/{id}", customer: "/api/customers/{id}", alert: "/api/concierge/alerts/{id}",
  agent_session: "/api/concierge/agent-sessions/{id}",
};

const held = /** @type {Map<string, any>} */ (new Map());
/** Records that are about to be deleted. @type {Set<string>} */
const hidden = new Set();
const watchers = /** @type {Set<Watcher>} */ (new Set());
/** Keys of changed records that the watchers do not know of yet. @type {Set<string>} */
let news = new Set();

/** The newest known record, or undefined.
 * @template {keyof Records} T @param {T} type @param {number} id
 * @returns {Records[T] | undefined} */
export function record(type, id) {
  const key = `${type}:${id}`;
  return hidden.has(key) ? undefined : held.get(key);
}

/** As `record`, also of a record that is about to be deleted: the service still counts it.
 * @template {keyof Records} T @param {T} type @param {number} id
 * @returns {Records[T] | undefined} */
export const heldRecord = (type, id) => held.get(`${type}:${id}`);

/** Hides a record that is about to be deleted, or shows it again.
 * @param {keyof Records} type @param {number} id @param {boolean} hide */
export function hide(type, id, hide) {
  hidden[hide ? "add" : "delete"](`${type}:${id}`);
  tell(`${type}:${id}`);
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

export function drop(/** @type {keyof Records} */ type, /** @type {number} */ id) {
  if (held.delete(`${type}:${id}`)) tell(`${type}:${id}`);
}

export function watch(/** @type {AbortSignal} */ signal, /** @type {Watcher} */ watcher) {
  watchers.add(watcher);
  signal.addEventListener("abort", () => watchers.delete(watcher));
}

/** Reads again after wanted changes: once for all of a moment, and not all the time.
 * @param {AbortSignal} signal @param {(change: api.Change) => unknown} wants
 * @param {() => unknown} read
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

/** Forgets all records. */
export const forget = () => held.clear();

/** Reads wanted records again after changes, and drops the others. @param {api.Change[]} changes */
export async function apply(changes) {
  /** What is read again, by its path.
   * @type {Map<string, { type: keyof Records, ids: Set<number> }>} */
  const wanted = new Map();
  for (const change of changes) {
    const { recordId, parent, version, action } = change;
    const type = /** @type {keyof Records} */ (change.type);
    const known = held.get(`${type}:${recordId}`);
    const isKnown = known?.version >= (version ?? Infinity) && action !== "deleted";
    const isWanted = [...watchers].filter(({ wants }) => wants(change)).length > 0;
    if (isWanted && !isKnown) {
      const path = READS[type] ?? READS[`${type} ${parent?.type}`] ?? "";
      const read = path.replace("{on}", `${parent?.recordId}`).replace("{id}", `${recordId}`);
      wanted.set(read, { type, ids: (wanted.get(read)?.ids ?? new Set()).add(recordId) });
    } else if (isWanted) tell(`${type}:${recordId}`);
    else if (!isKnown) held.delete(`${type}:${recordId}`);
  }
  for (const [path, { type, ids }] of wanted) {
    for (let from = 0; from < ids.size; from += IDS) {
      await refresh(type, path, [...ids].slice(from, from + IDS));
    }
  }
}

/** Reads changed records again, and drops those that are gone.
 * @param {keyof Records} type @param {string} path @param {number[]} ids */
async function refresh(type, path, ids) {
  const address = path.endsWith("=") ? path + ids.join("&id=") : path;
  const { data } = await more(address, { quiet: true }).catch((problem) => {
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
export const forgetPeople = () => void (people = undefined);
