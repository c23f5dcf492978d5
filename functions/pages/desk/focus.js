/** The focus of what goes: it passes to what stands next. */

const FOCUSABLE = "a[href], button, input, select, textarea, summary";

/** Removes an element. The focus in it goes to what follows. @param {Element} element */
export function takeAway(element) {
  const { activeElement: focused, body } = document;
  const heir = focused instanceof HTMLElement && element.contains(focused) && element.parentElement
    ? heirOf(element.parentElement, focused) : null;
  element.remove();
  if (document.activeElement === body) heir?.();
}

/** What gets the focus if its element goes: what stands alike in the next row, else in the one
 * before, else the heading above. @param {Element} place @param {HTMLElement} focused */
export function heirOf(place, focused) {
  let row = /** @type {Element} */ (focused);
  while (row.parentElement && row.parentElement !== place && !row.matches("li")) {
    row = row.parentElement;
  }
  const at = [...row.querySelectorAll(FOCUSABLE)].indexOf(focused);
  const siblings = [...row.parentElement?.children ?? []];
  const from = siblings.indexOf(row);
  const near = [...siblings.slice(from + 1), ...siblings.slice(0, from).reverse()];
  const headings = [row.closest("section")?.querySelector("h1, h2, h3"),
    document.querySelector("main h1")];
  return () => {
    const next = near.find((one) => one.isConnected && one.querySelector(FOCUSABLE));
    const inside = next?.querySelectorAll(FOCUSABLE);
    const heading = headings.find((one) => one?.isConnected);
    heading?.setAttribute("tabindex", "-1");
    const heir = inside?.[at] ?? inside?.[0] ?? heading;
    /** @type {HTMLElement | undefined} */ (heir)?.focus({ preventScroll: true });
  };
}
