/** Keys of an input method, such as the Enter that ends a word of Chinese, belong to it: nothing in the page
 * hears them. Safari marks the last one by its code alone. */
export function shieldInputMethods() {
  const shield = (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation();
  };
  addEventListener("keydown", shield, { capture: true });
}
