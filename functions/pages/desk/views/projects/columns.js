/**
 * The columns of a board: a card a task, moved by the mouse, by Alt and the arrows, or by its list. The arrows alone
 * go from card to card.
 */

/** @import { JoinedTask } from "workdesk" */
import { due, node, number, rows, select, state, words } from "../../elements.js";
import { to } from "../../frame/router.js";
import { may } from "../../frame/session.js";
import { byOrder } from "./moves.js";

/** @typedef {JoinedTask["status"]} Status */
/** @type {Status[]} */
export const STATUSES = ["backlog", "todo", "in_progress", "in_review", "blocked", "done", "cancelled"];
const ENDED = new Set(["done", "cancelled"]);

/** @param {(id: number, status: Status, before?: number) => void} move */
export function columnsOf(move) {
  const movable = may("update_task");
  const columns = STATUSES.map((status) => {
    const total = node("span", { class: "count" });
    const list = node("ol", { class: "cards", "aria-label": words(status) });
    const element = node("section", { class: "column", "aria-label": words(status) },
      node("h2", {}, state(status), total), list);
    if (movable) receive(element, list, (id, before) => move(id, status, before));
    return { status, element, list, total };
  });
  const element = node("div", { class: "board", onkeydown: keys }, ...columns.map((one) => one.element));

  /** @param {JoinedTask} task */
  const card = ({ id, title, status, priority, assignee, dueDate }) => {
    // Filled when it is used: a board may have 1,000 cards.
    const others = select("move", [["", "Move"]], "", {
      "aria-label": `Move ${title}`,
      onfocus: () => others.length > 1 || others.append(...STATUSES.filter((one) => one !== status)
        .map((one) => node("option", { value: one }, words(one)))),
      onchange: () => moveAndFocus(id, /** @type {Status} */ (others.value)),
    });
    return node("li", { class: "card", draggable: movable ? "true" : null },
      node("a", { href: to(`/tasks/${id}`), draggable: "false" }, title),
      node("p", { class: "meta" }, state(priority), dueDate && due(dueDate, !ENDED.has(status)),
        assignee && node("span", { class: "quiet" }, assignee.fullName)),
      movable && others);
  };

  /** @param {JoinedTask[]} tasks */
  function show(tasks) {
    /** @type {Map<Status, JoinedTask[]>} */
    const groups = new Map(STATUSES.map((status) => [status, []]));
    for (const task of tasks) groups.get(task.status)?.push(task);
    const focused = document.activeElement?.closest(".card");
    const id = element.contains(focused ?? null) ? keyOf(focused) : 0;
    for (const { status, element, list, total } of columns) {
      const found = groups.get(status)?.sort(byOrder) ?? [];
      total.textContent = number(found.length);
      element.classList.toggle("bare", found.length === 0);
      rows(list, found, (task) => task.id, card);
    }
    // A card with the focus may have gone to another column.
    if (id && !element.contains(document.activeElement)) focus(id);
  }

  /** @param {number} id */
  function focus(id) {
    /** @type {HTMLElement | null} */ (element.querySelector(`[data-key="${id}"] a`))?.focus();
  }

  /** @param {number} id @param {Status} status @param {number} [before] */
  function moveAndFocus(id, status, before) {
    move(id, status, before);
    focus(id);
  }

  /** @param {KeyboardEvent} event */
  function keys(event) {
    const across = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
    const along = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0;
    const from = columns.findIndex(({ list }) => list.contains(/** @type {Node} */ (event.target)));
    const cards = [...(columns[from]?.list.children ?? [])];
    const at = cards.findIndex((one) => one.contains(/** @type {Node} */ (event.target)));
    if (at < 0 || (!across && !along) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (!event.altKey) {
      let next = cards[at + along];
      if (across) {
        let column = from + across;
        while (columns[column]?.list.children.length === 0) column += across;
        const list = [...(columns[column]?.list.children ?? [])];
        next = list[Math.min(at, list.length - 1)];
      }
      next?.querySelector("a")?.focus();
      return;
    }
    const column = columns[from + across];
    if (!movable || !column || (along && !cards[at + along])) return;
    const before = across ? column.list.children[at] : cards[at + (along < 0 ? -1 : 2)];
    moveAndFocus(keyOf(cards[at]), column.status, keyOf(before) || undefined);
  }

  return { element, show };
}

/** The id of a card's task; 0 if there is no card. @param {Element | null | undefined} card */
function keyOf(card) {
  return Number(/** @type {HTMLElement | undefined} */ (card ?? undefined)?.dataset["key"] ?? 0);
}

/**
 * Lets cards be dropped into a column, and shows where a card would land.
 * @param {HTMLElement} column @param {HTMLElement} list @param {(id: number, before?: number) => void} drop
 */
function receive(column, list, drop) {
  /** The card before which a card at this height lands. @param {number} y */
  const below = (y) => [...list.children].find((card) => {
    const { top, height } = card.getBoundingClientRect();
    return y < top + height / 2;
  });
  const clear = () => {
    for (const one of column.querySelectorAll(".lands, .lands-last")) one.classList.remove("lands", "lands-last");
  };
  column.addEventListener("dragstart", (event) => {
    const card = /** @type {Element} */ (event.target).closest(".card");
    event.dataTransfer?.setData("text/plain", String(keyOf(card)));
  });
  column.addEventListener("dragover", (event) => {
    event.preventDefault();
    clear();
    const card = below(event.clientY);
    if (card) card.classList.add("lands");
    else list.classList.add("lands-last");
  });
  for (const end of ["dragleave", "dragend"]) column.addEventListener(end, clear);
  column.addEventListener("drop", (event) => {
    event.preventDefault();
    const before = keyOf(below(event.clientY)) || undefined;
    clear();
    drop(Number(event.dataTransfer?.getData("text/plain")), before);
  });
}
