/** A menu beside what opens it: arrows move in it, a first letter that only one item has chooses
 * that item. */
/** @import { Choice } from "./elements.js" */
import { node } from "./elements.js";

const GAP = 4; // Pixels around it.

/** @param {Element} anchor gets the focus again @param {string} label @param {Choice[]} choices
 * @param {(value: string) => unknown} act */
export function menu(anchor, label, choices, act) {
  const items = choices.map(([value, name]) =>
    node("button.plain", { type: "button", role: "menuitem", onclick: () => choose(value) }, name));
  const list = node("div.menu", { popover: "auto", role: "menu", "aria-label": label,
    onkeydown: heard }, items);
  const choose = (/** @type {string} */ value) => {
    close();
    act(value);
  };
  const close = () => {
    list.remove();
    /** @type {HTMLElement} */ (anchor).focus({ preventScroll: true });
  };
  function heard(/** @type {KeyboardEvent} */ event) {
    const at = items.findIndex((one) => one === document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const found = items.filter((one) => one.textContent?.toLowerCase().startsWith(
      event.key.toLowerCase()));
    if (step) items.at((at + step) % items.length)?.focus();
    else if (event.key === "Escape" || event.key === "Tab") close();
    else if (event.key.length > 1 || event.ctrlKey || event.metaKey || found.length === 0) return;
    else if (found.length === 1) found[0]?.click();
    else (found.find((one) => items.indexOf(one) > at) ?? found[0])?.focus();
    event.preventDefault();
    event.stopPropagation();
  }
  // Part of the page: what stands beside its regions is read by no one.
  (anchor.closest("main") ?? document.body).append(list);
  list.showPopover();
  list.addEventListener("toggle", () => list.matches(":popover-open") || list.remove());
  place(list, anchor.getBoundingClientRect());
  items[0]?.focus();
}

/** Below what opened it, and within the window. @param {HTMLElement} list @param {DOMRect} at */
function place(list, at) {
  const { width, height } = list.getBoundingClientRect();
  const top = at.bottom + GAP + height > innerHeight ? at.top - GAP - height : at.bottom + GAP;
  list.style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - width - GAP))}px`;
  list.style.top = `${Math.max(GAP, top)}px`;
}
