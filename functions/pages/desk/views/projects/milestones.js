/** The tasks of milestones: how many there are and how many are done, whatever the board shows of
 * them. */
/** @import { MilestoneWithTasks, JoinedTask } from "workdesk" */
import { more, record } from "../../kit.js";

/** Counts the tasks of milestones as they were read, and as they have changed since.
 * @param {() => JoinedTask[]} kept the tasks of the board that were read */
export function countsOf(kept) {
  /** Statuses of tasks by milestone. @type {Map<number, Map<number, string>>} */
  const read = new Map();
  const gone = /** @type {Set<number>} */ (new Set());

  /** Takes milestones with their first tasks, and reads the others.
   * @param {MilestoneWithTasks[]} milestones
   * @param {AbortSignal} signal */
  const take = (milestones, signal) => Promise.all(
      milestones.map(async ({ id, tasks, tasksNext }) => {
    const own = new Map(tasks.map((task) => [task.id, task.status]));
    read.set(id, own);
    for (let next = tasksNext; next; ) {
      const { pathname, search } = new URL(next, location.href);
      const page = await more(pathname + search, { signal });
      for (const task of page.data) own.set(task.id, task.status);
      next = page.next;
    }
  }));

  /** @param {number} milestone @returns {{ done: number, total: number }} */
  const of = (milestone) => {
    const statuses = new Map(read.get(milestone));
    for (const id of statuses.keys()) {
      const now = record("task", id);
      if (gone.has(id) || (now && now.milestoneId !== milestone)) statuses.delete(id);
    }
    for (const task of kept()) if (task.milestoneId === milestone) statuses.set(task.id,
      task.status);
    const done = [...statuses.values()].filter((status) => status === "done");
    return { total: statuses.size, done: done.length };
  };

  return { take, of, forget: (/** @type {number} */ task) => void gone.add(task) };
}
