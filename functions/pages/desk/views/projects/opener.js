/** A button in the head of a board that shows and hides a part below it. */
import { node } from "../../kit.js";

/** @param {string} label @param {HTMLElement} part hidden at first
 * @param {() => unknown} [onOpen] called each time that the part is shown */
export function opener(label, part, onOpen) {
  part.hidden = true;
  const pressed = node("button.plain.opener", { type: "button", "aria-expanded": "false",
      onclick: () => {
    part.hidden = !part.hidden;
    pressed.ariaExpanded = String(!part.hidden);
    if (!part.hidden) onOpen?.();
  } }, label);
  return pressed;
}
