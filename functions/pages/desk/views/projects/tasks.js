/** The tasks of a project's board, whatever its age: all that are open, the newest that are over, and the
 * numbers of all as the service counts them. */
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
  const on = { projectId };
  const ids = /** @type {Set<number>} */ (new Set());
  /** Tasks of a status that were counted and not read; of open ones there are none. @type {Map<Status, number>} */
  const unread = new Map();
  /** Statuses of which all tasks were read that match the filters. @type {Set<Status>} */
  let whole = new Set();
  let isComplete = true;

  const keep = (/** @type {JoinedTask[]} */ rows) => store("task", rows).forEach(({ id }) => ids.add(id));
  const kept = () => [...ids].flatMap((id) => record("task", id) ?? [])
    .filter((task) => task.projectId === projectId);

  function count(/** @type {TaskCounts} */ { byStatus, complete }) {
    const read = [...ids].flatMap((id) => heldRecord("task", id) ?? []);
    for (const status of TASK_OVER) {
      const own = read.filter((task) => task.projectId === projectId && task.status === status).length;
      unread.set(status, Math.max(0, (byStatus[status] ?? 0) - own));
    }
    isComplete = complete;
  }
  const counts = async () =>
    (await get("/api/projects/{projectId}/task-counts", on, { signal, quiet: true })).data;

  /** Reads the newest tasks of a status, among those that the filters leave. @param {Status} status
   * @param {Wanted} wanted */
  async function readNewest(status, { words: _words, ...wanted }) {
    const filters = Object.fromEntries(Object.entries(wanted).filter(([, id]) => id !== null));
    const of = /** @type {any} */ (
      { projectId: [projectId], status: [status], ...filters, sort: "-updatedAt", limit: NEWEST });
    let page = await get("/api/tasks", of, { signal });
    keep(page.data);
    for (let [pages, rows] = [1, page.data.length]; page.next && rows < NEWEST && pages < PAGES; pages += 1) {
      page = await more(page.next, { signal });
      keep(page.data);
      rows += page.data.length;
    }
    if (!page.next) whole.add(status);
  }

  let last = "";
  /** Were tasks read for the same filters before? @param {Wanted} wanted */
  const isLast = (wanted) => last === (last = JSON.stringify({ ...wanted, words: null }));

  /** Reads what the board shows first. @param {Wanted} wanted */
  async function read(wanted) {
    isLast(wanted);
    const open = all(LIST, { ...on, status: OPEN }, { signal });
    const [rows, counted] = await Promise.all([open, counts()]);
    keep(rows ?? []);
    const over = TASK_OVER.filter((status) => counted.byStatus[status]);
    await Promise.all(over.map((status) => readNewest(status, wanted)));
    count(counted);
  }

  /** Reads the newest that are over, for other filters. The words of titles are looked for in what was read.
   * @param {Wanted} wanted */
  async function readFor(wanted) {
    if (isLast(wanted)) return;
    whole = new Set();
    const over = TASK_OVER.filter((status) => unread.get(status));
    const before = ids.size;
    await Promise.all(over.map((status) => readNewest(status, wanted)));
    if (ids.size > before) count(await counts());
    changed();
  }

  /** Reads all tasks of a status. @param {Status} status */
  async function readAll(status) {
    keep(await all(LIST, { ...on, status: [status] }, { signal }) ?? []);
    count(await counts());
    changed();
  }

  /** The number of tasks of a status, of which some are shown. With filters it is known once all are read.
   * @param {Status} status @param {number} shown @param {boolean} isFiltered
   * @returns {{ number: number, isExact: boolean, isWhole: boolean }} */
  function numberOf(status, shown, isFiltered) {
    const rest = unread.get(status) ?? 0;
    const isWhole = rest === 0 || (isFiltered && whole.has(status));
    const isExact = isWhole || (!isFiltered && isComplete);
    return { number: isFiltered ? shown : shown + rest, isWhole, isExact };
  }

  // What others change among the tasks that were not read changes the numbers alone.
  const isUnread = () => [...unread.values()].some((rest) => rest > 0);
  readAfter(signal, ({ type, parent }) => type === "task" && parent?.recordId === projectId && isUnread(),
    async () => {
      const counted = await counts();
      // The rows of the same changes are read meanwhile. None is counted twice.
      await afterReadings();
      count(counted);
      changed();
    }, PAUSE);

  return { ids, kept, keep, read, readFor, readAll, numberOf };
}
