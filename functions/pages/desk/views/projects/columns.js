/** The columns of a board. Cards move by mouse, Alt and arrows, or their list; arrows alone move focus. */
/** @import { JoinedTask } from "workdesk" */
import {
  button, draw, due, each, may, menu, named, node, number, quiet, state, TASK_OVER, TASK_STATUSES, to, words,
} from "../../kit.js";
import { byOrder } from "./moves.js";

/** @typedef {JoinedTask["status"]} Status */
/** How many tasks a column has: `shown` of them, or all. @typedef {(status: Status, shown: number) =>
 *   { number: number, isExact: boolean, isWhole: boolean }} NumberOf */

/** @param {(id: number, status: Status, before?: number) => void} move @param {NumberOf} numberOf
 * @param {(status: Status) => Promise<void>} readAll
 * @param {(task: JoinedTask) => HTMLElement | null} box selects a card */
export function columnsOf(move, numberOf, readAll, box) {
  const movable = may("update_task");
  const columns = TASK_STATUSES.map((status) => {
    const total = node("span.count");
    const list = node("ol.cards", { "aria-label": words(status) });
    const head = node("h2", state(status), total);
    const end = node("div.column-end");
    const column = node("section.column", { "aria-label": words(status) }, head, list, end);
    if (movable) receive(column, list, (id, before) => move(id, status, before));
    return { status, column, list, total, end };
  });
  const element = node("div.board", { onkeydown: keys }, columns.map(({ column }) => column));

  const card = (/** @type {JoinedTask} */ task) => {
    const { id, title, status, priority, assignee, dueDate } = task;
    const others = () => named(TASK_STATUSES.filter((one) => one !== status));
    const moves = (/** @type {any} */ { currentTarget }) => menu(currentTarget, "Move to", others(),
      (value) => moveAndFocus(id, /** @type {Status} */ (value)));
    return node("li.card", { draggable: movable && "true" },
      node("a", { href: to(`/tasks/${id}`), draggable: "false" }, title),
      node("p.meta", state(priority),
        node("span.card-acts", box(task), movable && node("button.plain", { type: "button", onclick: moves,
          "aria-label": `Move ${title}`, "aria-haspopup": "menu", "aria-keyshortcuts": "s" }, "⋯")),
        dueDate && due(dueDate, !TASK_OVER.includes(status)), quiet(assignee?.fullName)));
  };

  function show(/** @type {JoinedTask[]} */ tasks) {
    const focused = idOf(element.contains(document.activeElement) && document.activeElement);
    for (const { status, column, list, total, end } of columns) {
      const found = tasks.filter((task) => task.status === status).sort(byOrder);
      const { number: count, isExact, isWhole } = numberOf(status, found.length);
      total.textContent = `${number(count)}${isExact ? "" : "+"}`;
      column.classList.toggle("bare", count === 0 && isWhole);
      const name = `Show all tasks that are ${words(status).toLowerCase()}`;
      draw(end, !isWhole && button("Show all", () => readAll(status), { kind: "plain", name }));
      draw(list, each(found, ({ id }) => id, card));
    }
    // A card with the focus may have gone to another column.
    if (focused && idOf(document.activeElement) !== focused) focus(focused);
  }

  const focus = (/** @type {number} */ id) =>
    /** @type {HTMLElement | null} */ (element.querySelector(`[data-key="${id}"] a`))?.focus();

  /** @param {number} id @param {Status} status @param {number} [before] */
  function moveAndFocus(id, status, before) {
    move(id, status, before);
    focus(id);
  }

  function keys(/** @type {KeyboardEvent} */ event) {
    const across = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
    const along = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0;
    const target = /** @type {Element} */ (event.target);
    if (!target.matches("a")) return;
    const from = columns.findIndex(({ list }) => list.contains(target));
    const cards = [...(columns[from]?.list.children ?? [])];
    const at = cards.findIndex((one) => one.contains(target));
    if (at < 0 || (!across && !along) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const column = columns[from + across];
    if (event.altKey) {
      if (!movable || !column || (along && !cards[at + along])) return;
      const before = across ? column.list.children[at] : cards[at + (along < 0 ? -1 : 2)];
      moveAndFocus(idOf(target), column.status, idOf(before) || undefined);
    } else {
      // To the next column that has cards.
      const side = columns.slice(across < 0 ? 0 : from + 1, across < 0 ? from : undefined);
      const lists = side.map(({ list }) => list.children).filter((one) => one.length > 0);
      const near = lists.at(across < 0 ? -1 : 0);
      const next = across ? near?.[Math.min(at, near.length - 1)] : cards[at + along];
      next?.querySelector("a")?.focus();
    }
  }

  /** Brings a card into sight, and marks it. @param {number} id */
  const reveal = (id) => {
    const found = element.querySelector(`[data-key="${id}"]`);
    found?.scrollIntoView({ block: "nearest", inline: "nearest" });
    found?.classList.add("fresh");
    setTimeout(() => found?.classList.remove("fresh"), 2_000);
  };
  /** Comes back to where the board was left: the scroll of its columns, and the focus. @param {string} board
   * @param {AbortSignal} signal of the view */
  const keepPlace = (board, signal) => {
    const left = places.get(board);
    const restore = () => columns.forEach(({ list }, at) => (list.scrollTop = left?.tops[at] ?? 0));
    if (left) requestAnimationFrame(() => {
      restore();
      if (left.card && document.activeElement?.matches("h1, body")) focus(left.card);
    });
    signal.addEventListener("abort", () => places.set(board, {
      tops: columns.map(({ list }) => list.scrollTop), card: opened || idOf(document.activeElement) }));
  };
  let opened = 0; // The card that was opened.
  element.addEventListener("click", ({ target }) => (opened = idOf(/** @type {Element} */ (target))));
  return { element, show, reveal, keepPlace };
}

/** Where boards were left. @type {Map<string, { tops: number[], card: number }>} */
const places = new Map();

/** The type of what is dragged: the id of a task. */
const TYPE = "application/x-workdesk-task";

/** The id of the card around; 0 if there is none. @param {Element | null | undefined | false} part */
const idOf = (part) => Number((part || null)?.closest(".card")?.getAttribute("data-key") ?? 0);

/** Lets cards be dropped into a column, and shows where a card would land.
 * @param {HTMLElement} column @param {Element} list @param {(id: number, before?: number) => void} drop */
function receive(column, list, drop) {
  const below = (/** @type {DragEvent} */ { clientY }) => [...list.children].find((card) => {
    const { top, height } = card.getBoundingClientRect();
    return clientY < top + height / 2;
  });
  const clear = () => {
    for (const one of [list, ...list.children]) one.classList.remove("lands", "lands-last");
  };
  column.addEventListener("dragstart", ({ dataTransfer, target }) =>
    dataTransfer?.setData(TYPE, String(idOf(/** @type {Element} */ (target)))));
  column.addEventListener("dragover", (event) => {
    // No text or file of elsewhere moves a task.
    if (!event.dataTransfer?.types.includes(TYPE)) return;
    const card = below(event);
    event.preventDefault();
    clear();
    (card ?? list).classList.add(card ? "lands" : "lands-last");
  });
  for (const end of ["dragleave", "dragend"]) column.addEventListener(end, clear);
  column.addEventListener("drop", (event) => {
    event.preventDefault();
    clear();
    drop(Number(event.dataTransfer?.getData(TYPE)), idOf(below(event)) || undefined);
  });
}
