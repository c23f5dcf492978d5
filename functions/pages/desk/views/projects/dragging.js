/** Cards that are dragged, by the mouse or by a finger, and where they would land. A long press
 * lifts a card. */
/** @import { JoinedTask } from "workdesk" */

/** @typedef {{ status: JoinedTask["status"], column: HTMLElement, list: HTMLElement }} Column */
/** @typedef {(id: number, status: JoinedTask["status"], before?: number) => void} Drop */

/** The type of what is dragged: the id of a task. No text or file of elsewhere moves a task. */
const TYPE = "application/x-workdesk-task";
const PRESS_MS = 350; // A press that lifts a card.
const STILL = 10; // Pixels that a finger moves within a press.
const EDGE = 48; // Pixels beside an edge in which the board scrolls.
const STEP = 12; // Pixels that it scrolls in a frame.

/** The id of the card around; 0 if there is none.
 * @param {Element | null | undefined | false} part */
export const idOf = (part) => Number((part || null)?.closest(".card")?.getAttribute("data-key")
  ?? 0);

/** @param {HTMLElement} board @param {Column[]} columns @param {Drop} drop */
export function dragging(board, columns, drop) {
  const clear = () => {
    for (const one of board.querySelectorAll(".lands, .lands-last")) {
      one.classList.remove("lands", "lands-last");
    }
  };
  /** The column at a point, and the card before which a card would land. @param {Element | null} at
   * @param {number} y */
  const landing = (at, y) => {
    const found = columns.find(({ column }) => column.contains(at));
    const card = [...found?.list.children ?? []].find((one) => {
      const { top, height } = one.getBoundingClientRect();
      return y < top + height / 2;
    });
    return found && { ...found, card };
  };
  const show = (/** @type {Element | null} */ at, /** @type {number} */ y) => {
    const found = landing(at, y);
    clear();
    if (found) (found.card ?? found.list).classList.add(found.card ? "lands" : "lands-last");
    return found;
  };
  const land = (/** @type {number} */ id, /** @type {Element | null} */ at,
      /** @type {number} */ y) => {
    const found = landing(at, y);
    clear();
    if (found && id) drop(id, found.status, idOf(found.card) || undefined);
  };
  byMouse(board, show, land, clear);
  byFinger(board, show, land, clear);
}

/** @typedef {(at: Element | null, y: number) => unknown} Show */
/** @typedef {(id: number, at: Element | null, y: number) => void} Land */

/** @param {HTMLElement} board @param {Show} show @param {Land} land @param {() => void} clear */
function byMouse(board, show, land, clear) {
  const target = (/** @type {Event} */ event) => /** @type {Element} */ (event.target);
  board.addEventListener("dragstart", (event) =>
    event.dataTransfer?.setData(TYPE, String(idOf(target(event)))));
  board.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes(TYPE) && show(target(event), event.clientY)) {
      event.preventDefault();
    }
  });
  board.addEventListener("dragleave", ({ relatedTarget }) =>
    board.contains(/** @type {Node | null} */ (relatedTarget)) || clear());
  board.addEventListener("dragend", clear);
  board.addEventListener("drop", (event) => {
    event.preventDefault();
    land(Number(event.dataTransfer?.getData(TYPE)), target(event), event.clientY);
  });
}

/** @param {HTMLElement} board @param {Show} show @param {Land} land @param {() => void} clear */
function byFinger(board, show, land, clear) {
  const press = pressOf(board, clear);
  const under = () => document.elementFromPoint(press.x, press.y);
  board.addEventListener("pointerdown", ({ target, pointerType, clientX, clientY }) => {
    press.end();
    press.isLifted = false;
    const pressed = /** @type {Element} */ (target);
    if (pointerType === "mouse" || pressed.closest("button, input")) return;
    press.begin(pressed.closest(".card[draggable=true]"), clientX, clientY);
  });
  board.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (!press.card) return;
    const isStill = Math.hypot(clientX - press.x, clientY - press.y) <= STILL;
    if (!press.isLifted && !isStill) return press.end();
    if (!press.isLifted) return;
    [press.x, press.y] = [clientX, clientY];
    show(under(), press.y);
  });
  board.addEventListener("pointerup", () => {
    if (press.card && press.isLifted) land(idOf(press.card), under(), press.y);
    press.end();
  });
  board.addEventListener("pointercancel", press.end);
  // A lifted card neither scrolls the page nor opens its link or a menu.
  for (const type of ["touchmove", "touchend", "contextmenu"]) {
    board.addEventListener(type, (event) => press.isLifted && event.preventDefault(),
      { passive: false });
  }
}

/** The press of a finger: its card is lifted after a while, and the board scrolls at its edges.
 * @param {HTMLElement} board @param {() => void} clear */
function pressOf(board, clear) {
  let timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  const lift = () => {
    press.isLifted = true;
    press.card?.classList.add("lifted");
    scroll();
  };
  const scroll = () => {
    if (!press.card || !press.isLifted) return;
    scrollAt(board, press.x, press.y);
    requestAnimationFrame(scroll);
  };
  const press = {
    card: /** @type {HTMLElement | null} */ (null), isLifted: false, x: 0, y: 0,
    begin: (/** @type {HTMLElement | null} */ card, /** @type {number} */ x,
      /** @type {number} */ y) => {
      if (!card) return;
      card.draggable = false;
      Object.assign(press, { card, x, y });
      timer = setTimeout(lift, PRESS_MS);
    },
    end: () => {
      clearTimeout(timer);
      clear();
      press.card?.classList.remove("lifted");
      // The browser's own drag begins with a long press, too.
      if (press.card) press.card.draggable = true;
      press.card = null;
    },
  };
  return press;
}

/** Scrolls the board, or the column at a point, if the point is beside its edge.
 * @param {HTMLElement} board @param {number} x @param {number} y */
function scrollAt(board, x, y) {
  const list = document.elementFromPoint(x, y)?.closest(".cards");
  const { top = 0, bottom = 0 } = list?.getBoundingClientRect() ?? {};
  board.scrollLeft += x < EDGE ? -STEP : x > innerWidth - EDGE ? STEP : 0;
  if (list) list.scrollTop += y < top + EDGE ? -STEP : y > bottom - EDGE ? STEP : 0;
}
