/** Moves of cards. A card stands at its new place at once, the record when the service has
 * answered. */
/** @import { JoinedTask } from "workdesk" */
import { node, patch, post, record, say, store, trouble, words } from "../../kit.js";

/** Sorts tasks as the API does. @param {JoinedTask} one @param {JoinedTask} other */
export const byOrder = (one, other) => one.order - other.order || one.id - other.id;

/** @param {() => JoinedTask[]} visible @param {() => void} show
 * @param {Element} problems where they stand */
export function movesOf(visible, show, problems) {
  /** Tasks at places that are not confirmed.
   * @type {Map<number, { task: JoinedTask, from: JoinedTask }>} */
  const open = new Map();
  let queue = Promise.resolve();

  /** The task where it is shown; the same object while nothing changes. @param {JoinedTask} task */
  function placed(task) {
    const move = open.get(task.id);
    if (!move) return task;
    const { status, order } = move.task;
    if (move.from !== task) Object.assign(move, { from: task, task: { ...task, status, order } });
    return move.task;
  }

  /** Moves a task before another one of a status, or to its end.
   * @param {number} id @param {JoinedTask["status"]} status @param {number} [before] */
  function move(id, status, before) {
    const task = record("task", id);
    if (!task || before === id) return;
    const others = visible().filter((one) => one.status === status && one.id !== id);
    const { at, order, ...beside } = placeAmong(others.sort(byOrder), task, before);
    const mine = { from: task, task: { ...task, status, order } };
    open.set(id, mine);
    problems.replaceChildren();
    show();
    say(`${task.title}: ${words(status)}, ${at + 1} of ${others.length + 1}`);
    queue = queue.then(async () => {
      await send(id, status, beside).catch((problem) => problems.replaceChildren(
        node("b", node("bdi", task.title), " was not moved. "),
        trouble(problem, () => move(id, status, before))));
      if (open.get(id) === mine) open.delete(id);
      show();
    });
  }

  return { move, placed };
}

/** @typedef {{ previous: JoinedTask | undefined, next: JoinedTask | undefined }} Beside */

/** The place of a task among others, before one of them or at their end.
 * @param {JoinedTask[]} others @param {JoinedTask} task @param {number} [before] */
function placeAmong(others, task, before) {
  const found = others.findIndex((one) => one.id === before);
  const at = found < 0 ? others.length : found;
  const [previous, next] = [others[at - 1], others[at]];
  const order = next ? (next.order + (previous?.order ?? next.order - 2)) / 2
    : (previous?.order ?? task.order) + 1;
  return { at, order, previous, next };
}

/** Has the service move a task. @param {number} id @param {JoinedTask["status"]} status
 * @param {Beside} beside */
async function send(id, status, { previous, next }) {
  const path = "/api/tasks/{id}/move";
  const { data } = next ? await post(path, { id }, { before: next.id, status })
    : previous ? await post(path, { id }, { after: previous.id, status })
    : await patch("/api/tasks/{id}", { id }, { status });
  store("task", data);
}
