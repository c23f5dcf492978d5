/** Keys of an input method, such as the Enter that ends a word of Chinese, belong to it: nothing in the page
 * hears them. Safari marks the last one by its code alone. */
export function shieldInputMethods() {
  const shield = (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation();
  };
  addEventListener("keydown", shield, { capture: true });
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
