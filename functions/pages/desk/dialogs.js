/** Dialogs over the page: with a form, or a question before something grave. */
/** @import { Child } from "./render.js" @import { Form } from "./forms.js" */
import { button, newId, node } from "./elements.js";
import { heirOf } from "./focus.js";
import { form } from "./forms.js";

/** A dialog over the page. Escape closes it, unless it stays; the focus returns to where it was.
 * @param {Child} title @param {Child} content @param {{ stays?: boolean }} [options] */
export function dialog(title, content, { stays = false } = {}) {
  const heading = newId();
  const stay = (/** @type {Event & { key?: string }} */ event) =>
    stays && (event.type === "cancel" || event.key === "Escape") && event.preventDefault();
  const { activeElement: opener, body } = document;
  // A row that the dialog removed takes its button along.
  const heir = opener instanceof HTMLElement && opener !== body ? heirOf(body, opener) : null;
  const onclose = () => {
    made.remove();
    if (document.activeElement === body && !opener?.isConnected) heir?.();
  };
  /** @type {HTMLDialogElement} */
  const made = node("dialog",
    { "aria-labelledby": heading, onclose, oncancel: stay, onkeydown: stay },
    node("h2", { id: heading }, title), content);
  document.body.append(made);
  made.showModal();
  return made;
}

/** A form in a dialog, closed after `act`. @param {string} title
 * @param {Form & { text?: Child }} options */
export function ask(title, { text, act, ...options }) {
  const send = async (/** @type {Parameters<Form["act"]>} */ ...values) => {
    const done = (await act(...values)) !== false;
    if (done) over.close();
    return done;
  };
  const over = dialog(title,
    [text && node("p", text), form({ ...options, cancel: () => over.close(), act: send })]);
}

/** A button that asks first, since what it does is grave. @param {string} label
 * @param {string} title
 * @param {string} text @param {() => unknown} act
 * @param {Parameters<typeof button>[2]} [options] */
export const asking = (label, title, text, act, options) =>
  button(label, () => ask(title, { text, submit: label, isGrave: true, act }),
    { kind: "danger", ...options });
