/** The card of a task on a board. */
/** @import { JoinedTask } from "workdesk" @import { Status } from "./columns.js" */
import {
  due, face, menu, named, node, quiet, state, TASK_OVER, TASK_STATUSES, to,
} from "../../kit.js";
import { chips } from "../../record/tags.js";

/** @typedef {object} Acts
 * @property {boolean} movable
 * @property {(id: number, status: Status) => void} move also moves the focus
 * @property {(id: number) => boolean} open returns false where the link of a card is followed
 * @property {(task: JoinedTask) => HTMLElement | null} box selects the task */

/** @param {JoinedTask} task @param {Acts} acts */
export function cardOf(task, { movable, move, open, box }) {
  const { id, title, status, priority, assignee, dueDate, tags } = task;
  const others = () => named(TASK_STATUSES.filter((one) => one !== status));
  const moves = (/** @type {any} */ { currentTarget }) => menu(currentTarget, "Move to", others(),
    (value) => move(id, /** @type {Status} */ (value)));
  const opens = (/** @type {MouseEvent} */ event) =>
    !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) && open(id)
      && event.preventDefault();
  const moving = movable && node("button.plain", { type: "button", onclick: moves,
    "aria-label": `Move ${title}`, "aria-haspopup": "menu", "aria-keyshortcuts": "s" }, "⋯");
  const selecting = box(task);
  return node("li.card", { draggable: movable && "true" },
    node("a", { href: to(`/tasks/${id}`), draggable: "false", onclick: opens }, title),
    (selecting || moving) && node("span.card-acts", selecting, moving),
    node("p.meta", state(priority), dueDate && due(dueDate, !TASK_OVER.includes(status)),
      quiet(`#${id}`), chips(tags),
      assignee && face(assignee, true)));
}
