/** What a place shows, drawn again: rows by keys, which keep their focus, their folds and what is typed. */
/** Items that the rows of a list were made from. @type {WeakMap<Element, unknown>} */
const sources = new WeakMap();
const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

/** Shows items as the children of an element. A row is made anew if its item is another object than before.
 * It takes over the focus. @template I @param {HTMLElement} parent @param {I[]} items
 * @param {(item: I) => string | number} key @param {(item: I) => HTMLElement} make */
export function rows(parent, items, key, make) {
  const old = new Map([...parent.children].map((row) => [row.getAttribute("data-key"), row]));
  const made = new Set(items.map((item) => {
    const known = old.get(String(key(item)));
    if (known && sources.get(known) === item) return known;
    const focused = known?.contains(document.activeElement) ? document.activeElement : null;
    const at = known && focused ? [...known.querySelectorAll(FOCUSABLE)].indexOf(focused) : -1;
    const row = make(item);
    row.dataset["key"] = String(key(item));
    sources.set(row, item);
    if (focused) {
      known?.replaceWith(row);
      focusLike(focused, at, row);
    }
    return row;
  }));
  for (const row of [...parent.children]) if (!made.has(row)) row.remove();
  [...made].forEach((row, at) => {
    if (parent.children[at] !== row) parent.insertBefore(row, parent.children[at] ?? null);
  });
}

/** Focuses in a new row what was focused in the old one, with the place of the cursor.
 * @param {Element} focused @param {number} at @param {HTMLElement} row */
function focusLike(focused, at, row) {
  const same = row.contains(focused) ? focused : row.querySelectorAll(FOCUSABLE)[at] ?? row;
  /** @type {HTMLElement} */ (same).focus({ preventScroll: true });
  if (same instanceof HTMLTextAreaElement && focused instanceof HTMLTextAreaElement) {
    same.setSelectionRange(focused.selectionStart, focused.selectionEnd);
  }
}

/** @typedef {[key: string, element: HTMLElement | null | undefined | false]} Part */
/** What a place shows. @type {WeakMap<Element, Map<string, { key: string, text: string, made: any }>>} */
const drawn = new WeakMap();

/** Shows elements by keys. What looks as before stays; else the new one takes over focus and open folds.
 * @param {HTMLElement} place @param {Part[]} parts */
export function redraw(place, parts) {
  const before = drawn.get(place);
  const now = parts.flatMap(([key, made]) => {
    if (!made) return [];
    const old = before?.get(key);
    const text = old?.made === made ? old.text : made.outerHTML.replace(/"e\d+( e\d+)*"/g, "");
    if (old?.text === text) return [old];
    for (const open of old?.made.querySelectorAll("details[open]") ?? []) {
      made.querySelector(`[data-fold="${open.getAttribute("data-fold")}"]`)?.setAttribute("open", "");
    }
    return [{ key, text, made }];
  });
  drawn.set(place, new Map(now.map((one) => [one.key, one])));
  rows(place, now, ({ key }) => key, ({ made }) => made);
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
