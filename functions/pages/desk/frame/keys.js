/** The keys of the desk. A key presses the button, link or field that names it in
 * `aria-keyshortcuts`: of the selected rows, of the row with the focus, else of the page. None acts
 * while a field, a list or a dialog has the focus. */
import { button, node } from "../elements.js";
import { dialog } from "../forms.js";

/** What the help says of each key. @type {[keys: string, what: string][]} */
const HELP = [
  ["?", "Show the keys"], ["/ or Ctrl K", "Search"],
  ["c", "Add a task, raise a request or a ticket"],
  ["j and k", "Next and previous row, or ticket"], ["Enter", "Open"],
  ["x", "Select; with Shift up to here"],
  ["s", "Status"], ["p", "Priority"], ["a", "Assignee"], ["t", "Tags"], ["e", "Edit the title"],
  ["r", "Write a reply or a comment"],
  ["Ctrl Enter", "Send"], ["Ctrl Shift Enter", "Send, and resolve the ticket"],
  ["Alt and arrows", "Move a card"], ["g h", "Go to Home"], ["g p", "Go to Projects"],
  ["g t", "Go to Tasks"],
  ["g r", "Go to Requests"], ["g i", "Go to Tickets"], ["g a", "Go to Alerts"],
  ["g s", "Go to Settings"],
  ["Escape", "Close"],
];
/** @type {Record<string, string>} */
const PLACES = { h: "/", p: "/projects", t: "/tasks", r: "/requests", i: "/tickets", a: "/alerts",
  s: "/settings" };
const ROWS = "main :is(.list, .cards, .alerts) > li:has(a)";
const PAUSE_MS = 1_500; // Between `g` and its letter.

/** Keys of an input method, such as the Enter that ends a word of Chinese, belong to it: nothing in
 * the page hears them. Safari marks the last one by its code alone. */
export function shieldInputMethods() {
  const shield = (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation();
  };
  addEventListener("keydown", shield, { capture: true });
}

export function showKeys() {
  const help = dialog("Keys", [
    node("dl.facts.keys", HELP.map(([keys, what]) =>
      [node("dt", node("kbd", keys)), node("dd", what)])),
    node("div.end", button("Close", () => help.close(), { kind: "main" }))]);
}

/** Hears the keys from now on. */
export function hearKeys() {
  let goes = -Infinity; // When `g` was pressed.
  addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, target, timeStamp } = event;
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (key === "Escape" && hasKeys(target)) return /** @type {HTMLElement} */ (target).blur();
    const isSearch = (ctrlKey || metaKey) && !altKey && key === "k";
    if (!isSearch && (ctrlKey || metaKey || altKey || hasKeys(target))) return;
    const to = timeStamp - goes < PAUSE_MS ? PLACES[key] : undefined;
    goes = key === "g" ? timeStamp : -Infinity;
    if (isSearch || key === "/") location.hash = "/search";
    else if (to) location.hash = to;
    else if (key === "?") showKeys();
    else if (!press(key, shiftKey) && !steps(key)) return;
    event.preventDefault();
  });
}

/** Does the element take keys itself? @param {EventTarget | null} target */
const hasKeys = (target) => target instanceof Element
  && target.closest("input:not([type=checkbox]), select, textarea, [role=menu]") !== null;

/** Presses what names the key. Returns false if nothing does.
 * @param {string} key @param {boolean} shiftKey is held */
function press(key, shiftKey) {
  const places = [document.querySelector(".selection:has(strong)"),
    document.activeElement?.closest("main li"),
    document.getElementById("main")];
  const named = places.flatMap((one) => [...one?.querySelectorAll("[aria-keyshortcuts]") ?? []]);
  const name = shiftKey && /^[A-Z]$/.test(key) ? `Shift+${key}` : key;
  const pressed = /** @type {HTMLElement | undefined} */ (named.find((one) =>
    one.getAttribute("aria-keyshortcuts")?.split(" ").includes(name) && one.checkVisibility()));
  if (pressed?.matches("input:not([type=checkbox]), textarea")) pressed.focus();
  else pressed?.dispatchEvent(new MouseEvent("click",
    { bubbles: true, cancelable: true, shiftKey }));
  return pressed !== undefined;
}

/** Goes to the row that a key names. @param {string} key */
function steps(key) {
  const by = { j: 1, k: -1 }[key];
  return by !== undefined && step(by);
}

/** Moves the focus to the next row, or the one before. @param {number} by */
function step(by) {
  const rows = [...document.querySelectorAll(ROWS)].filter((one) => one.checkVisibility());
  const at = rows.findIndex((one) => one.contains(document.activeElement));
  const next = rows[at < 0 ? 0 : at + by]?.querySelector("a");
  next?.focus();
  return next !== undefined;
}

/** Up and down move the focus among the links of a list. @param {HTMLElement} list */
export function arrows(list) {
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
    const next = step && at >= 0 && links[at + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}
