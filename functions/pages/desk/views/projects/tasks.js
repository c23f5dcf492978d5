/** The tasks of a project's board, whatever its age: all that are open, the newest that are over,
 * and the numbers of all as the service counts them. */
/** @import { JoinedTask, TaskCounts } from "workdesk" */
import {
  afterReadings, all, get, heldRecord, more, readAfter, record, store, TASK_OVER, TASK_STATUSES,
} from "../../kit.js";

/** @typedef {JoinedTask["status"]} Status */
/** @import { Wanted } from "./filters.js" */

const NEWEST = 50; // Tasks of a status that are read if they are over.
const PAGES = 5; // The most pages in which they are looked for.
const PAUSE = 10; // Seconds between two counts.
const OPEN = TASK_STATUSES.filter((one) => !TASK_OVER.includes(one));
const LIST = "/api/projects/{projectId}/tasks";

/** @param {number} projectId @param {AbortSignal} signal @param {() => void} changed */
export function tasksOf(projectId, signal, changed) {
  const ids = /** @type {Set<number>} */ (new Set());
  const keep = (/** @type {JoinedTask[]} */ rows) =>
    store("task", rows).forEach(({ id }) => ids.add(id));
  const kept = () => [...ids].flatMap((id) => record("task", id) ?? [])
    .filter((task) => task.projectId === projectId);
  const numbers = numbersOf(projectId, ids, signal);
  const newest = newestOf(projectId, keep, signal);

  /** The number of tasks of a status, of which some are shown. With filters it is known once all
   * are read. @param {Status} status @param {number} shown @param {boolean} isFiltered
   * @returns {{ number: number, isExact: boolean, isWhole: boolean }} */
  function numberOf(status, shown, isFiltered) {
    const rest = numbers.unread(status);
    const isWhole = rest === 0 || (isFiltered && newest.isWhole(status));
    const isExact = isWhole || (!isFiltered && numbers.isComplete());
    return { number: isFiltered ? shown : shown + rest, isWhole, isExact };
  }

  /** Reads all tasks of some filters. @param {Record<string, any>} filters */
  const readList = async (filters) =>
    keep(await all(LIST, { projectId, ...filters }, { signal }) ?? []);
  const reads = readsOf(numbers, newest, readList, changed);
  numbers.follow(changed);
  return { ids, kept, keep, numberOf, ...reads };
}

/** What reads the tasks of a board. @param {ReturnType<typeof numbersOf>} numbers
 * @param {ReturnType<typeof newestOf>} newest
 * @param {(filters: Record<string, any>) => Promise<unknown>} readList
 * @param {() => void} changed */
function readsOf(numbers, newest, readList, changed) {
  let last = "";
  /** Were tasks read for the same filters before? @param {Wanted} wanted */
  const isLast = (wanted) => last === (last = JSON.stringify({ ...wanted, words: null }));

  /** Reads what the board shows first. @param {Wanted} wanted */
  async function read(wanted) {
    isLast(wanted);
    const [, counted] = await Promise.all([readList({ status: OPEN }), numbers.read()]);
    const over = TASK_OVER.filter((status) => counted.byStatus[status]);
    await Promise.all(over.map((status) => newest.read(status, wanted)));
    numbers.take(counted);
  }

  /** Reads the newest that are over, for other filters. The words of titles are looked for in what
   * was read. @param {Wanted} wanted */
  async function readFor(wanted) {
    if (isLast(wanted)) return;
    newest.forget();
    const over = TASK_OVER.filter((status) => numbers.unread(status));
    const added = await Promise.all(over.map((status) => newest.read(status, wanted)));
    if (added.some((rows) => rows > 0)) numbers.take(await numbers.read());
    changed();
  }

  /** Reads all tasks of a status. @param {Status} status */
  async function readAll(status) {
    await readList({ status: [status] });
    numbers.take(await numbers.read());
    changed();
  }
  return { read, readFor, readAll };
}

/** The numbers of a project's tasks by status, as the service counts them.
 * @param {number} projectId @param {Set<number>} ids of the tasks that were read
 * @param {AbortSignal} signal */
function numbersOf(projectId, ids, signal) {
  /** Tasks of a status that were counted and not read; of open ones there are none.
   * @type {Map<Status, number>} */
  const unread = new Map();
  let isComplete = true;
  function take(/** @type {TaskCounts} */ { byStatus, complete }) {
    const read = [...ids].flatMap((id) => heldRecord("task", id) ?? [])
      .filter((task) => task.projectId === projectId);
    for (const status of TASK_OVER) {
      const own = read.filter((task) => task.status === status).length;
      unread.set(status, Math.max(0, (byStatus[status] ?? 0) - own));
    }
    isComplete = complete;
  }
  const path = "/api/projects/{projectId}/task-counts";
  const read = async () => (await get(path, { projectId }, { signal, quiet: true })).data;
  /** What others change among the tasks that were not read changes the numbers alone.
   * @param {() => void} changed */
  const follow = (changed) => readAfter(signal,
    ({ type, parent }) => type === "task" && parent?.recordId === projectId
      && [...unread.values()].some((rest) => rest > 0),
    async () => {
      const counted = await read();
      // The rows of the same changes are read meanwhile. None is counted twice.
      await afterReadings();
      take(counted);
      changed();
    }, PAUSE);
  return { read, take, follow, isComplete: () => isComplete,
    unread: (/** @type {Status} */ status) => unread.get(status) ?? 0 };
}

/** What reads the newest tasks of a status. @param {number} projectId
 * @param {(rows: JoinedTask[]) => void} keep @param {AbortSignal} signal */
function newestOf(projectId, keep, signal) {
  /** Statuses of which all tasks were read that match the filters. @type {Set<Status>} */
  const whole = new Set();
  /** Reads those that the filters leave. Returns their number.
   * @param {Status} status @param {Wanted} wanted */
  async function read(status, { words: _words, ...wanted }) {
    const filters = Object.fromEntries(Object.entries(wanted).filter(([, id]) => id !== null));
    const of = /** @type {any} */ ({ projectId: [projectId], status: [status], ...filters,
      sort: "-updatedAt", limit: NEWEST });
    let page = await get("/api/tasks", of, { signal });
    keep(page.data);
    let rows = page.data.length;
    for (let pages = 1; page.next && rows < NEWEST && pages < PAGES; pages += 1) {
      page = await more(page.next, { signal });
      keep(page.data);
      rows += page.data.length;
    }
    if (!page.next) whole.add(status);
    return rows;
  }
  return { read, forget: () => whole.clear(),
    isWhole: (/** @type {Status} */ status) => whole.has(status) };
}
