/** The columns of a board, which fold. Cards move by mouse, finger, Alt and arrows, or their menu;
 * arrows alone move focus. */
/** @import { JoinedTask } from "workdesk" */
import {
  button, draw, each, may, myId, node, number, state, stored, TASK_OVER, TASK_STATUSES, words,
} from "../../kit.js";
import { cardOf } from "./card.js";
import { dragging, idOf } from "./dragging.js";
import { byOrder } from "./moves.js";

/** @typedef {JoinedTask["status"]} Status */
/** @typedef {ReturnType<typeof columnOf>} Column */
/** @typedef {(id: number, status: Status, before?: number) => void} Move */
/** How many tasks a column has: `shown` of them, or all.
 * @typedef {(status: Status, shown: number) =>
 *   { number: number, isExact: boolean, isWhole: boolean }} NumberOf */

/** `move` moves a card; `open` opens one and returns false where its link is followed;
 * `box` selects one.
 * @typedef {object} Acts
 * @property {Move} move
 * @property {(id: number) => boolean} open
 * @property {(status: Status) => Promise<void>} readAll
 * @property {(task: JoinedTask) => HTMLElement | null} box */

/** @param {string} board tells it from other boards @param {NumberOf} numberOf
 * @param {Acts} acts */
export function columnsOf(board, numberOf, { move, open, readAll, box }) {
  const movable = may("update_task");
  const folds = foldsOf(board);
  let all = /** @type {JoinedTask[]} */ ([]);
  const columns = TASK_STATUSES.map((status) => columnOf(status, () => {
    folds.turn(status);
    show(all);
  }));
  const element = node("div.board", {}, columns.map(({ column }) => column));
  const focus = (/** @type {number} */ id) =>
    /** @type {HTMLElement | null} */ (element.querySelector(`[data-key="${id}"] a`))?.focus();
  /** @type {Move} */
  const moveAndFocus = (id, status, before) => {
    move(id, status, before);
    focus(id);
  };
  element.addEventListener("keydown",
    (event) => keys(event, columns, movable ? moveAndFocus : null));
  if (movable) dragging(element, columns, move);
  const card = (/** @type {JoinedTask} */ task) =>
    cardOf(task, { movable, move: moveAndFocus, open, box });

  function show(/** @type {JoinedTask[]} */ tasks) {
    all = tasks;
    const focused = idOf(element.contains(document.activeElement) && document.activeElement);
    for (const one of columns) {
      const found = tasks.filter((task) => task.status === one.status).sort(byOrder);
      const count = numberOf(one.status, found.length);
      showColumn(one, found, count, { isFolded: folds.has(one.status), readAll, card });
    }
    // A card with the focus may have gone to another column.
    if (focused && idOf(document.activeElement) !== focused) focus(focused);
  }

  const keepPlace = keeperOf(board, element, columns, focus);
  /** The ids of the cards in sight, column by column. */
  const ids = () => columns.flatMap(({ shown }) => shown.map(({ id }) => id));
  return { element, show, keepPlace, focus, ids,
    reveal: (/** @type {number} */ id) => reveal(element, id) };
}

/** An empty column. @param {Status} status @param {() => void} turn folds or unfolds it */
function columnOf(status, turn) {
  const total = node("span.count");
  const list = node("ol.cards", { "aria-label": words(status) });
  const end = node("div.column-end");
  const head = node("button.plain", { type: "button", onclick: turn }, state(status));
  const column = node("section.column", { "aria-label": words(status) },
    node("h2", head, total), list, end);
  return { status, column, list, total, head, end, shown: /** @type {JoinedTask[]} */ ([]) };
}

/** @param {Column} one @param {JoinedTask[]} found @param {ReturnType<NumberOf>} count
 * @param {{ isFolded: boolean, readAll: Acts["readAll"],
 *   card: (task: JoinedTask) => HTMLElement }} how */
function showColumn(one, found, { number: count, isExact, isWhole }, { isFolded, readAll, card }) {
  const { status, column, list, total, head, end } = one;
  total.textContent = `${number(count)}${isExact ? "" : "+"}`;
  column.classList.toggle("bare", isFolded || (count === 0 && isWhole));
  head.ariaExpanded = String(!isFolded);
  const name = `Show all tasks that are ${words(status).toLowerCase()}`;
  draw(end, !isFolded && !isWhole
    && button("Show all", () => readAll(status), { kind: "plain", name }));
  const shown = isFolded ? [] : found;
  // Most moves touch two columns.
  const isSame = shown.length === one.shown.length
    && shown.every((task, at) => task === one.shown[at]);
  if (!isSame) draw(list, each(shown, ({ id }) => id, card));
  one.shown = shown;
}

/** Arrows move the focus, and with Alt the card.
 * @param {KeyboardEvent} event @param {Column[]} columns @param {Move | null} move */
function keys(event, columns, move) {
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
    if (!move || !column || (along && !cards[at + along])) return;
    const before = across ? column.list.children[at] : cards[at + (along < 0 ? -1 : 2)];
    move(idOf(target), column.status, idOf(before) || undefined);
  } else {
    // To the next column that has cards.
    const side = columns.slice(across < 0 ? 0 : from + 1, across < 0 ? from : undefined);
    const lists = side.map(({ list }) => list.children).filter((one) => one.length > 0);
    const near = lists.at(across < 0 ? -1 : 0);
    const next = across ? near?.[Math.min(at, near.length - 1)] : cards[at + along];
    next?.querySelector("a")?.focus();
  }
}

/** Brings a card into sight, and marks it. @param {HTMLElement} board @param {number} id */
function reveal(board, id) {
  const found = board.querySelector(`[data-key="${id}"]`);
  found?.scrollIntoView({ block: "nearest", inline: "nearest" });
  found?.classList.add("fresh");
  setTimeout(() => found?.classList.remove("fresh"), 2_000);
}

/** Comes back to where the board was left: the scroll of its columns, and the focus.
 * @param {string} board @param {HTMLElement} element @param {Column[]} columns
 * @param {(id: number) => void} focus */
function keeperOf(board, element, columns, focus) {
  let opened = 0; // The card that was opened.
  element.addEventListener("click",
    ({ target }) => (opened = idOf(/** @type {Element} */ (target))));
  return (/** @type {AbortSignal} */ signal) => {
    const left = places.get(board);
    const restore = () => columns.forEach(({ list }, at) => (list.scrollTop = left?.tops[at] ?? 0));
    if (left) requestAnimationFrame(() => {
      restore();
      if (left.card && document.activeElement?.matches("h1, body")) focus(left.card);
    });
    signal.addEventListener("abort", () => places.set(board, {
      tops: columns.map(({ list }) => list.scrollTop),
      card: opened || idOf(document.activeElement) }));
  };
}

/** Where boards were left. @type {Map<string, { tops: number[], card: number }>} */
const places = new Map();

/** Statuses whose columns are folded on a board, as the browser keeps them: at first those that are
 * over.
 * @param {string} board */
function foldsOf(board) {
  const key = `folded ${myId()} ${board}`;
  const kept = stored((storage) => storage.getItem(key));
  const folded = new Set(kept ? kept.split(",") : kept === "" ? [] : TASK_OVER);
  return {
    has: (/** @type {Status} */ status) => folded.has(status),
    turn: (/** @type {Status} */ status) => {
      folded[folded.has(status) ? "delete" : "add"](status);
      stored((storage) => storage.setItem(key, [...folded].join(",")));
    },
  };
}
