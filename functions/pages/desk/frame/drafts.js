/** Drafts: typed text that was not sent, by user, address and name. They survive a reload of the page.
 * `keepDraft` restores the text, and keeps it as the user types. What it returns drops it. */
import { myId } from "./session.js";

/** A draft of the present address, whatever the address is later. @param {string} name */
export function draftAt(name) {
  const key = `draft ${myId()} ${location.hash.split("?")[0]} ${name}`;
  return { text: () => sessionStorage.getItem(key),
    keep: (/** @type {string} */ text) => sessionStorage.setItem(key, text),
    drop: () => sessionStorage.removeItem(key) };
}

/** The kept text, or null. @param {string} name */
export const draftOf = (name) => draftAt(name).text();

/** @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} control @param {string} name */
export function keepDraft(control, name) {
  const draft = draftAt(name);
  control.value = draft.text() ?? control.value;
  control.addEventListener("input", () => draft.keep(control.value));
  return draft.drop;
}
