/** Forms about the actions of a session, which a button opens. */
/** @import { Child, Form } from "../../kit.js" @import { Case } from "./case.js" */
import { button, draftOf, form } from "../../kit.js";

export const REASON = { rows: 2, maxlength: 1000 };

/** The key of the form that rejects this proposal: the actions' ids name session and proposal. */
export const rejectKey = (/** @type {Case} */ { actions }) => `reject ${actions[0]?.id}`;

/** A button that opens a form below its part, where it stays until it is sent or closed. It opens
 * itself if something was typed before for this proposal: `key` names it.
 * @param {Case} known @param {string} key @param {string} label @param {string} reason
 * @param {Omit<Form, "fields"> & { fields: () => Child, done: string }} options */
export function opener(known, key, label, reason, { fields, done, act, ...options }) {
  const cancel = () => {
    known.forms.delete(key);
    known.draw();
  };
  const send = (/** @type {Parameters<Form["act"]>} */ ...values) => known.act(async () => {
    await act(...values);
    cancel();
  }, done);
  const open = () => {
    const made = known.forms.get(key)
      ?? form({ ...options, fields: fields(), draft: key, cancel, act: send });
    known.forms.set(key, made);
    known.draw();
    return /** @type {HTMLElement | null} */ (made.querySelector("[name]"));
  };
  const typed = draftOf(key, "note") || draftOf(key, "reason");
  if (typed && !reason && !known.forms.has(key)) {
    queueMicrotask(() => known.forms.has(key) || open());
  }
  return button(label, () => open()?.focus(), { reason });
}
